// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a joint does in a step whose end velocity is known, on any scalar (spook_inverse.h).
#pragma once

#include "dynamics/joints/dry_friction_part.h"
#include "dynamics/joints/resistance_part.h"
#include "steppers/spook/spook_residual.h"

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
  const JointMotions<T> motions = MotionsOf<T>(joint, frames);
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
        ResistanceOf<T>(joint, m, motion.coordinate, before, before, u, h, ResistanceScheme::kImplicit);
    T impulse = resistance.s - resistance.D * after;
    if (m == 0 && HasJointFriction(joint)) {
      const T mu = DryCoefficient<T>(joint, before);
      out.bound = h * joint.coulomb +
                  DryBoundDirection<T>(joint, rows.angular, rows.count, mu, ValueOf(out.lambda)).dot(out.lambda);
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

/// Tangential impulse of a contact that slips by `slip`, bound = friction times normal impulse: the forward law
/// slip + sigma_t p against the polygon of `directions` corners d_i,
///
///     p = nearest point to -slip / sigma_t of the polygon with corners bound d_i.
///
/// It is inside where the contact sticks, on an edge or at a corner where it slides; all of it is unique and one-sided
/// derivatives exist.
template <class T>
Eigen::Matrix<T, 2, 1> PolygonImpulse(const Eigen::Matrix<T, 2, 1>& slip, const T& sigma_t, const T& bound,
                                      int directions) {
  using Vector2 = Eigen::Matrix<T, 2, 1>;
  const Vector2 p = slip * (-1.0 / sigma_t);
  // The sector between two corners that the point is in; the nearest point is in it too, by symmetry.
  const double turn = 2 * M_PI / directions;
  const double k = std::floor(std::atan2(ValueOf(p[1]), ValueOf(p[0])) / turn);
  const auto corner = [&](double i) { return Vector2(T(std::cos(turn * i)) * bound, T(std::sin(turn * i)) * bound); };
  const Vector2 first = corner(k), edge = corner(k + 1) - first;
  const Eigen::Vector2d outward(std::cos(turn * (k + 0.5)), std::sin(turn * (k + 0.5)));
  if (outward[0] * p[0] + outward[1] * p[1] <= std::cos(0.5 * turn) * bound) return p;
  if (!(bound > 0.0)) return Vector2(T(0), T(0));
  const T along = edge.dot(Vector2(p - first)) / edge.dot(edge);
  if (along <= 0.0) return first;
  if (along >= 1.0) return Vector2(first + edge);
  return Vector2(first + along * edge);
}

}  // namespace ricochet
