// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_rollout.h"

#include <algorithm>
#include <cmath>

#include "dynamics/loads.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

constexpr double kAcceptedResidual = 1e-6;  // of a step that missed its tolerance but is good enough to fit with
constexpr double kGravity = 9.81;           // [m/s^2], for typical speeds
constexpr double kFarthest = 3;             // starts farther from the reference, in typical sizes, are not tried
constexpr double kPlace = 0.1;              // of a body: contacts that near to each other are in one place
constexpr double kOnGrid = 1e-6;            // rows this close to a grid point, in steps, are on it

/// Poses of one body at the two ends of a step and the sensitivities there, read at a fraction s between them.
struct BetweenSteps {
  const State& from;
  const State& to;
  double s;

  SpatialPose<double> Pose(int body) const {
    SpatialPose<double> pose = to.q.segment<7>(7 * body);
    if (s >= 1) return pose;
    const SpatialPose<double> before = from.q.segment<7>(7 * body);
    const Vec turn = Turn(body);
    pose.head<3>() = (1 - s) * before.head<3>() + s * pose.head<3>();
    pose.tail<4>() = BoxPlusRotation<double>(Quaternion<double>(before.tail<4>()), Vec(s * turn));
    return pose;
  }

  /// 6 rows: how the pose moves.
  void Sensitivity(int body, const Eigen::MatrixXd& before, const Eigen::MatrixXd& after, Eigen::MatrixXd& out) const {
    if (s >= 1) {
      out = after.middleRows(6 * body, 6);
      return;
    }
    // exp(s phi) R_a with phi = log(R_b R_a^T): d = s J_l(s phi) (J_l^-1(phi) d_b - J_r^-1(phi) d_a) + exp(s phi) d_a.
    const Vec phi = Turn(body), part = s * phi;
    const Matrix3<double> left = s * LeftJacobianSO3(part);
    out.topRows(3) = (1 - s) * before.middleRows(6 * body, 3) + s * after.middleRows(6 * body, 3);
    out.bottomRows(3) = left * LeftJacobianInverseSO3(phi) * after.middleRows(6 * body + 3, 3) +
                        (ExpMatrixSO3(part) - left * RightJacobianInverseSO3(phi)) * before.middleRows(6 * body + 3, 3);
  }

 private:
  Vec Turn(int body) const {
    return BoxMinusRotation<double>(Quaternion<double>(to.q.segment<4>(7 * body + 3)),
                                    Quaternion<double>(from.q.segment<4>(7 * body + 3)));
  }
};

}  // namespace

SpatialRollout::SpatialRollout(const SpatialFamily& family, const PoseTracks& track)
    : window(track.rows()), rejected(static_cast<std::size_t>(track.rows()), 0), family_(&family), track_(&track) {}

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

/// on_row(row, between, S before, S after) at every row; on_step(result) after every step.
template <class OnRow, class OnStep>
bool SpatialRollout::Roll(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows, bool derivatives,
                          OnRow on_row, OnStep on_step) const {
  const Model& model = instance.model;
  const Stepper& stepper = family_->stepper();
  const double h = family_->step(), t0 = track_->time[0];
  const int params = static_cast<int>(instance.number_by_params.cols());
  const auto workspace = stepper.MakeWorkspace(model);
  StepResult result;
  StepDerivatives derivative;
  State state = StartAt(xi);
  state.time = t0;
  Eigen::MatrixXd before, after;
  if (derivatives) before = after = StartSensitivity(xi, params);
  std::vector<char> fired(model.triggers.size(), 0), fired_now = fired;

  on_row(0, BetweenSteps{state, state, 1.0}, before, after);
  int row = 1;
  for (long k = 0; row < rows; ++k) {
    StepInputs inputs;
    fired_now = fired;
    inputs.fired = fired_now;
    stepper.Step(model, state, inputs, h, *workspace, result);
    result.end.time = t0 + static_cast<double>(k + 1) * h;
    if (!result.end.q.allFinite() || !result.end.v.allFinite()) return false;
    if (result.status == StepStatus::kFailed && !(result.residual < kAcceptedResidual)) return false;
    if (derivatives) {
      stepper.Differentiate(model, result, inputs, instance.numbers, *workspace, derivative);
      before.swap(after);
      after.noalias() = derivative.end_by_start * before;
      if (params > 0) after.rightCols(params).noalias() += derivative.end_by_parameters * instance.number_by_params;
    }
    if (!model.triggers.empty()) UpdateTriggers(model, state, result.end, fired);
    on_step(result);
    for (; row < rows; ++row) {
      const double s = (track_->time[static_cast<std::size_t>(row)] - t0) / h - static_cast<double>(k);
      if (s > 1 + kOnGrid) break;
      on_row(row, BetweenSteps{state, result.end, s > 1 - kOnGrid ? 1.0 : s}, before, after);
    }
    state.time = result.end.time;
    state.q = result.end.q;
    state.v = result.end.v;
  }
  return true;
}

bool SpatialRollout::Evaluate(const SpatialInstance& instance, const Eigen::VectorXd& xi, Eigen::VectorXd& residuals,
                              Eigen::MatrixXd* jacobian) const {
  const std::vector<int>& moving = family_->moving();
  const int bodies = static_cast<int>(moving.size());
  const int params = static_cast<int>(instance.number_by_params.cols());
  residuals.setZero(residual_size());
  if (!IsPlausible(xi)) return false;
  if (jacobian) jacobian->setZero(residual_size(), local_size() + params);
  Eigen::MatrixXd motion(6, local_size() + params);
  const auto on_row = [&](int row, const BetweenSteps& between, const Eigen::MatrixXd& before,
                          const Eigen::MatrixXd& after) {
    if (rejected[static_cast<std::size_t>(row)]) return;
    for (int m = 0; m < bodies; ++m) {
      if (!track_->present[track_->At(row, m)]) continue;
      const int body = moving[static_cast<std::size_t>(m)];
      const SpatialPose<double> pose = between.Pose(body);
      const SpatialPose<double>& recorded = track_->pose[track_->At(row, m)];
      const Quaternion<double> q = pose.tail<4>();
      const Vec arm = Rotate<double>(q, instance.model.spatial.bodies[static_cast<std::size_t>(body)].p_BBcm);
      const Vec p_WB = pose.head<3>() - arm;
      const Vec turn = BoxMinusRotation<double>(q, Quaternion<double>(recorded.tail<4>()));
      const int at = 6 * (row * bodies + m);
      residuals.segment<3>(at) =
          (instance.length_scale * p_WB + instance.offset - recorded.head<3>()) / track_->noise_position;
      residuals.segment<3>(at + 3) = turn / track_->noise_angle;
      if (!jacobian) continue;
      between.Sensitivity(body, before, after, motion);
      auto position = jacobian->middleRows(at, 3);
      position = motion.topRows(3) + Skew(arm) * motion.bottomRows(3);
      for (const auto& [entry, axis] : instance.centre_at) {
        if (axis / 3 != body) continue;
        const Vec column = Rotate<double>(q, Vec(Vec::Unit(axis % 3)));
        position.rightCols(params) -= column * instance.number_by_params.row(entry);
      }
      position *= instance.length_scale;
      for (const int entry : instance.scale_at)
        position.rightCols(params) += p_WB * instance.number_by_params.row(entry);
      for (const auto& [entry, axis] : instance.offset_at)
        position.rightCols(params) += Vec(Vec::Unit(axis)) * instance.number_by_params.row(entry);
      position /= track_->noise_position;
      jacobian->middleRows(at + 3, 3) = LeftJacobianInverseSO3(turn) * motion.bottomRows(3) / track_->noise_angle;
    }
  };
  return Roll(instance, xi, window, jacobian != nullptr, on_row, [](const StepResult&) {});
}

bool SpatialRollout::Predict(const SpatialInstance& instance, const Eigen::VectorXd& xi, int rows,
                             RolloutResult& out) const {
  const std::vector<int>& moving = family_->moving();
  out.poses.assign(static_cast<std::size_t>(rows) * moving.size(), SpatialPose<double>::Zero());
  out.friction_needed = 0;
  out.slid = out.touched = false;
  ContactStretches stretches(kPlace * family_->size_of(moving.front()));
  const auto on_row = [&](int row, const BetweenSteps& between, const Eigen::MatrixXd&, const Eigen::MatrixXd&) {
    for (std::size_t m = 0; m < moving.size(); ++m) {
      SpatialPose<double> pose = between.Pose(moving[m]);
      const Vec c = instance.model.spatial.bodies[static_cast<std::size_t>(moving[m])].p_BBcm;
      pose.head<3>() -= Rotate<double>(Quaternion<double>(pose.tail<4>()), c);
      pose.head<3>() = instance.length_scale * pose.head<3>() + instance.offset;
      out.poses[track_->At(row, static_cast<int>(m))] = pose;
    }
  };
  const auto on_step = [&](const StepResult& step) {
    for (const ContactRecord& contact : step.contacts) {
      out.touched = true;
      if (contact.slip == SlipState::kSlide) out.slid = true;
      if (contact.slip == SlipState::kStick && contact.normal_impulse > 0)
        out.friction_needed = std::max(out.friction_needed, contact.tangential_impulse.norm() / contact.normal_impulse);
    }
    stretches.OnStep(step);
  };
  const bool rolled = Roll(instance, xi, rows, false, on_row, on_step);
  out.contacts = stretches.Take();
  return rolled;
}

Eigen::MatrixXd SpatialRollout::Transition(const SpatialInstance& instance, int steps) const {
  const std::vector<int>& moving = family_->moving();
  const int bodies = static_cast<int>(family_->scene().bodies.size());
  const Model& model = instance.model;
  const auto workspace = family_->stepper().MakeWorkspace(model);
  StepResult result;
  StepDerivatives derivative;
  State state = reference.state;
  state.time = track_->time[0];
  SpatialRollout free(*family_, *track_);
  free.reference.basis = FullBasis();
  free.reference.state = reference.state;
  Eigen::MatrixXd S = free.StartSensitivity(Eigen::VectorXd::Zero(free.local_size()), 0);
  for (int k = 0; k < steps; ++k) {
    family_->stepper().Step(model, state, {}, family_->step(), *workspace, result);
    if (!result.end.q.allFinite() || result.status == StepStatus::kFailed) return {};
    family_->stepper().Differentiate(model, result, {}, {}, *workspace, derivative);
    S = (derivative.end_by_start * S).eval();
    const double time = state.time + family_->step();
    state = result.end;
    state.time = time;
  }
  Eigen::MatrixXd out(S.cols(), S.cols());
  for (std::size_t m = 0; m < moving.size(); ++m) {
    const Eigen::Index row = 12 * static_cast<Eigen::Index>(m);
    out.middleRows(row, 6) = S.middleRows(6 * moving[m], 6);
    out.middleRows(row + 6, 6) = S.middleRows(6 * bodies + 6 * moving[m], 6);
  }
  return out;
}

}  // namespace ricochet
