// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The two points keep a distance: one row.
//
//     g = |d| - length,     d/dt g = n . (v_C + w_C x r_C - v_P - w_P x r_P),     n = d / |d|.
//
// The multiplier is the impulse on the child along n (positive: the rod pushes). n does not
// exist for d = 0; a positive length keeps away from it.
#pragma once

#include <cmath>

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

template <class T>
void AppendDistancePart(const JointFrames<T>& frames, const T& length, ConstraintRows<T>& rows) {
  using std::sqrt;
  const T distance = sqrt(frames.d.dot(frames.d));
  const Vector3<T> n = frames.d / distance;
  const int row = rows.Append(distance - length, false);
  rows.J_child.row(row) << n.transpose(), frames.child.arm.cross(n).transpose();
  rows.J_parent.row(row) << -n.transpose(), -frames.parent.arm.cross(n).transpose();
}

}  // namespace ricochet
