// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rotation of a free body: q' = q (0, w / 2) with w = I^-1 R^T L in body axes and L, the angular momentum in world
// axes, constant. Closed form for equal moments, else Runge-Kutta of fourth order with steps of at most 0.05 rad.
#pragma once

#include <Eigen/Core>

#include "math/vector.h"

namespace ricochet {

class FreeRotation {
 public:
  /// `inertia` about the center of mass in body axes, up to a factor; `w` in world axes.
  FreeRotation(const Eigen::Matrix3d& inertia, const Quaternion<double>& q, const Eigen::Vector3d& w);

  /// Turns q, a rotation of this motion, on by dt [s].
  void Turn(double dt, Quaternion<double>& q) const;

  /// Angular velocity in world axes.
  Eigen::Vector3d AngularVelocity(const Quaternion<double>& q) const;

 private:
  Quaternion<double> Rate(const Quaternion<double>& q) const;

  Eigen::Matrix3d inverse_;
  Eigen::Vector3d momentum_, w_;
  bool isotropic_;
};

/// Rotation and angular velocity (world axes) after dt [s].
void PropagateRotation(const Eigen::Matrix3d& inertia, double dt, Quaternion<double>& rotation,
                       Eigen::Vector3d& angular_velocity);

}  // namespace ricochet
