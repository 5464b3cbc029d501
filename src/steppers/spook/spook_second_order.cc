// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_second_order.h"

#include <algorithm>
#include <cmath>

#include "math/manifold.h"
#include "steppers/spook/spook_workspace.h"

namespace ricochet {

namespace {

/// Mean rate of a joint's coordinate over the drift; turns less than half way.
double MeanRate(const SpookJoint& start, const SpookJoint& end, double h) {
  const JointMotion<double>& motion = start.motions.motion[0];
  const double change = end.motions.motion[0].coordinate - motion.coordinate;
  return (motion.angular ? std::remainder(change, 2 * M_PI) : change) / h;
}

/// Free motion of all bodies with velocities v: poses, states and velocities at the end.
void DriftBodies(const Model& model, double h, const Eigen::VectorXd& v, SpookWorkspace& ws, StepResult& out) {
  out.end.q = out.start.q;
  ws.v_drift = v;
  ws.body_rate.resize(model.spatial.bodies.size());
  for (size_t i = 0; i < model.spatial.bodies.size(); ++i) {
    if (model.spatial.bodies[i].fixed) continue;
    const auto drift = DriftRotation<double>(model.spatial.bodies[i].I_BBcm_B, ws.poses[i].R, v.segment<3>(6 * i + 3),
                                             h, ws.body_rate[i]);
    const Vector3<double> world_rate = ws.poses[i].R * ws.body_rate[i];
    out.end.q.segment<3>(7 * i) += h * v.segment<3>(6 * i);
    Quaternion<double> q = out.start.q.segment<4>(7 * i + 3);
    q = BoxPlusRotation<double>(q, Vector3<double>(h * world_rate));
    out.end.q.segment<4>(7 * i + 3) = q.normalized();
    ws.v_drift.segment<3>(6 * i + 3) = drift.w;
  }
  EvaluateState(model, out.end, ws.poses_end, ws.joints_end);
}

}  // namespace

void StepSecondOrder(const Model& model, const StepInputs& inputs, double h, SpookWorkspace& ws, StepResult& out) {
  const SpatialModel<double>& spatial = model.spatial;
  EvaluateState(model, out.start, ws.poses, ws.joints);
  ws.unilateral.clear();
  ws.had_impact = false;

  // First kick, iterated until the drift ends on the constraints.
  SpookStageInput in;
  in.stage = SpookStage::kPosition;
  in.h = h;
  in.poses = ws.poses;
  in.joints = ws.joints;
  in.v = &out.start.v;
  in.impulse = &ws.impulse;
  in.row_target = &ws.row_target;
  in.shaft = &ws.shaft;
  in.shaft_change = &ws.shaft_change;
  in.u = ws.u;
  ForceImpulse(model, out.start.time, 0.5 * h, inputs.fired, ws.impulse);
  ws.row_target.resize(ws.structure.multiplier_count);
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const auto& node = ws.structure.joints[j];
    ws.row_target.segment(node.offset, node.rows) = -ws.joints[j].rows.g.head(node.rows) / h;
  }
  ws.shaft.setZero(static_cast<Eigen::Index>(ws.joints.size()));
  ws.shaft_change.setZero(ws.shaft.size());
  SolveStage(spatial, ws.structure, ws.options, in, ws.first);
  bool settled = ws.first.solved;
  double last = 0;
  for (int round = 0; ws.first.solved; ++round) {
    DriftBodies(model, h, ws.first.v, ws, out);
    double change = 0;
    for (size_t j = 0; j < ws.joints.size(); ++j) {
      const auto& node = ws.structure.joints[j];
      const Vector6<double> rate = RowRates(spatial.joints[j], ws.joints[j].rows, ws.first.v);
      for (int i = 0; i < node.rows; ++i) {
        const double target = rate[i] - ws.joints_end[j].rows.g[i] / h;
        change = std::max(change, h * std::abs(target - ws.row_target[node.offset + i]));
        ws.row_target[node.offset + i] = target;
      }
      if (!spatial.joints[j].has_motor) continue;
      const double excess = MeanRate(ws.joints[j], ws.joints_end[j], h) -
                            MotionRate(spatial.joints[j], ws.joints[j].motions.motion[0], ws.first.v);
      ws.shaft_change[j] = excess - ws.shaft[j];
      ws.shaft[j] = excess;
      change = std::max(change, h * std::abs(ws.shaft_change[j]));
    }
    // Settled: nothing changes, or only rounding does.
    if (change <= 1e-15 || (round > 3 && change <= 1e-13 && change >= 0.5 * last)) break;
    if (round == 60 || !std::isfinite(change)) {
      settled = false;
      break;
    }
    last = change;
    ResolveStage(spatial, ws.structure, in, ws.first);
    settled = ws.first.solved;
  }
  if (!ws.first.solved) DriftBodies(model, h, ws.first.v, ws, out);

  // Second kick.
  for (size_t j = 0; j < ws.joints.size(); ++j) {
    const auto& node = ws.structure.joints[j];
    const SpatialJoint<double>& joint = spatial.joints[j];
    for (int i = 0; i < node.rows; ++i) {
      const double compliance = ws.joints[j].rows.angular[i] ? joint.compliance_angular : joint.compliance_linear;
      ws.row_target[node.offset + i] = (ws.joints_end[j].rows.g[i] - ws.joints[j].rows.g[i]) / h +
                                       2 * compliance / (h * h) * ws.first.lambda[node.offset + i];
    }
    if (joint.has_motor) ws.shaft[j] = MeanRate(ws.joints[j], ws.joints_end[j], h);
  }
  if (inputs.u_end.size() == inputs.u.size()) ws.u.assign(inputs.u_end.begin(), inputs.u_end.end());
  ForceImpulse(model, out.start.time + 0.5 * h, 0.5 * h, {}, ws.impulse);
  in.stage = SpookStage::kVelocity;
  in.poses = ws.poses_end;
  in.joints = ws.joints_end;
  in.v = &ws.v_drift;
  in.u = ws.u;
  SolveStage(spatial, ws.structure, ws.options, in, ws.second);

  out.end.v = ws.second.v;
  out.residual =
      std::max(MlcpResidual(ws.first.problem, ws.first.solution.x, ws.first.solution.z, ws.first.workspace),
               MlcpResidual(ws.second.problem, ws.second.solution.x, ws.second.solution.z, ws.second.workspace));
  if (!settled || !ws.first.solved || !ws.second.solved || !(out.residual <= 1e-8)) out.status = StepStatus::kFailed;
  out.dissipated = StageLoss(model, ws, ws.joints, {}, out.start.v, ws.first, SpookStage::kPosition, h) +
                   StageLoss(model, ws, ws.joints_end, {}, ws.v_drift, ws.second, SpookStage::kVelocity, h);
  out.iterations = ws.first.rounds;
  out.multipliers.resize(ws.first.lambda.size() + ws.first.dry.size());
  out.multipliers.head(ws.first.lambda.size()) = ws.first.lambda + ws.second.lambda;
  out.multipliers.tail(ws.first.dry.size()) = ws.first.dry + ws.second.dry;
  out.modes.assign(ws.first.solution.active.begin(), ws.first.solution.active.end());
  out.modes.insert(out.modes.end(), ws.second.solution.active.begin(), ws.second.solution.active.end());
}

}  // namespace ricochet
