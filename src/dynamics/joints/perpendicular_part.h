// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A direction fixed in the parent stays normal to one fixed in the child: one row.
//
//     g = a . b,     d/dt g = (w_C - w_P) . (b x a),     a fixed in P, b in C, both in world axes.
//
// The multiplier is an angular impulse along b x a. The hinge of Spook F.1 has two such rows, the parent's axis against
// two directions of the child normal to its axis; three rows fix the orientation; the universal joint has one.
//
// g is the cosine of the angle between a and b: the row is satisfied by b and by -b, and its rate vanishes when they
// are parallel. It is meant for configurations near the right one.
#pragma once

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

template <class T>
void AppendPerpendicularPart(const Vector3<T>& a, const Vector3<T>& b, ConstraintRows<T>& rows) {
  const int row = rows.Append(a.dot(b), true);
  const Vector3<T> n = b.cross(a);
  rows.J_child.row(row).template tail<3>() = n.transpose();
  rows.J_parent.row(row).template tail<3>() = -n.transpose();
}

/// The axes of both frames coincide: parent's axis normal to `zero` and `third` of the child.
template <class T>
void AppendAxisPart(const JointFrames<T>& frames, ConstraintRows<T>& rows) {
  AppendPerpendicularPart<T>(frames.parent.axis, frames.child.zero, rows);
  AppendPerpendicularPart<T>(frames.parent.axis, frames.child.third, rows);
}

/// Both frames have the same orientation.
template <class T>
void AppendOrientationPart(const JointFrames<T>& frames, ConstraintRows<T>& rows) {
  AppendAxisPart(frames, rows);
  AppendPerpendicularPart<T>(frames.parent.third, frames.child.zero, rows);
}

}  // namespace ricochet
