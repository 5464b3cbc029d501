// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Viscous friction, motor with shaft inertia, and drive: impulses that are linear in the rate at the end of a stage.
//
// With r = J v the rate before and r+ = J v+ after (the same row J), Spook (F.2), (F.3) as corrected (docs/theory/spook.md)
// and a spring-damper drive give the impulse along the motion
//
//     viscous    lambda_b = -b dt r+
//     motor      lambda_m = J_shaft (r - r+) + dt K u
//     drive      lambda_d = dt (k (target - x - dt r+) + d (rate - r+))
//     sum        lambda   = s - D r+,     D = dt b + J_shaft + dt d + dt^2 k,
//                                         s = J_shaft r + dt K u + dt k (target - x) + dt d rate.
//
// The paper gives each a multiplier and a regularized row, Sigma = 1 / (b h). Putting D J^T J into the mass matrix is
// the same equation and is also defined for b = 0, where an estimator may well arrive. The second-order scheme needs an
// explicit first half (r in place of r+, D = J_shaft) and a second half in which the coordinate is known.
#pragma once

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

enum class ResistanceScheme {
  kImplicit,      // as above
  kExplicit,      // viscous and drive from the rate and coordinate before
  kImplicitRate,  // viscous and damper from the rate after, spring from the coordinate given
};

template <class T>
struct Resistance {
  T D = T(0);  // [N m s^2] or [kg]
  T s = T(0);  // [N m s] or [N s]
};

/// Of one motion of the joint (its number). `shaft_rate` is the rate of the motor's shaft before (the rate itself but
/// in the second-order scheme).
template <class T>
Resistance<T> ResistanceOf(const SpatialJoint<T>& joint, int motion, const T& coordinate, const T& rate,
                           const T& shaft_rate, double u, double dt, ResistanceScheme scheme) {
  const bool implicit = scheme != ResistanceScheme::kExplicit;
  Resistance<T> out;
  T damping = joint.viscous;
  if (joint.has_drive) {
    damping += joint.drive_damping;
    // A ball's coordinates are measured from where its drive pulls.
    const T zero(0);
    const T& target = motion < 2 ? joint.drive_target[motion] : zero;
    const T& drive_rate = motion < 2 ? joint.drive_rate[motion] : zero;
    out.s += dt * (joint.drive_stiffness * (target - coordinate) + joint.drive_damping * drive_rate);
    if (scheme == ResistanceScheme::kImplicit) out.D += (dt * dt) * joint.drive_stiffness;
  }
  if (implicit) {
    out.D += dt * damping;
  } else {
    out.s -= dt * damping * rate;
  }
  if (joint.has_motor) {
    out.D += joint.motor_shaft_inertia;
    out.s += joint.motor_shaft_inertia * shaft_rate + (dt * u) * joint.motor_gain;
  }
  return out;
}

/// True when the joint type has motions on which such impulses act.
inline bool HasResistance(JointType type) { return type != JointType::kFixed; }

}  // namespace ricochet
