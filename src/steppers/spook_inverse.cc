// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook_inverse.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "math/manifold.h"
#include "steppers/spook_inverse_parts.h"

namespace ricochet {

namespace {

/// A direction in which friction sticks: its wrench on up to two bodies, and the bound.
struct Sticking {
  int body_a = -1, body_b = -1;
  Vector6<double> row_a, row_b;
  int dry = -1;                      // dry joint, or
  int unilateral = -1, tangent = 0;  // contact and tangent 1 or 2
  double bound = 0;
  Eigen::Vector2d edge = Eigen::Vector2d::Zero();  // contact that slides across an edge of the friction polygon: the
                                                   // impulse moves along it, in [0, bound]; else zero
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
  Eigen::VectorXd s = (B * MiBt).completeOrthogonalDecomposition().solve(MiBt.transpose() * out.residual);
  for (int k = 0; k < n; ++k) {
    const Sticking& at = sticking[k];
    if (!at.edge.isZero()) {
      const double value = std::clamp(s[k], 0.0, at.bound);
      out.residual -= value * B.row(k).transpose();
      out.unilateral_impulse[at.unilateral].tail<2>() += value * at.edge;
      continue;
    }
    double limit = at.bound;
    if (at.unilateral >= 0) {
      // The two tangents of a contact share a bound.
      const int other = at.tangent == 1 ? k + 1 : k - 1;
      const double size = std::hypot(s[k], s[other]);
      limit = size > at.bound ? at.bound * std::abs(s[k]) / size : std::abs(s[k]);
    }
    const double value = std::clamp(s[k], -limit, limit);
    out.residual -= value * B.row(k).transpose();
    if (at.dry >= 0) {
      out.dry[at.dry] = value;
    } else {
      out.unilateral_impulse[at.unilateral][at.tangent] = value;
    }
  }
}

/// The corner of the friction polygon that opposes the slip most, and the edge to its neighbour that opposes it as much
/// (zero if none does): a slip normal to an edge leaves the impulse open along it.
struct Opposing {
  Eigen::Vector2d corner = Eigen::Vector2d::Zero(), edge = Eigen::Vector2d::Zero();
};
Opposing OpposingCorner(const Eigen::Vector2d& slip, int directions, double stick_speed) {
  const auto direction = [&](int i) {
    return Eigen::Vector2d(std::cos(2 * M_PI * i / directions), std::sin(2 * M_PI * i / directions));
  };
  int best = 0;
  for (int i = 1; i < directions; ++i) {
    if (direction(i).dot(slip) < direction(best).dot(slip)) best = i;
  }
  Opposing out{.corner = direction(best)};
  for (const int next : {best + 1, best + directions - 1}) {
    const Eigen::Vector2d edge = direction(next % directions) - out.corner;
    if (edge.dot(slip) <= stick_speed) out.edge = edge;
  }
  return out;
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
      sticking.push_back(
          {joint.parent, joint.child, motion.J_parent, motion.J_child, node.dry, -1, 0, at.bound, {0, 0}});
    }
  }

  for (size_t k = 0; k < out.unilateral.size(); ++k) {
    const SpookUnilateral& row = out.unilateral[k];
    const Eigen::Vector3d before = row.RateOf(start.v), after = row.RateOf(v_end);
    const auto law = UnilateralRow<double>(h, row.compliance, row.damping, row.gap, before[0]);
    Eigen::Vector3d& impulse = out.unilateral_impulse[k];
    impulse[0] = law.sigma > 0 ? std::max(0.0, (law.target - after[0]) / law.sigma) : 0.0;
    const bool sticks = after.tail<2>().norm() <= options.stick_speed;
    Opposing opposing;
    if (row.friction > 0 && impulse[0] > 0 && !sticks) {
      opposing = OpposingCorner(Eigen::Vector2d(after.tail<2>()), ws.options.directions, options.stick_speed);
      impulse.tail<2>() = row.friction * impulse[0] * opposing.corner;
    }
    apply(row.body_a, row.rows_a * impulse);
    apply(row.body_b, row.rows_b * impulse);
    if (!opposing.edge.isZero()) {
      sticking.push_back({row.body_a, row.body_b, row.rows_a.rightCols<2>() * opposing.edge,
                          row.rows_b.rightCols<2>() * opposing.edge, -1, static_cast<int>(k), 0,
                          row.friction * impulse[0], opposing.edge});
    }
    if (row.friction > 0 && impulse[0] > 0 && sticks) {
      for (int t : {1, 2}) {
        sticking.push_back({row.body_a,
                            row.body_b,
                            row.rows_a.col(t),
                            row.rows_b.col(t),
                            -1,
                            static_cast<int>(k),
                            t,
                            row.friction * impulse[0],
                            {0, 0}});
      }
    }
  }
  ResolveSticking(model, ws, sticking, out);
}

}  // namespace ricochet
