// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The child's point coincides with the parent's: three rows in world axes (Spook F.1, first line).
//
//     g = p_C - p_P,     d/dt g = v_C + w_C x r_C - v_P - w_P x r_P,     r the arm from the center of mass.
//
// The multiplier is the impulse on the child at the point.
#pragma once

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

template <class T>
void AppendPointPart(const JointFrames<T>& frames, ConstraintRows<T>& rows) {
  const Vector3<T>& rc = frames.child.arm;
  const Vector3<T>& rp = frames.parent.arm;
  for (int i = 0; i < 3; ++i) {
    const int row = rows.Append(frames.d[i], false);
    const Vector3<T> e = Vector3<T>::Unit(i);
    rows.J_child.row(row) << e.transpose(), rc.cross(e).transpose();
    rows.J_parent.row(row) << -e.transpose(), -rp.cross(e).transpose();
  }
}

}  // namespace ricochet
