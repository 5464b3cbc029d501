// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_inverse.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "math/dense.h"
#include "math/manifold.h"
#include "steppers/spook/spook_inverse_parts.h"

namespace ricochet {

namespace {

/// A direction in which friction sticks: its wrench on up to two bodies, and the bound.
struct Sticking {
  int body_a = -1, body_b = -1;
  Vector6<double> row_a, row_b;
  int dry = -1;  // dry joint
  double bound = 0;
};

/// Least dp in the metric of M^-1: (B M^-1 B^T) s = B M^-1 dp, then each cut off at its bound.
void ResolveSticking(const Model& model, const SpookWorkspace& ws, std::vector<Sticking>& sticking, SpookInverse& out) {
  const int n = static_cast<int>(sticking.size());
  if (n == 0) return;
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(n, out.residual.size());
  Eigen::MatrixXd MiBt(out.residual.size(), n);
  for (int k = 0; k < n; ++k) {
    const auto add = [&](int body, const Vector6<double>& row) {
      if (body >= 0 && ws.structure.node_of_body[body] >= 0) B.row(k).segment<6>(6 * body) += row.transpose();
    };
    add(sticking[k].body_a, sticking[k].row_a);
    add(sticking[k].body_b, sticking[k].row_b);
  }
  for (size_t i = 0; i < model.spatial.bodies.size(); ++i) {
    if (model.spatial.bodies[i].fixed) {
      MiBt.middleRows<6>(6 * i).setZero();
      continue;
    }
    const auto M = MassMatrix(model.spatial.bodies[i], ws.poses[i].R);
    MiBt.middleRows<6>(6 * i) = M.llt().solve(B.middleCols<6>(6 * i).transpose());
  }
  const Eigen::VectorXd s = SolveLeastNormVector(B * MiBt, MiBt.transpose() * out.residual);
  for (int k = 0; k < n; ++k) {
    const double value = std::clamp(s[k], -sticking[k].bound, sticking[k].bound);
    out.residual -= value * B.row(k).transpose();
    out.dry[sticking[k].dry] = value;
  }
}

}  // namespace

Eigen::VectorXd VelocityBetween(const Model& model, const State& start, const State& end, double h) {
  Eigen::VectorXd v(start.v.size());
  for (int i = 0; i < model.body_count(); ++i) {
    const SpatialPose<double> a = end.q.segment<7>(7 * i), b = start.q.segment<7>(7 * i);
    v.segment<6>(6 * i) = BoxMinus<double>(a, b) / h;
  }
  return v;
}

void InvertSpookStep(const Model& model, const State& start, const Eigen::VectorXd& v_end, const StepInputs& inputs,
                     double h, const SpookInverseOptions& options, SpookWorkspace& ws, SpookInverse& out) {
  const SpatialModel<double>& spatial = model.spatial;
  EvaluateState(model, start, ws.poses, ws.joints);
  CollectUnilateral(model, ws.options, h, start.v, ws);
  out.unilateral = ws.unilateral;
  out.unilateral_impulse.assign(out.unilateral.size(), Eigen::Vector3d::Zero());
  const double impact_speed = ws.options.impact_speed > 0 ? ws.options.impact_speed : 2 * spatial.gravity.norm() * h;
  out.had_impact = false;
  for (const SpookUnilateral& row : out.unilateral) {
    const double rate = row.RateOf(start.v)[0];
    out.had_impact = out.had_impact || (row.gap + std::min(0.0, h * rate) <= 0 && rate < -impact_speed);
  }

  ForceImpulse(model, start.time, h, inputs.fired, ws.impulse);
  out.residual.setZero(start.v.size());
  for (size_t i = 0; i < spatial.bodies.size(); ++i) {
    if (spatial.bodies[i].fixed) continue;
    const auto R = ws.poses[i].R;
    out.residual.segment<6>(6 * i) =
        MassMatrix(spatial.bodies[i], R) * (v_end.segment<6>(6 * i) - start.v.segment<6>(6 * i)) -
        ws.impulse.segment<6>(6 * i) - GyroscopicImpulse(spatial.bodies[i], R, start.v.segment<3>(6 * i + 3), h);
    const auto air = AirImpulseOf<double>(SpookStage::kStep, h, spatial.bodies[i], start.v.segment<3>(6 * i));
    out.residual.segment<3>(6 * i) += air.D * v_end.segment<3>(6 * i) - air.s;
  }
  const auto apply = [&](int body, const Vector6<double>& wrench) {
    if (body >= 0 && !spatial.bodies[body].fixed) out.residual.segment<6>(6 * body) -= wrench;
  };

  std::vector<Sticking> sticking;
  out.lambda.setZero(ws.structure.multiplier_count);
  out.dry.setZero(static_cast<Eigen::Index>(ws.structure.dry_joints.size()));
  out.dry_mode.assign(ws.structure.dry_joints.size(), 0);
  for (size_t j = 0; j < spatial.joints.size(); ++j) {
    const SpatialJoint<double>& joint = spatial.joints[j];
    const auto& node = ws.structure.joints[j];
    const SpookJoint& evaluated = ws.joints[j];
    for (int i = 0; i < node.rows; ++i) {
      const bool angular = evaluated.rows.angular[i];
      if ((angular ? joint.compliance_angular : joint.compliance_linear) > 0) continue;
      throw InputError(model.scene->joints[j].where, fmt::format("joints.{}.compliance", model.scene->joints[j].name),
                       "inverse dynamics needs a compliance above 0 in every joint.",
                       "Give `compliance: {linear: 1.0e-8, angular: 1.0e-8}`.");
    }
    int mode = 0;
    if (node.dry >= 0) {
      const double slip = MotionRate(joint, evaluated.motions.motion[0], v_end);
      mode = std::abs(slip) <= options.stick_speed ? 0 : slip > 0 ? 1 : -1;
      out.dry_mode[node.dry] = mode;
    }
    const auto at =
        InverseJoint<double>(h, spatial, joint, ParentPose(ws.poses, joint.parent), ws.poses[joint.child],
                             SixOf(start.v, joint.parent), SixOf(start.v, joint.child), SixOf(v_end, joint.parent),
                             SixOf(v_end, joint.child), MotorInput(joint, inputs), mode, 0);
    apply(joint.parent, at.parent);
    apply(joint.child, at.child);
    out.lambda.segment(node.offset, node.rows) = at.lambda.head(node.rows);
    if (node.dry < 0) continue;
    if (mode != 0) {
      out.dry[node.dry] = at.dry;
    } else {
      const JointMotion<double>& motion = evaluated.motions.motion[0];
      sticking.push_back({joint.parent, joint.child, motion.J_parent, motion.J_child, node.dry, at.bound});
    }
  }

  for (size_t k = 0; k < out.unilateral.size(); ++k) {
    const SpookUnilateral& row = out.unilateral[k];
    const Eigen::Vector3d before = row.RateOf(start.v), after = row.RateOf(v_end);
    const auto law = UnilateralRow<double>(h, row.compliance, row.damping, row.gap, before[0]);
    Eigen::Vector3d& impulse = out.unilateral_impulse[k];
    impulse[0] = law.sigma > 0 ? std::max(0.0, (law.target - after[0]) / law.sigma) : 0.0;
    if (row.friction > 0 && impulse[0] > 0) {
      impulse.tail<2>() = PolygonImpulse<double>(after.tail<2>(), TangentialSigma(law.sigma), row.friction * impulse[0],
                                                 ws.options.directions);
    }
    apply(row.body_a, row.rows_a * impulse);
    apply(row.body_b, row.rows_b * impulse);
  }
  ResolveSticking(model, ws, sticking, out);
}

}  // namespace ricochet
