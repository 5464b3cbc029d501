// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The directions in which a joint can move, with coordinate and rate. Friction, motor, drive and limits act on them.
//
//     hinge      angle between `zero` of both frames about the parent's axis; rate e . (w_C - w_P), e the child's axis
//     slider     displacement along the parent's axis (line_part.h)
//     universal  angle of the child's axis from the parent's `zero` about the parent's axis, and of the child's `zero`
//                from minus the parent's axis about the child's axis; rates about these axes
//     ball       rates about the three world axes; with a drive the coordinates are the rotation vector from the
//                parent's frame to the child's in world axes, whose rates these are up to second order
//     distance   distance of the two points, where it is not kept
//
// The hinge's angle is atan2(third_P . zero_C, zero_P . zero_C), in (-pi, pi]; CountTurns (joint_angle.h) makes it
// continuous. Rows of viscous, motor and dry friction use the child's axis at the start of the step; the parent's is
// the same up to the compliance (6e-9 in the reference steps of the Furuta pendulum).
#pragma once

#include <cmath>

#include "dynamics/joints/constraint_rows.h"
#include "dynamics/joints/distance_part.h"
#include "dynamics/joints/line_part.h"
#include "math/so3.h"

namespace ricochet {

template <class T>
struct JointMotions {
  int count = 0;
  std::array<JointMotion<T>, 3> motion;

  void AppendRotation(const T& angle, const Vector3<T>& axis) {
    JointMotion<T>& m = motion[count++];
    m.coordinate = angle;
    m.angular = true;
    m.J_child.template tail<3>() = axis;
    m.J_parent.template tail<3>() = -axis;
  }
};

template <class T>
T HingeAngle(const JointFrames<T>& frames) {
  using std::atan2;
  return atan2(frames.parent.third.dot(frames.child.zero), frames.parent.zero.dot(frames.child.zero));
}

/// Rotation vector that turns the parent's frame into the child's, in world axes.
template <class T>
Vector3<T> FrameTurn(const JointFrames<T>& frames) {
  Matrix3<T> P, C;
  P << frames.parent.zero, frames.parent.third, frames.parent.axis;
  C << frames.child.zero, frames.child.third, frames.child.axis;
  return LogSO3<T>(QuaternionFromMatrix<T>(Matrix3<T>(C * P.transpose())));
}

template <class T>
JointMotions<T> MotionsOf(const SpatialJoint<T>& joint, const JointFrames<T>& frames) {
  using std::atan2;
  JointMotions<T> out;
  switch (joint.type) {
    case JointType::kHinge:
      out.AppendRotation(HingeAngle(frames), frames.child.axis);
      break;
    case JointType::kSlider: {
      JointMotion<T>& m = out.motion[out.count++];
      m.angular = false;
      m.coordinate = frames.parent.axis.dot(frames.d);
      LineRow<T>(frames, frames.parent.axis, m.J_parent, m.J_child);
      break;
    }
    case JointType::kUniversal:
      if (joint.has_drive || joint.has_limits) {
        const AttachedFrame<T>&P = frames.parent, &C = frames.child;
        out.AppendRotation(atan2(P.third.dot(C.axis), P.zero.dot(C.axis)), P.axis);
        out.AppendRotation(atan2(P.axis.cross(C.axis).dot(C.zero), T(-P.axis.dot(C.zero))), C.axis);
      } else {
        out.AppendRotation(T(0), frames.parent.axis);
        out.AppendRotation(T(0), frames.child.axis);
      }
      break;
    case JointType::kBall: {
      const Vector3<T> turn = joint.has_drive ? FrameTurn(frames) : Vector3<T>(Vector3<T>::Zero());
      for (int i = 0; i < 3; ++i) out.AppendRotation(turn[i], Vector3<T>::Unit(i));
      break;
    }
    case JointType::kDistance: {
      // Points that coincide have no direction; nothing acts there.
      const T square = frames.d.dot(frames.d);
      if (joint.has_length || !(square > 0.0)) break;
      ConstraintRows<T> row;
      AppendDistancePart<T>(frames, T(0), row);
      JointMotion<T>& m = out.motion[out.count++];
      m.angular = false;
      m.coordinate = row.g[0];
      m.J_parent = row.J_parent.row(0).transpose();
      m.J_child = row.J_child.row(0).transpose();
      break;
    }
    case JointType::kFixed:
      break;
  }
  return out;
}

}  // namespace ricochet
