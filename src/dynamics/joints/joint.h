// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A joint as the sum of its parts.
//
//     type        rows kept (compliance: L linear, A angular)             motions left
//     hinge       point (3 L), axis (2 A)                                  1 angle
//     slider      orientation (3 A), line (2 L)                            1 displacement
//     ball        point (3 L)                                              3 rates
//     fixed       point (3 L), orientation (3 A)                           none
//     universal   point (3 L), parent's axis normal to child's (1 A)       2 rates
//     distance    distance (1 L), or none if it has limits or a drive      all others, or the distance
//
// Rows are stabilized and regularized by SPOOK with the joint's compliance and damping; viscous, dry, motor, drive and
// limits act on the motions, see the parts.
#pragma once

#include "dynamics/joints/constraint_rows.h"
#include "dynamics/joints/distance_part.h"
#include "dynamics/joints/line_part.h"
#include "dynamics/joints/motion_part.h"
#include "dynamics/joints/perpendicular_part.h"
#include "dynamics/joints/point_part.h"

namespace ricochet {

/// Frames of a joint. `world` stands in for a parent of -1.
template <class T>
JointFrames<T> FramesOf(const SpatialModel<T>& model, const SpatialJoint<T>& joint, const MassPose<T>& parent,
                        const MassPose<T>& child) {
  JointFrames<T> frames;
  const Vector3<T> origin = Vector3<T>::Zero();
  frames.parent =
      AttachFrame<T>(joint.parent_frame, joint.parent < 0 ? origin : model.bodies[joint.parent].p_BBcm, parent);
  frames.child = AttachFrame<T>(joint.child_frame, model.bodies[joint.child].p_BBcm, child);
  frames.d = frames.child.point - frames.parent.point;
  return frames;
}

template <class T>
ConstraintRows<T> RowsOf(const SpatialJoint<T>& joint, const JointFrames<T>& frames) {
  ConstraintRows<T> rows;
  switch (joint.type) {
    case JointType::kHinge:
      AppendPointPart(frames, rows);
      AppendAxisPart(frames, rows);
      break;
    case JointType::kSlider:
      AppendOrientationPart(frames, rows);
      AppendLinePart(frames, rows);
      break;
    case JointType::kBall:
      AppendPointPart(frames, rows);
      break;
    case JointType::kFixed:
      AppendPointPart(frames, rows);
      AppendOrientationPart(frames, rows);
      break;
    case JointType::kUniversal:
      AppendPointPart(frames, rows);
      AppendPerpendicularPart<T>(frames.parent.axis, frames.child.axis, rows);
      break;
    case JointType::kDistance:
      if (joint.has_length) AppendDistancePart(frames, joint.length, rows);
      break;
  }
  return rows;
}

/// Number of rows of RowsOf.
template <class T>
int RowCount(const SpatialJoint<T>& joint) {
  switch (joint.type) {
    case JointType::kHinge:
    case JointType::kSlider:
      return 5;
    case JointType::kBall:
      return 3;
    case JointType::kFixed:
      return 6;
    case JointType::kUniversal:
      return 4;
    case JointType::kDistance:
      return joint.has_length ? 1 : 0;
  }
  return 0;
}

}  // namespace ricochet
