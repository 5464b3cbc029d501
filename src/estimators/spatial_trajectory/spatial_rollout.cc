// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_rollout.h"

#include <algorithm>
#include <cmath>

#include "rollout/rollout.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

constexpr double kAcceptedResidual = 1e-6;  // of a step that missed its tolerance but is good enough to fit with
constexpr double kGravity = 9.81;           // [m/s^2], for typical speeds
constexpr double kFarthest = 3;             // starts farther from the reference, in typical sizes, are not tried
constexpr double kPlace = 0.1;              // of a body: contacts that near to each other are in one place

/// Contacts of a rollout, and what they say about friction and restitution.
class ContactSummary final : public StepSink {
 public:
  explicit ContactSummary(double reach) : stretches_(reach) {}

  bool OnStep(const StepResult& step) override {
    for (const ContactRecord& contact : step.contacts) {
      touched_ = true;
      if (contact.slip == SlipState::kSlide) slid_ = true;
      if (contact.slip == SlipState::kStick && contact.normal_impulse > 0)
        friction_needed_ = std::max(friction_needed_, contact.tangential_impulse.norm() / contact.normal_impulse);
    }
    // Weight and friction of a body that lies change its velocity by up to twice the fall in a step.
    for (Eigen::Index i = 0; i + 6 <= step.end.v.size(); i += 6)
      largest_jump_ = std::max(largest_jump_, (step.end.v.segment<3>(i) - step.start.v.segment<3>(i)).norm() -
                                                  2 * kGravity * step.h);
    return stretches_.OnStep(step);
  }

  void Finish(RolloutResult& out) {
    out.contacts = stretches_.Take();
    out.friction_needed = friction_needed_;
    out.largest_jump = largest_jump_;
    out.slid = slid_;
    out.touched = touched_;
  }

 private:
  ContactStretches stretches_;
  double friction_needed_ = 0, largest_jump_ = 0;
  bool slid_ = false, touched_ = false;
};

}  // namespace

SpatialRollout::SpatialRollout(const SpatialFamily& family, const PoseTracks& track)
    : window(track.rows()),
      rejected(static_cast<std::size_t>(track.rows()), 0),
      family_(&family),
      track_(&track),
      values_(track.Values()) {}

Eigen::MatrixXd SpatialRollout::FullBasis() const {
  const Eigen::Index n = 12 * static_cast<Eigen::Index>(family_->moving().size());
  return Eigen::MatrixXd::Identity(n, n);
}

Eigen::VectorXd SpatialRollout::TypicalSizes() const {
  Eigen::VectorXd sizes(12 * static_cast<Eigen::Index>(family_->moving().size()));
  const double duration = track_->time.back() - track_->time.front();
  for (std::size_t m = 0; m < family_->moving().size(); ++m) {
    const int body = family_->moving()[m];
    const double size = family_->size_of(body);
    const auto v = reference.state.v.segment<6>(6 * body);
    const double speed = v.head<3>().norm() + size * v.tail<3>().norm() + std::sqrt(kGravity * size) + size / duration;
    auto part = sizes.segment<12>(12 * static_cast<Eigen::Index>(m));
    part << Vec::Constant(size), Vec::Ones(), Vec::Constant(speed), Vec::Constant(speed / size);
  }
  return sizes;
}

bool SpatialRollout::IsPlausible(const Eigen::VectorXd& xi) const {
  const Eigen::VectorXd relative = (reference.basis * xi).cwiseQuotient(TypicalSizes());
  return relative.allFinite() && relative.cwiseAbs().maxCoeff() < kFarthest;
}

State SpatialRollout::StartAt(const Eigen::VectorXd& xi) const {
  State state = reference.state;
  const Eigen::VectorXd delta = reference.basis * xi;
  for (std::size_t m = 0; m < family_->moving().size(); ++m) {
    const int body = family_->moving()[m];
    const auto part = delta.segment<12>(12 * static_cast<Eigen::Index>(m));
    const SpatialPose<double> pose = state.q.segment<7>(7 * body);
    state.q.segment<7>(7 * body) = BoxPlus<double>(pose, Vector6<double>(part.head<6>()));
    state.v.segment<6>(6 * body) += part.tail<6>();
  }
  return state;
}

Eigen::MatrixXd SpatialRollout::StartSensitivity(const Eigen::VectorXd& xi, int params) const {
  const int bodies = static_cast<int>(family_->scene().bodies.size());
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(12 * bodies, local_size() + params);
  const Eigen::VectorXd delta = reference.basis * xi;
  for (std::size_t m = 0; m < family_->moving().size(); ++m) {
    const int body = family_->moving()[m];
    const Eigen::Index row = 12 * static_cast<Eigen::Index>(m);
    const auto rows = [&](int first, int count) { return reference.basis.middleRows(row + first, count); };
    S.block(6 * body, 0, 3, local_size()) = rows(0, 3);
    // exp(xi) R moves by J_l(xi) dxi.
    S.block(6 * body + 3, 0, 3, local_size()) = LeftJacobianSO3(Vec(delta.segment<3>(row + 3))) * rows(3, 3);
    S.block(6 * bodies + 6 * body, 0, 6, local_size()) = rows(6, 6);
  }
  return S;
}

template <class OnRow>
bool SpatialRollout::Roll(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows, bool derivatives,
                          OnRow on_row, StepSink* sink) const {
  const int params = static_cast<int>(instance.number_by_params.cols());
  Rollout rollout(family_->stepper(), instance.model, {.accepted_residual = kAcceptedResidual});
  rollout.SetSink(sink);
  State start = StartAt(xi);
  start.time = track_->time[0] - instance.delay;
  rollout.Start(start, family_->step());
  if (derivatives) rollout.Differentiate(StartSensitivity(xi, params), instance.numbers, instance.number_by_params);
  for (int row = 0; row < rows; ++row) {
    const double time = track_->time[static_cast<std::size_t>(row)] - instance.delay;
    if (!rollout.AdvanceTo(time)) return false;
    on_row(row, rollout.At(time));
  }
  return true;
}

bool SpatialRollout::Evaluate(const SpatialInstance& instance, const Eigen::VectorXd& xi, Eigen::VectorXd& residuals,
                              Eigen::MatrixXd* jacobian) const {
  const std::vector<int>& moving = family_->moving();
  const int bodies = static_cast<int>(moving.size()), width = static_cast<int>(values_.size());
  const int params = static_cast<int>(instance.number_by_params.cols());
  residuals.setZero(residual_size());
  if (!IsPlausible(xi)) return false;
  if (jacobian) jacobian->setZero(residual_size(), local_size() + params);
  Eigen::MatrixXd motion(6, local_size() + params);
  const auto on_row = [&](int row, const StateBetween& between) {
    if (rejected[static_cast<std::size_t>(row)]) return;
    int at = row * width;
    for (int m = 0; m < bodies; ++m) {
      if (!track_->pose_recorded[static_cast<std::size_t>(m)]) continue;
      const int first = at;
      at += 6;
      if (!track_->present[track_->At(row, m)]) continue;
      const int body = moving[static_cast<std::size_t>(m)];
      const SpatialPose<double> pose = between.Pose(body);
      const SpatialPose<double>& recorded = track_->pose[track_->At(row, m)];
      const SpatialSensor<double>& sensor = instance.frames[static_cast<std::size_t>(body)];
      const PoseResidual residual =
          ResidualOf(sensor.Pose(pose), recorded, track_->noise_position, track_->noise_angle);
      residuals.segment<6>(first) = residual.value;
      if (!jacobian) continue;
      between.Sensitivity(body, motion);
      auto rows = jacobian->middleRows(first, 6);
      rows.noalias() = residual.by_predicted * ByPose(sensor, pose) * motion;
      for (const SensorDependence& on : instance.depends[static_cast<std::size_t>(body)])
        rows.rightCols(params) +=
            residual.by_predicted * ByNumber(sensor, pose, on) * instance.number_by_params.row(on.entry);
    }
    for (const SpatialPointTrack& point : track_->points) {
      const int first = at;
      at += 3;
      const Vec& recorded = point.position[static_cast<std::size_t>(row)];
      if (!recorded.allFinite()) continue;
      const int body = moving[static_cast<std::size_t>(point.body)];
      const SpatialPose<double> pose = between.Pose(body);
      const auto observed = static_cast<std::size_t>(point.point);
      const SpatialSensor<double>& sensor = instance.points[observed];
      residuals.segment<3>(first) = (sensor.Position(pose) - recorded) / track_->noise_point;
      if (!jacobian) continue;
      between.Sensitivity(body, motion);
      auto rows = jacobian->middleRows(first, 3);
      rows.noalias() = ByPose(sensor, pose).topRows<3>() * motion / track_->noise_point;
      for (const SensorDependence& on : instance.point_depends[observed])
        rows.rightCols(params) +=
            ByNumber(sensor, pose, on).head<3>() / track_->noise_point * instance.number_by_params.row(on.entry);
    }
  };
  if (!Roll(instance, xi, window, jacobian != nullptr, on_row, nullptr)) return false;
  return !jacobian || DifferentiateByDelay(instance, xi, *jacobian);
}

bool SpatialRollout::DifferentiateByDelay(const SpatialInstance& instance, const Eigen::VectorXd& xi,
                                          Eigen::MatrixXd& jacobian) const {
  if (instance.delay_by.isZero(0) || instance.model.spatial.loads.empty()) return true;
  const double h = family_->step();
  Eigen::VectorXd late, early;
  SpatialInstance moved = instance;
  moved.delay = instance.delay + h;
  if (!Evaluate(moved, xi, late, nullptr)) return false;
  moved.delay = instance.delay - h;
  if (!Evaluate(moved, xi, early, nullptr)) return false;
  jacobian.rightCols(instance.delay_by.size()) += (late - early) / (2 * h) * instance.delay_by;
  return true;
}

bool SpatialRollout::Predict(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows,
                             RolloutResult& out) const {
  const std::vector<int>& moving = family_->moving();
  out.poses.assign(static_cast<std::size_t>(rows) * moving.size(), SpatialPose<double>::Zero());
  out.points.clear();
  ContactSummary contacts(kPlace * family_->size_of(moving.front()));
  const auto on_row = [&](int row, const StateBetween& between) {
    for (std::size_t m = 0; m < moving.size(); ++m) {
      out.poses[track_->At(row, static_cast<int>(m))] =
          instance.frames[static_cast<std::size_t>(moving[m])].Pose(between.Pose(moving[m]));
    }
    for (const SpatialPointTrack& point : track_->points)
      out.points.push_back(instance.points[static_cast<std::size_t>(point.point)].Position(
          between.Pose(moving[static_cast<std::size_t>(point.body)])));
  };
  const bool rolled = Roll(instance, xi, rows, false, on_row, &contacts);
  contacts.Finish(out);
  return rolled;
}

Eigen::MatrixXd SpatialRollout::Transition(const SpatialInstance& instance, int steps) const {
  const std::vector<int>& moving = family_->moving();
  const int bodies = static_cast<int>(family_->scene().bodies.size());
  SpatialRollout free(*family_, *track_);
  free.reference = {reference.state, FullBasis()};
  free.reference.state.time = track_->time[0];
  Rollout rollout(family_->stepper(), instance.model);
  rollout.Start(free.reference.state, family_->step());
  rollout.Differentiate(free.StartSensitivity(Eigen::VectorXd::Zero(free.local_size()), 0), {}, {});
  for (int k = 0; k < steps; ++k)
    if (!rollout.Advance()) return {};
  const Eigen::MatrixXd& S = rollout.sensitivity();
  Eigen::MatrixXd out(S.cols(), S.cols());
  for (std::size_t m = 0; m < moving.size(); ++m) {
    const Eigen::Index row = 12 * static_cast<Eigen::Index>(m);
    out.middleRows(row, 6) = S.middleRows(6 * moving[m], 6);
    out.middleRows(row + 6, 6) = S.middleRows(6 * bodies + 6 * moving[m], 6);
  }
  return out;
}

}  // namespace ricochet
