// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The equations of a stage (spook_system.h) at given unknowns, body by body and joint by joint, on any scalar. Zero at
// the solution; run on Jets they give the right sides of derivatives.
//
//     momentum of a body    M (v+ - v) - impulse - gyroscopic impulse - impulse of drag - sum of J^T lambda
//     rows of a joint       J v+ + Sigma lambda - target
//     dry friction          slip = r+ (the row +-r+ + sigma without sigma), bound = beta(lambda)
//     one-sided row         w of (2.21) or of the impulse stage, and slips along its tangents
#pragma once

#include "dynamics/joints/dry_friction_part.h"
#include "dynamics/joints/joint.h"
#include "dynamics/joints/limit_part.h"
#include "dynamics/joints/resistance_part.h"
#include "steppers/spook/spook_system.h"

namespace ricochet {

/// Gyroscopic impulse acts in the paper's step only; order 2 has it in the drift.
template <class T>
Vector6<T> MomentumResidual(SpookStage stage, double h, const SpatialBody<T>& body, const Matrix3<T>& R,
                            const Vector6<T>& v, const Vector6<double>& v_out) {
  const Vector6<T> dv = v_out.template cast<T>() - v;
  const Vector3<T> w = v.template tail<3>();
  const auto turn = [&](const Vector3<T>& x) { return Vector3<T>(R * (body.I_BBcm_B * (R.transpose() * x))); };
  Vector6<T> out;
  out << body.mass * dv.template head<3>(), turn(dv.template tail<3>());
  if (stage == SpookStage::kStep) out.template tail<3>() += h * w.cross(turn(w));
  if (body.has_drag) {
    const AirImpulse<T> air = AirImpulseOf<T>(stage, h, body, v.template head<3>());
    out.template head<3>() += air.D * v_out.template head<3>().template cast<T>() - air.s;
  }
  return out;
}

template <class T>
struct JointResidual {
  Vector6<T> parent = Vector6<T>::Zero(), child = Vector6<T>::Zero();  // momentum
  Vector6<T> rows = Vector6<T>::Zero();
  T slip = T(0), bound = T(0);
};

/// What a joint's equations are evaluated with.
struct JointUnknowns {
  Vector6<double> v_parent = Vector6<double>::Zero(), v_child = Vector6<double>::Zero();  // after the stage
  Vector6<double> lambda = Vector6<double>::Zero();
  double dry = 0;
  Vector6<double> target = Vector6<double>::Zero();  // kPosition, kVelocity
  double shaft = 0;                                  // kPosition, kVelocity: as SpookStageInput::shaft
  double u = 0;
};

template <class T>
JointResidual<T> EvaluateJointResidual(SpookStage stage, double h, const SpatialModel<T>& model,
                                       const SpatialJoint<T>& joint, const MassPose<T>& parent,
                                       const MassPose<T>& child, const Vector6<T>& v_parent, const Vector6<T>& v_child,
                                       const JointUnknowns& at) {
  const JointFrames<T> frames = FramesOf<T>(model, joint, parent, child);
  const ConstraintRows<T> rows = RowsOf<T>(joint, frames);
  const JointMotions<T> motions = MotionsOf<T>(joint, frames);
  const Vector6<T> vp = at.v_parent.template cast<T>(), vc = at.v_child.template cast<T>();
  const Vector6<T> lambda = at.lambda.template cast<T>();
  JointResidual<T> out;
  out.parent = -rows.J_parent.transpose() * lambda;
  out.child = -rows.J_child.transpose() * lambda;

  const bool paper = stage == SpookStage::kStep || stage == SpookStage::kImpact;
  const Vector6<T> rate = rows.J_parent * v_parent + rows.J_child * v_child;
  out.rows = rows.J_parent * vp + rows.J_child * vc;
  for (int i = 0; i < rows.count; ++i) {
    const T compliance = rows.angular[i] ? joint.compliance_angular : joint.compliance_linear;
    if (paper) {
      const RowLaw<T> law = SpookRow<T>(stage, h, compliance, joint.damping, rows.g[i], rate[i]);
      out.rows[i] += law.sigma * lambda[i] - law.target;
    } else {
      out.rows[i] += (2.0 / (h * h)) * compliance * lambda[i] - at.target[i];
    }
  }

  const double dt = ResistanceTime(stage, h);
  const ResistanceScheme scheme = stage == SpookStage::kPosition   ? ResistanceScheme::kExplicit
                                  : stage == SpookStage::kVelocity ? ResistanceScheme::kImplicitRate
                                                                   : ResistanceScheme::kImplicit;
  for (int m = 0; m < motions.count; ++m) {
    const JointMotion<T>& motion = motions.motion[m];
    const T before = motion.J_parent.dot(v_parent) + motion.J_child.dot(v_child);
    const T after = motion.J_parent.dot(vp) + motion.J_child.dot(vc);
    T shaft = before;
    if (stage == SpookStage::kVelocity && m == 0) shaft = T(at.shaft);
    if (stage == SpookStage::kPosition && m == 0) shaft -= at.shaft;
    const Resistance<T> resistance = ResistanceOf<T>(joint, m, motion.coordinate, before, shaft, at.u, dt, scheme);
    T impulse = resistance.s - resistance.D * after;
    if (m == 0 && HasJointFriction(joint) && stage != SpookStage::kImpact) {
      impulse += at.dry;
      out.slip = after;
      const T mu = DryCoefficient<T>(joint, before);
      out.bound = dt * joint.coulomb + DryBoundDirection<T>(joint, rows.angular, rows.count, mu, at.lambda).dot(lambda);
    }
    out.parent -= motion.J_parent * impulse;
    out.child -= motion.J_child * impulse;
  }
  return out;
}

/// A one-sided row on any scalar: geometry and law. Wrench rows as in SpookUnilateral.
template <class T>
struct UnilateralGeometry {
  T gap = T(0), friction = T(0), restitution = T(0), compliance = T(0), damping = T(0);
  Eigen::Matrix<T, 6, 3> rows_a = Eigen::Matrix<T, 6, 3>::Zero(), rows_b = Eigen::Matrix<T, 6, 3>::Zero();
  Vector3<T> bias = Vector3<T>::Zero();
};

template <class T>
UnilateralGeometry<T> LimitGeometry(const SpatialModel<T>& model, const SpookUnilateral& row, const MassPose<T>& child,
                                    const MassPose<T>& parent) {
  const SpatialJoint<T>& joint = model.joints[row.joint];
  const JointMotion<T> motion =
      LimitedMotionsOf<T>(joint, FramesOf<T>(model, joint, parent, child)).motion[row.limit_motion];
  UnilateralGeometry<T> out;
  out.gap = LimitGap<T>(joint, row.limit_motion, motion.coordinate, row.limit_sign);
  out.restitution = T(row.restitution);
  out.compliance = LimitCompliance<T>(joint);
  out.damping = joint.damping;
  out.rows_a.col(0) = row.limit_sign * motion.J_child;
  out.rows_b.col(0) = row.limit_sign * motion.J_parent;
  return out;
}

template <class T>
struct UnilateralResidual {
  Vector6<T> a = Vector6<T>::Zero(), b = Vector6<T>::Zero();  // momentum
  T normal = T(0);                                            // w of the normal row
  T slip_x = T(0), slip_y = T(0);
  T bound = T(0);  // friction times normal impulse
};

/// `impulse` is the row's (normal, tangents); `impact_speed` decides on restitution as in the stage.
template <class T>
UnilateralResidual<T> EvaluateUnilateralResidual(SpookStage stage, double h, const UnilateralGeometry<T>& row,
                                                 const Vector6<T>& v_a, const Vector6<T>& v_b,
                                                 const Vector6<double>& out_a, const Vector6<double>& out_b,
                                                 const Eigen::Vector3d& impulse, double impact_speed) {
  UnilateralResidual<T> out;
  const Vector3<T> p = impulse.template cast<T>();
  out.a = -row.rows_a * p;
  out.b = -row.rows_b * p;
  const Vector3<T> before = row.rows_a.transpose() * v_a + row.rows_b.transpose() * v_b - row.bias;
  const Vector3<T> after =
      row.rows_a.transpose() * out_a.template cast<T>() + row.rows_b.transpose() * out_b.template cast<T>() - row.bias;
  const RowLaw<T> law = UnilateralRow<T>(h, row.compliance, row.damping, row.gap, before[0]);
  if (stage == SpookStage::kImpact) {
    const T e = before[0] < -impact_speed ? row.restitution : T(0);
    out.normal = after[0] + law.sigma * p[0] + e * before[0];
  } else {
    out.normal = after[0] + law.sigma * p[0] - law.target;
  }
  out.slip_x = after[1] + TangentialSigma<T>(law.sigma) * p[1];
  out.slip_y = after[2] + TangentialSigma<T>(law.sigma) * p[2];
  out.bound = row.friction * p[0];
  return out;
}

}  // namespace ricochet
