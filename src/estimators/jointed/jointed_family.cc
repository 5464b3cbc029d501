// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/jointed/jointed_family.h"

#include <algorithm>
#include <cmath>

#include "math/jet.h"

namespace ricochet {
namespace {

/// Size of a number that may well be 0; 0 for those known by ratio.
double UsualSize(Quantity quantity) {
  switch (quantity) {
    case Quantity::kAngle:
      return 0.1;
    case Quantity::kTime:
    case Quantity::kNonNegativeTime:
    case Quantity::kPositiveTime:
      return 0.01;
    case Quantity::kPosition:
      return 0.1;
    case Quantity::kDirection:
      return 0.1;
    default:
      return 0;
  }
}

void RefuseNumbers(const ParameterMap& parameters) {
  for (const SelectedParameter& selected : parameters.selected())
    for (const NumberId id : {selected.numerator, selected.denominator, selected.factor}) {
      if (!id) continue;
      const SceneNumber number = parameters.scene().number(id);
      if (number.path.rfind("initial.", 0) == 0)
        throw InputError(number.where, number.path, "the start of the motion is always fitted and is not a parameter.",
                         "Leave it out of the requested parameters.");
      if (number.path.rfind("observe.noise", 0) == 0 || number.path.rfind("simulation.", 0) == 0)
        throw InputError(number.where, number.path, "is not a parameter of the motion.",
                         "Leave it out of the requested parameters.");
    }
}

}  // namespace

bool JointedInstance::IsOfSensors(int index) const {
  return delay_by[index] != 0 || std::any_of(sensors_by.begin(), sensors_by.end(), [&](const JointSensorBy& by) {
           return by.scale[index] != 0 || by.sine[index] != 0 || by.cosine[index] != 0 || by.offset[index] != 0 ||
                  by.rate_scale[index] != 0 || by.rate_offset[index] != 0;
         });
}

void JointedInstance::AddAngleBy(int dof, double x, double weight, Eigen::Ref<Eigen::RowVectorXd> row) const {
  const JointSensorBy& by = sensors_by[static_cast<std::size_t>(dof)];
  if (by.of_angle)
    row += (weight * x) * by.scale + (weight * std::sin(x)) * by.sine + (weight * std::cos(x)) * by.cosine +
           weight * by.offset;
}

void JointedInstance::AddRateBy(int dof, double r, double weight, Eigen::Ref<Eigen::RowVectorXd> row) const {
  const JointSensorBy& by = sensors_by[static_cast<std::size_t>(dof)];
  if (by.of_rate) row += (weight * r) * by.rate_scale + weight * by.rate_offset;
}

JointedFamily::JointedFamily(const Scene& scene, std::vector<SelectedParameter> selected)
    : parameters_(scene, std::move(selected)), scale_(parameters_.size()) {
  RefuseNumbers(parameters_);
  parameters_.LetMomentsGiveWay();
  for (int i = 0; i < size(); ++i) scale_[i] = ScaleAt(i, start()[i]);
  model_ = CompileModel(this->scene());
  mechanism_ = std::make_unique<TreeMechanism>(model_);
  const std::vector<NumberId>& pivots = parameters_.pivots();
  const auto counts = [&](NumberId friction) {
    return this->scene()[friction] > 0 || std::find(pivots.begin(), pivots.end(), friction) != pivots.end();
  };
  const ObservationNumbers observation = FindObservationNumbers(this->scene());
  for (int k = 0; k < dof(); ++k) {
    const Joint& joint = this->scene().joints[static_cast<std::size_t>(mechanism_->joint(k))];
    sensors_.push_back(observation.joints[static_cast<std::size_t>(mechanism_->joint(k))]);
    const bool dry =
        joint.dry && (counts(joint.dry->friction) || (joint.stribeck && counts(joint.stribeck->static_friction)));
    slides_.push_back(dry || counts(joint.coulomb));
  }
}

double JointedFamily::PriorDeviation(int index) const {
  constexpr double kSizes = 20;
  return kSizes * scale_[index];
}

double JointedFamily::ScaleAt(int index, double value) const {
  const double usual = UsualSize(parameters_.quantity(index));
  if (usual > 0) return usual;
  return value != 0 ? std::abs(value) : 1.0;
}

std::vector<int> JointedFamily::DryFriction() const {
  std::vector<int> out;
  for (int i = 0; i < size(); ++i) {
    const NumberId id = parameters_.pivots()[static_cast<std::size_t>(i)];
    for (const Joint& joint : scene().joints)
      if ((joint.dry && joint.dry->friction == id) || (joint.stribeck && joint.stribeck->static_friction == id) ||
          joint.coulomb == id)
        out.push_back(i);
  }
  return out;
}

Eigen::VectorXd JointedFamily::Moved(const Eigen::VectorXd& values, const Eigen::VectorXd& step) const {
  return parameters_.Clamp(parameters_.Move(values, step));
}

Eigen::VectorXd JointedFamily::BoundedStep(const ChainBorder& border, const Eigen::VectorXd& values,
                                           const std::vector<char>& held, double ridge) const {
  const Eigen::VectorXd step = SolveBorder(border, lower() - values, upper() - values, held, ridge);
  if (!step.allFinite() || parameters_.IsPossible(values + step, held)) return step;
  const ParameterMap::StepBox box = parameters_.PossibleSteps(values, held);
  const ChainBorder turned{box.basis.transpose() * border.C * box.basis, box.basis.transpose() * border.h};
  return box.basis * SolveBorder(turned, box.lower, box.upper, held, ridge);
}

JointedInstance JointedFamily::Compile(const Eigen::VectorXd& values) const {
  const std::size_t p = static_cast<std::size_t>(size());
  const std::vector<double> numbers = parameters_.Numbers<double>({values.data(), p});
  const NumberId delay = scene().observe.delay;
  const auto at = [](const auto& table, NumberId id) { return table[static_cast<std::size_t>(id.index)]; };
  JointedInstance out;
  out.constants = mechanism_->Constants<double>(CompileSpatial<double>(scene(), numbers));
  if (delay) out.delay = at(numbers, delay);
  out.delay_by.setZero(size());
  for (const JointSensorNumbers& sensor : sensors_) {
    out.sensors.emplace_back(sensor, [&](NumberId id) { return at(numbers, id); });
    JointSensorBy& by = out.sensors_by.emplace_back();
    for (Eigen::RowVectorXd* each : {&by.scale, &by.sine, &by.cosine, &by.offset, &by.rate_scale, &by.rate_offset})
      each->setZero(size());
  }
  for (int i = 0; i < size(); ++i) {
    std::vector<Jet<1>> seeded(values.begin(), values.end());
    seeded[static_cast<std::size_t>(i)] = Jet<1>::Variable(values[i], 0);
    const std::vector<Jet<1>> moved = parameters_.Numbers<Jet<1>>(seeded);
    out.parameters.push_back(mechanism_->Effect(mechanism_->Constants<Jet<1>>(CompileSpatial<Jet<1>>(scene(), moved))));
    if (delay) out.delay_by[i] = at(moved, delay).v[0];
    for (std::size_t k = 0; k < sensors_.size(); ++k) {
      const JointSensor<Jet<1>> sensor(sensors_[k], [&](NumberId id) { return at(moved, id); });
      JointSensorBy& by = out.sensors_by[k];
      by.scale[i] = sensor.scale.v[0];
      by.sine[i] = sensor.sine.v[0];
      by.cosine[i] = sensor.cosine.v[0];
      by.offset[i] = sensor.offset.v[0];
      by.rate_scale[i] = sensor.rate_scale.v[0];
      by.rate_offset[i] = sensor.rate_offset.v[0];
      by.of_angle = by.of_angle || by.scale[i] != 0 || by.sine[i] != 0 || by.cosine[i] != 0 || by.offset[i] != 0;
      by.of_rate = by.of_rate || by.rate_scale[i] != 0 || by.rate_offset[i] != 0;
    }
  }
  return out;
}

}  // namespace ricochet
