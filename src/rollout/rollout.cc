// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "rollout/rollout.h"

#include <algorithm>
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
      u_end_(u_) {
  if (options.located) located_.emplace(stepper, model, *options.located);
}

Rollout::Rollout(const Rollout& other)
    : stepper_(other.stepper_),
      model_(other.model_),
      options_(other.options_),
      workspace_(stepper_.MakeWorkspace(model_)),
      located_(other.located_),
      t0_(other.t0_),
      h_(other.h_),
      count_(other.count_),
      from_(other.from_),
      step_(other.step_),
      u_(other.u_),
      u_end_(other.u_end_),
      fired_(other.fired_),
      next_(other.next_),
      differentiated_(other.differentiated_),
      numbers_(other.numbers_),
      number_by_value_(other.number_by_value_),
      before_(other.before_),
      after_(other.after_),
      derivatives_(other.derivatives_) {}

void Rollout::Start(const State& start, double h) {
  t0_ = start.time;
  h_ = h;
  count_ = 0;
  stopped_ = differentiated_ = false;
  step_.start = start;
  step_.end = start;
  next_.assign(model_.triggers.size(), 0);
  if (located_) located_->Start(h);
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
  if (located_) return AdvanceLocated(step_.end.time + h_);
  if (options_.inputs && !u_.empty()) {
    options_.inputs->Over(step_.end.time, h_, u_, u_end_);
  } else {
    std::fill(u_.begin(), u_.end(), 0.0);
    std::fill(u_end_.begin(), u_end_.end(), 0.0);
  }
  return TakeStep();
}

bool Rollout::Advance(std::span<const double> u) {
  u_.assign(u.begin(), u.end());
  u_end_ = u_;
  return TakeStep();
}

bool Rollout::TakeStep() {
  if (count_ % kStepsBetweenLooks == 0) StopIfCancelled();
  std::swap(from_, step_.end);
  fired_ = next_;
  stepper_.Step(model_, from_, inputs(), h_, *workspace_, step_);
  step_.end.time = t0_ + static_cast<double>(++count_) * h_;
  if (!step_.end.q.allFinite() || !step_.end.v.allFinite()) return false;
  if (step_.status == StepStatus::kFailed && !Accepts(step_.residual)) return false;
  if (differentiated_) {
    stepper_.Differentiate(model_, step_, inputs(), numbers_, *workspace_, derivatives_);
    before_.swap(after_);
    after_.noalias() = derivatives_.end_by_start * before_;
    if (!numbers_.empty())
      after_.rightCols(number_by_value_.cols()).noalias() += derivatives_.end_by_parameters * number_by_value_;
  }
  if (!model_.triggers.empty()) UpdateTriggers(model_, from_, step_.end, next_);
  return Hand();
}

bool Rollout::Hand() {
  if (sink_ && !sink_->OnStep(step_)) stopped_ = true;
  return !stopped_;
}

bool Rollout::AdvanceLocated(double t) {
  while (!located_->Reaches(step_.end, t)) {
    if (count_++ % kStepsBetweenLooks == 0) StopIfCancelled();
    std::swap(from_, step_.end);
    if (!located_->Step(from_, t, step_) || !Hand()) return false;
  }
  step_.end.time = t;
  return true;
}

void Rollout::DifferentiateStep(const Model& model, std::span<const NumberId> numbers, StepDerivatives& out) {
  stepper_.Differentiate(model, step_, inputs(), numbers, *workspace_, out);
}

void Rollout::DifferentiateStepInputs(Eigen::MatrixXd& end_by_inputs) {
  stepper_.DifferentiateInputs(model_, step_, inputs(), *workspace_, end_by_inputs);
}

bool Rollout::Accepts(double residual) const {
  return residual < options_.accepted_residual || !std::isfinite(options_.accepted_residual);
}

bool Rollout::AdvanceTo(double t) {
  if (located_) return AdvanceLocated(t);
  while (step_.end.time < t - kOnGrid * h_)
    if (!Advance()) return false;
  return true;
}

StateBetween Rollout::At(double t) const {
  const double s = 1 - (step_.end.time - t) / h_;
  return {step_.start, step_.end, s > 1 - kOnGrid ? 1.0 : s, before_, after_};
}

}  // namespace ricochet
