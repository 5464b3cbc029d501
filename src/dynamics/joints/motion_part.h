// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The directions in which a joint can move, with coordinate and rate. Friction, motor, drive and limits act on them.
//
//     hinge      angle between `zero` of both frames about the parent's axis; rate e . (w_C - w_P), e the child's axis
//     slider     displacement along the parent's axis (line_part.h)
//     universal  rates about the parent's axis and about the child's axis
//     ball       rates about the three world axes; the coordinates are not defined
//
// The hinge's angle is atan2(third_P . zero_C, zero_P . zero_C), in (-pi, pi]; CountTurns (joint_angle.h) makes it
// continuous. Rows of viscous, motor and dry friction use the child's axis at the start of the step; the parent's is
// the same up to the compliance (6e-9 in the reference steps of the Furuta pendulum).
#pragma once

#include <cmath>

#include "dynamics/joints/constraint_rows.h"
#include "dynamics/joints/line_part.h"

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

template <class T>
JointMotions<T> MotionsOf(JointType type, const JointFrames<T>& frames) {
  JointMotions<T> out;
  switch (type) {
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
      out.AppendRotation(T(0), frames.parent.axis);
      out.AppendRotation(T(0), frames.child.axis);
      break;
    case JointType::kBall:
      for (int i = 0; i < 3; ++i) out.AppendRotation(T(0), Vector3<T>::Unit(i));
      break;
    case JointType::kDistance:
    case JointType::kFixed:
      break;
  }
  return out;
}

}  // namespace ricochet
