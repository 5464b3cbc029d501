// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Displacement of the child's point along a direction u that is fixed in the parent.
//
//     g = u . d,   d = p_C - p_P,
//     d/dt g = u . (v_C + w_C x r_C - v_P - w_P x r_P) + (w_P x u) . d
//            = u . v_C + w_C . (r_C x u) - u . v_P - w_P . ((r_P + d) x u).
//
// Two such rows (u = zero, third) keep the point on the parent's axis: a slider. The motion left over is the same
// expression with u = axis. The multiplier is the impulse on the child along u.
#pragma once

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

template <class T>
void LineRow(const JointFrames<T>& frames, const Vector3<T>& u, Vector6<T>& J_parent, Vector6<T>& J_child) {
  J_child << u, frames.child.arm.cross(u);
  J_parent << -u, -(frames.parent.arm + frames.d).cross(u);
}

template <class T>
void AppendLinePart(const JointFrames<T>& frames, ConstraintRows<T>& rows) {
  for (const Vector3<T>* u : {&frames.parent.zero, &frames.parent.third}) {
    const int row = rows.Append(u->dot(frames.d), false);
    Vector6<T> J_parent, J_child;
    LineRow<T>(frames, *u, J_parent, J_child);
    rows.J_parent.row(row) = J_parent.transpose();
    rows.J_child.row(row) = J_child.transpose();
  }
}

}  // namespace ricochet
