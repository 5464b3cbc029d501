// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "rollout/rollout.h"

#include <cmath>
#include <utility>

#include "core/context.h"
#include "dynamics/loads.h"
#include "math/so3.h"

namespace ricochet {
namespace {

constexpr double kOnGrid = 1e-9;         // of a step: times this close to a grid point are on it
constexpr long kStepsBetweenLooks = 64;  // at the token that cancels the call

}  // namespace

Eigen::Vector3d StateBetween::Turn(int body) const {
  return BoxMinusRotation<double>(Quaternion<double>(to.q.segment<4>(7 * body + 3)),
                                  Quaternion<double>(from.q.segment<4>(7 * body + 3)));
}

SpatialPose<double> StateBetween::Pose(int body) const {
  SpatialPose<double> pose = to.q.segment<7>(7 * body);
  if (s >= 1) return pose;
  const SpatialPose<double> before = from.q.segment<7>(7 * body);
  pose.head<3>() = before.head<3>() + s * (pose.head<3>() - before.head<3>());
  pose.tail<4>() = BoxPlusRotation<double>(Quaternion<double>(before.tail<4>()), Eigen::Vector3d(s * Turn(body)));
  return pose;
}

SpatialPose<double> StateBetween::FramePose(const Model& model, int body) const {
  SpatialPose<double> pose = Pose(body);
  pose.head<3>() -=
      Rotate<double>(Quaternion<double>(pose.tail<4>()), model.spatial.bodies[static_cast<std::size_t>(body)].p_BBcm);
  return pose;
}

void StateBetween::Sensitivity(int body, Eigen::MatrixXd& out) const {
  if (s >= 1) {
    out = by_to.middleRows(6 * body, 6);
    return;
  }
  // exp(s phi) R_a with phi = log(R_b R_a^T): d = s J_l(s phi) (J_l^-1(phi) d_b - J_r^-1(phi) d_a) + exp(s phi) d_a.
  const Eigen::Vector3d phi = Turn(body), part = s * phi;
  const Matrix3<double> left = s * LeftJacobianSO3(part);
  out.resize(6, by_to.cols());
  out.topRows(3) = (1 - s) * by_from.middleRows(6 * body, 3) + s * by_to.middleRows(6 * body, 3);
  out.bottomRows(3) = left * LeftJacobianInverseSO3(phi) * by_to.middleRows(6 * body + 3, 3) +
                      (ExpMatrixSO3(part) - left * RightJacobianInverseSO3(phi)) * by_from.middleRows(6 * body + 3, 3);
}

Rollout::Rollout(const Stepper& stepper, const Model& model, const RolloutOptions& options)
    : stepper_(stepper),
      model_(model),
      options_(options),
      workspace_(stepper.MakeWorkspace(model)),
      u_(model.spatial.inputs.size(), 0.0),
      u_end_(u_) {}

void Rollout::Start(const State& start, double h) {
  t0_ = start.time;
  h_ = h;
  count_ = 0;
  stopped_ = differentiated_ = false;
  step_.start = start;
  step_.end = start;
  fired_.assign(model_.triggers.size(), 0);
}

void Rollout::Differentiate(Eigen::MatrixXd sensitivity, std::span<const NumberId> numbers,
                            const Eigen::MatrixXd& number_by_value) {
  differentiated_ = true;
  after_ = std::move(sensitivity);
  before_ = after_;
  numbers_.assign(numbers.begin(), numbers.end());
  number_by_value_ = number_by_value;
}

bool Rollout::Advance() {
  if (count_ % kStepsBetweenLooks == 0) StopIfCancelled();
  std::swap(from_, step_.end);
  StepInputs inputs{.u = {}, .u_end = {}, .fired = fired_};
  if (!u_.empty()) {
    if (options_.inputs) options_.inputs->Over(from_.time, h_, u_, u_end_);
    inputs.u = u_;
    inputs.u_end = u_end_;
  }
  stepper_.Step(model_, from_, inputs, h_, *workspace_, step_);
  step_.end.time = t0_ + static_cast<double>(++count_) * h_;
  if (!step_.end.q.allFinite() || !step_.end.v.allFinite()) return false;
  if (step_.status == StepStatus::kFailed && !Accepts(step_.residual)) return false;
  if (differentiated_) {
    stepper_.Differentiate(model_, step_, inputs, numbers_, *workspace_, derivatives_);
    before_.swap(after_);
    after_.noalias() = derivatives_.end_by_start * before_;
    if (!numbers_.empty())
      after_.rightCols(number_by_value_.cols()).noalias() += derivatives_.end_by_parameters * number_by_value_;
  }
  if (!model_.triggers.empty()) UpdateTriggers(model_, from_, step_.end, fired_);
  if (sink_ && !sink_->OnStep(step_)) stopped_ = true;
  return !stopped_;
}

bool Rollout::Accepts(double residual) const {
  return residual < options_.accepted_residual || !std::isfinite(options_.accepted_residual);
}

bool Rollout::AdvanceTo(double t) {
  while (step_.end.time < t - kOnGrid * h_)
    if (!Advance()) return false;
  return true;
}

StateBetween Rollout::At(double t) const {
  const double s = 1 - (step_.end.time - t) / h_;
  return {step_.start, step_.end, s > 1 - kOnGrid ? 1.0 : s, before_, after_};
}

}  // namespace ricochet
