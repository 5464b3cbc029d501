// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction of a joint: an impulse lambda_d along a motion that is bounded by a constant and the joint's own
// multipliers.
//
//     |lambda_d| <= beta,    lambda_d = -sign(r+) beta where r+ = J v+ != 0,    sticking (r+ = 0) within the bound.
//     hinge, universal, ball   beta = dt coulomb + mu (radius |F| + |M|)
//     slider                   beta = dt coulomb + mu (|F| + |M| / radius)      (radius 0: moments do not count)
//
// dt is the time over which the impulse acts; F and M are the multipliers of the joint's linear and angular rows in the
// same step (impulses). `norm: l1` takes sums of absolute values, row by row (Spook F.4 with the axes of the reference:
// F in world axes, M along the two rows), and `norm: euclidean` the Euclidean norm of each group. A bound is written as
// u . lambda with a direction u that depends on the signs (l1) or directions (euclidean) of the multipliers; it is
// exact when u belongs to the solution, which the stepper reaches by iteration (complementarity/mlcp/mlcp.h solves with
// u fixed).
//
// Stribeck (4.1): mu = kinetic + (static - kinetic) exp(-(rate / w)^2) with the rate at the start of the step; the
// paper's coefficient is 1 / w^2.
#pragma once

#include <cmath>

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

/// Whether friction of either kind acts in the joint.
template <class T>
bool HasJointFriction(const SpatialJoint<T>& joint) {
  return joint.has_dry || joint.has_coulomb;
}

/// Coefficient of the part of the bound that depends on the load.
template <class T>
T DryCoefficient(const SpatialJoint<T>& joint, const T& rate) {
  using std::exp;
  if (!joint.has_dry) return T(0);
  if (!joint.has_stribeck) return joint.dry_friction;
  const T ratio = rate / joint.stribeck_rate;
  return joint.dry_friction + (joint.stribeck_static - joint.dry_friction) * exp(-ratio * ratio);
}

/// Direction u of the bound for multipliers `lambda` of the joint's rows; beta = dt coulomb + u . lambda.
template <class T>
Vector6<T> DryBoundDirection(const SpatialJoint<T>& joint, const std::array<bool, 6>& angular, int rows, const T& mu,
                             const Eigen::Ref<const Eigen::Matrix<double, 6, 1>>& lambda) {
  if (!joint.has_dry) return Vector6<T>::Zero();
  T linear_weight = mu * joint.dry_radius, angular_weight = mu;
  if (joint.type == JointType::kSlider) {
    linear_weight = mu;
    angular_weight = joint.dry_radius > 0 ? mu / joint.dry_radius : T(0);
  }
  double linear = 0, moment = 0;
  for (int i = 0; i < rows; ++i) (angular[i] ? moment : linear) += lambda[i] * lambda[i];
  linear = std::sqrt(linear);
  moment = std::sqrt(moment);
  Vector6<T> u = Vector6<T>::Zero();
  for (int i = 0; i < rows; ++i) {
    const T weight = angular[i] ? angular_weight : linear_weight;
    const double norm = angular[i] ? moment : linear;
    if (joint.dry_norm == DryNorm::kL1) {
      u[i] = weight * (lambda[i] < 0 ? -1.0 : 1.0);
    } else if (norm > 0) {
      u[i] = weight * (lambda[i] / norm);
    }
  }
  return u;
}

}  // namespace ricochet
