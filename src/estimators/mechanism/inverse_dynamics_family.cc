// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/inverse_dynamics_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steppers/spook/spook_tangents.h"

namespace ricochet {
namespace {

constexpr double kMostGrowth = 1.5;   // of a logarithm in one step
constexpr double kLeastAdded = 0.01;  // of the static friction: less moves by addition

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

Jet<1> Pick(const ParameterModels::Scalar& value, int index) {
  Jet<1> out(value.a);
  out.v[0] = value.v[index];
  return out;
}

template <int Rows, int Columns>
Eigen::Matrix<Jet<1>, Rows, Columns> Pick(const Eigen::Matrix<ParameterModels::Scalar, Rows, Columns>& in, int index) {
  Eigen::Matrix<Jet<1>, Rows, Columns> out;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) out(i, j) = Pick(in(i, j), index);
  return out;
}

TreeConstants<Jet<1>> Pick(const TreeConstants<ParameterModels::Scalar>& in, int index) {
  TreeConstants<Jet<1>> out;
  out.gravity = Pick<3, 1>(in.gravity, index);
  for (const auto& from : in.links) {
    TreeConstants<Jet<1>>::Link& to = out.links.emplace_back();
    to.near_frame = Pick<3, 3>(from.near_frame, index);
    to.far_frame = Pick<3, 3>(from.far_frame, index);
    to.near_point = Pick<3, 1>(from.near_point, index);
    to.far_point = Pick<3, 1>(from.far_point, index);
    to.mass = Pick(from.mass, index);
    to.inertia = Pick<3, 3>(from.inertia, index);
    to.viscous = Pick(from.viscous, index);
    to.friction = Pick(from.friction, index);
    to.radius = Pick(from.radius, index);
    to.static_friction = Pick(from.static_friction, index);
    to.stribeck_rate = Pick(from.stribeck_rate, index);
    to.gain = Pick(from.gain, index);
    to.shaft = Pick(from.shaft, index);
    to.stiffness = Pick(from.stiffness, index);
    to.damping = Pick(from.damping, index);
    to.target = Pick(from.target, index);
    to.rate = Pick(from.rate, index);
  }
  return out;
}

void Scale(double factor, TreeConstants<Jet<1>>& constants) {
  const auto scale = [&](Jet<1>& number) { number.v *= factor; };
  for (int i = 0; i < 3; ++i) scale(constants.gravity[i]);
  for (auto& link : constants.links) {
    for (int i = 0; i < 9; ++i) {
      scale(link.near_frame(i / 3, i % 3));
      scale(link.far_frame(i / 3, i % 3));
      scale(link.inertia(i / 3, i % 3));
    }
    for (int i = 0; i < 3; ++i) {
      scale(link.near_point[i]);
      scale(link.far_point[i]);
    }
    for (Jet<1>* number :
         {&link.mass, &link.viscous, &link.friction, &link.radius, &link.static_friction, &link.stribeck_rate,
          &link.gain, &link.shaft, &link.stiffness, &link.damping, &link.target, &link.rate})
      scale(*number);
  }
}

}  // namespace

JointedFamily::JointedFamily(const Scene& scene, std::vector<SelectedParameter> wanted)
    : scene_(scene), wanted_(std::move(wanted)) {
  const Eigen::Index n = static_cast<Eigen::Index>(wanted_.size());
  start_.resize(n);
  lower_.resize(n);
  upper_.resize(n);
  scale_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    const SceneNumber number = scene_.number(selected.numerator);
    if (number.path.rfind("initial.", 0) == 0)
      throw InputError(number.where, number.path, "the start of the motion is always fitted and is no parameter.",
                       "Leave it out of --estimate.");
    if (number.path.rfind("observe.noise", 0) == 0 || number.path.rfind("simulation.", 0) == 0)
      throw InputError(number.where, number.path, "is no parameter of the motion.", "Leave it out of --estimate.");
    const ParameterInfo& info = InfoOf(number.quantity);
    scene_.MakeIndependent(selected.numerator);
    const double divisor = selected.denominator ? scene_[selected.denominator] : 1.0;
    start_[i] = number.value / divisor;
    scale_[i] = ScaleAt(static_cast<int>(i), start_[i]);
    lower_[i] = std::isfinite(info.lower) ? info.lower / divisor : -INFINITY;
    upper_[i] = std::isfinite(info.upper) ? info.upper / divisor : INFINITY;
    if (info.lower_excluded) lower_[i] += 1e-3 * scale_[i];
  }
  model_ = CompileModel(scene_);
  mechanism_ = std::make_unique<TreeMechanism>(model_);
  const auto index_of = [&](NumberId id) {
    for (Eigen::Index i = 0; i < n && id; ++i)
      if (wanted_[static_cast<std::size_t>(i)].numerator == id) return static_cast<int>(i);
    return -1;
  };
  delay_at_ = index_of(scene_.observe.delay);
  for (int k = 0; k < dof(); ++k) {
    const Joint& joint = scene_.joints[static_cast<std::size_t>(mechanism_->joint(k))];
    offset_at_.push_back(-1);
    offset_number_.emplace_back();
    for (const Observation::Offset& offset : scene_.observe.offsets) {
      if (offset.channel != joint.name + ".angle") continue;
      offset_number_.back() = offset.value;
      offset_at_.back() = index_of(offset.value);
    }
    bool counts = false;
    if (joint.dry) {
      counts = scene_[joint.dry->friction] > 0 || index_of(joint.dry->friction) >= 0;
      if (joint.stribeck)
        counts =
            counts || scene_[joint.stribeck->static_friction] > 0 || index_of(joint.stribeck->static_friction) >= 0;
    }
    slides_.push_back(counts);
  }
}

std::vector<std::string> JointedFamily::names() const {
  std::vector<std::string> out;
  for (const SelectedParameter& selected : wanted_) out.push_back(selected.path);
  return out;
}

double JointedFamily::ScaleAt(int index, double value) const {
  const double usual = UsualSize(scene_.number(wanted_[static_cast<std::size_t>(index)].numerator).quantity);
  if (usual > 0) return usual;
  return value != 0 ? std::abs(value) : 1.0;
}

Scene JointedFamily::SceneAt(const Eigen::VectorXd& params) const {
  Scene scene = scene_;
  for (int i = 0; i < size(); ++i) {
    const SelectedParameter& selected = wanted_[static_cast<std::size_t>(i)];
    scene.Set(selected.numerator, selected.denominator ? params[i] * scene[selected.denominator] : params[i]);
  }
  return scene;
}

Eigen::VectorXd JointedFamily::Moved(const Eigen::VectorXd& params, const Eigen::VectorXd& step) const {
  Eigen::VectorXd out = params + step;
  const auto index = [&](NumberId id) {
    for (int i = 0; i < size(); ++i)
      if (wanted_[static_cast<std::size_t>(i)].numerator == id && !wanted_[static_cast<std::size_t>(i)].denominator)
        return i;
    return -1;
  };
  const auto grown = [](double value, double by) {
    return value * std::exp(std::clamp(by / value, -kMostGrowth, kMostGrowth));
  };
  for (const Joint& joint : scene_.joints) {
    if (!joint.stribeck || !joint.dry) continue;
    if (const int rate = index(joint.stribeck->rate); rate >= 0 && params[rate] > 0)
      out[rate] = std::clamp(grown(params[rate], step[rate]), lower_[rate], upper_[rate]);
    const int rest = index(joint.stribeck->static_friction), sliding = index(joint.dry->friction);
    if (rest < 0) continue;
    const double base = sliding >= 0 ? params[sliding] : scene_[joint.dry->friction];
    const double added = params[rest] - base, change = step[rest] - (sliding >= 0 ? step[sliding] : 0.0);
    if (!(added > kLeastAdded * params[rest])) continue;
    out[rest] = std::clamp((sliding >= 0 ? out[sliding] : base) + grown(added, change), lower_[rest], upper_[rest]);
  }
  return out;
}

JointedInstance JointedFamily::Compile(const Eigen::VectorXd& params) const {
  const Scene scene = SceneAt(params);
  JointedInstance out;
  std::vector<double> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.push_back(number.value);
  out.constants = mechanism_->Constants<double>(CompileSpatial<double>(scene, numbers));
  std::vector<NumberId> ids;
  for (const SelectedParameter& selected : wanted_) ids.push_back(selected.numerator);
  const ParameterModels models(scene, ids);
  for (int i = 0; i < size(); ++i) {
    const TreeConstants<ParameterModels::Scalar> all = mechanism_->Constants<ParameterModels::Scalar>(
        models.chunks[static_cast<std::size_t>(i / ParameterModels::kWidth)]);
    TreeConstants<Jet<1>> one = Pick(all, i % ParameterModels::kWidth);
    if (const NumberId divisor = wanted_[static_cast<std::size_t>(i)].denominator) Scale(scene[divisor], one);
    out.parameters.push_back(mechanism_->Effect(one));
  }
  if (scene.observe.delay) out.delay = scene[scene.observe.delay];
  for (int k = 0; k < dof(); ++k) {
    const NumberId id = offset_number_[static_cast<std::size_t>(k)];
    out.offset.push_back(id ? scene[id] : 0.0);
  }
  return out;
}

}  // namespace ricochet
