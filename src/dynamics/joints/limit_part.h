// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Limits of a joint: one-sided constraints on coordinates x.
//
//     lower   c = x - lower >= 0,  row J          upper   c = upper - x >= 0,  row -J,      d/dt x = J v.
//
//     hinge, slider, universal, distance   the coordinates of motion_part.h
//     ball     swing   angle between the two axes, a_P and a_C:   J = n, n along a_P x a_C; upper limit only (a cone)
//              twist   what is left about the axis once the least turn from a_P to a_C is undone:
//                      atan2(third_P . zero_C - zero_P . third_C, zero_P . zero_C + third_P . third_C),
//                      J = (a_P + a_C) / (1 + a_P . a_C); it is not defined for opposite axes
//
// They have the joint's compliance (linear for slider and distance, angular for others) and damping. The row of the
// swing does not exist for parallel axes, where the limit is not near.
#pragma once

#include "dynamics/joints/motion_part.h"

namespace ricochet {

/// Coordinates that limits are of, with their rows.
template <class T>
JointMotions<T> LimitedMotionsOf(const SpatialJoint<T>& joint, const JointFrames<T>& frames) {
  using std::atan2;
  using std::sqrt;
  if (joint.type != JointType::kBall) return MotionsOf<T>(joint, frames);
  JointMotions<T> out;
  const AttachedFrame<T>&P = frames.parent, &C = frames.child;
  const Vector3<T> across = P.axis.cross(C.axis);
  const T square = across.dot(across), along = P.axis.dot(C.axis);
  if (square > 1e-24) {
    const T sine = sqrt(square);
    out.AppendRotation(atan2(sine, along), Vector3<T>(across / sine));
  } else {
    out.AppendRotation(T(0), Vector3<T>::Zero());
  }
  const T twist = atan2(T(P.third.dot(C.zero) - P.zero.dot(C.third)), T(P.zero.dot(C.zero) + P.third.dot(C.third)));
  out.AppendRotation(twist, Vector3<T>((P.axis + C.axis) / (1.0 + along)));
  return out;
}

/// Gap of the limit of coordinate number `motion`; `sign` is +1 for the lower, -1 for the upper one. Its row is sign J.
template <class T>
T LimitGap(const SpatialJoint<T>& joint, int motion, const T& coordinate, double sign) {
  return sign > 0 ? T(coordinate - joint.lower[motion]) : T(joint.upper[motion] - coordinate);
}

template <class T>
T LimitCompliance(const SpatialJoint<T>& joint) {
  const bool linear = joint.type == JointType::kSlider || joint.type == JointType::kDistance;
  return linear ? joint.compliance_linear : joint.compliance_angular;
}

}  // namespace ricochet
