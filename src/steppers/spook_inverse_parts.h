// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a joint does in a step whose end velocity is known, on any scalar (spook_inverse.h).
#pragma once

#include "dynamics/joints/dry_friction_part.h"
#include "dynamics/joints/resistance_part.h"
#include "steppers/spook_residual.h"

namespace ricochet {

template <class T>
struct InverseJointImpulses {
  Vector6<T> parent = Vector6<T>::Zero(), child = Vector6<T>::Zero();  // wrenches of all impulses of the joint
  Vector6<T> lambda = Vector6<T>::Zero();
  T dry = T(0), bound = T(0);
};

/// `mode` -1, +1: dry friction against a slip of that sign; 0: the impulse `held` acts.
template <class T>
InverseJointImpulses<T> InverseJoint(double h, const SpatialModel<T>& model, const SpatialJoint<T>& joint,
                                     const MassPose<T>& parent, const MassPose<T>& child, const Vector6<T>& v_parent,
                                     const Vector6<T>& v_child, const Vector6<T>& end_parent,
                                     const Vector6<T>& end_child, double u, int mode, double held) {
  const JointFrames<T> frames = FramesOf<T>(model, joint, parent, child);
  const ConstraintRows<T> rows = RowsOf<T>(joint, frames);
  const JointMotions<T> motions = MotionsOf<T>(joint.type, frames);
  InverseJointImpulses<T> out;
  const Vector6<T> rate = rows.J_parent * v_parent + rows.J_child * v_child;
  const Vector6<T> end_rate = rows.J_parent * end_parent + rows.J_child * end_child;
  for (int i = 0; i < rows.count; ++i) {
    const T compliance = rows.angular[i] ? joint.compliance_angular : joint.compliance_linear;
    const RowLaw<T> law = SpookRow<T>(SpookStage::kStep, h, compliance, joint.damping, rows.g[i], rate[i]);
    out.lambda[i] = (law.target - end_rate[i]) / law.sigma;
  }
  out.parent = rows.J_parent.transpose() * out.lambda;
  out.child = rows.J_child.transpose() * out.lambda;
  for (int m = 0; m < motions.count; ++m) {
    const JointMotion<T>& motion = motions.motion[m];
    const T before = motion.J_parent.dot(v_parent) + motion.J_child.dot(v_child);
    const T after = motion.J_parent.dot(end_parent) + motion.J_child.dot(end_child);
    const auto resistance =
        ResistanceOf<T>(joint, motion.coordinate, before, before, u, h, ResistanceScheme::kImplicit);
    T impulse = resistance.s - resistance.D * after;
    if (m == 0 && joint.has_dry) {
      const T mu = DryCoefficient<T>(joint, before);
      out.bound = DryBoundDirection<T>(joint, rows.angular, rows.count, mu, ValueOf(out.lambda)).dot(out.lambda);
      out.dry = mode == 0 ? T(held) : T(-mode * out.bound);
      impulse += out.dry;
    }
    out.parent += motion.J_parent * impulse;
    out.child += motion.J_child * impulse;
  }
  return out;
}

/// Six numbers of a body; zero for the world.
inline Vector6<double> SixOf(const Eigen::VectorXd& v, int body) {
  return body < 0 ? Vector6<double>(Vector6<double>::Zero()) : Vector6<double>(v.segment<6>(6 * body));
}

/// The input over the step is its mean, as in the step.
inline double MotorInput(const SpatialJoint<double>& joint, const StepInputs& inputs) {
  if (!joint.has_motor || joint.motor_input >= static_cast<int>(inputs.u.size())) return 0;
  const double u = inputs.u[joint.motor_input];
  return inputs.u_end.size() == inputs.u.size() ? 0.5 * (u + inputs.u_end[joint.motor_input]) : u;
}

}  // namespace ricochet
