// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every part of a joint is written in: the two attachment frames in the world, and rows of a constraint.
//
// A joint ties a parent P (a body or the world) to a child C. Each side has a frame fixed in it: a point, an axis, a
// direction `zero` normal to the axis, and their cross product `third` = axis x zero. A row is a function g of the two
// poses with its rate
//
//     d/dt g = J_parent (v_P, w_P) + J_child (v_C, w_C),
//
// velocities of the centers of mass and angular velocities in world axes, linear first. The transposed rows take a
// multiplier (impulse) to the wrench on each body at its center of mass.
//
// All is templated on the scalar. With Jets on the increments of the poses (world side) the parts give the derivatives
// of g, of J v and of J^T lambda that derivatives of steps and of inverse dynamics need; nothing is derived twice.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>

#include "math/vector.h"
#include "model/spatial_model.h"

namespace ricochet {

/// Pose of a body's center of mass with the body's axes.
template <class T>
struct MassPose {
  Vector3<T> p = Vector3<T>::Zero();      // p_WBcm [m]
  Matrix3<T> R = Matrix3<T>::Identity();  // R_WB
};

/// One side of a joint, in world axes.
template <class T>
struct AttachedFrame {
  Vector3<T> point;  // [m]
  Vector3<T> arm;    // from the body's center of mass to the point [m]
  Vector3<T> axis, zero, third;
};

template <class T>
struct JointFrames {
  AttachedFrame<T> parent, child;
  Vector3<T> d;  // from the parent's point to the child's [m]
};

template <class T>
AttachedFrame<T> AttachFrame(const SpatialJointFrame<T>& frame, const Vector3<T>& p_BBcm, const MassPose<T>& pose) {
  AttachedFrame<T> out;
  out.arm = pose.R * (frame.point - p_BBcm);
  out.point = pose.p + out.arm;
  out.axis = pose.R * frame.axis;
  out.zero = pose.R * frame.zero;
  out.third = out.axis.cross(out.zero);
  return out;
}

/// Up to six rows. `angular` selects the joint's compliance for a row.
template <class T>
struct ConstraintRows {
  int count = 0;
  Vector6<T> g = Vector6<T>::Zero();
  Eigen::Matrix<T, 6, 6> J_parent = Eigen::Matrix<T, 6, 6>::Zero();
  Eigen::Matrix<T, 6, 6> J_child = Eigen::Matrix<T, 6, 6>::Zero();
  std::array<bool, 6> angular{};

  /// Appends an empty row and returns its number.
  int Append(const T& value, bool is_angular) {
    g[count] = value;
    angular[count] = is_angular;
    return count++;
  }
};

/// One direction in which a joint can move: its coordinate and the row of its rate.
template <class T>
struct JointMotion {
  T coordinate = T(0);  // angle [rad] or displacement [m]
  bool angular = true;
  Vector6<T> J_parent = Vector6<T>::Zero();
  Vector6<T> J_child = Vector6<T>::Zero();
};

}  // namespace ricochet
