// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The jump of the velocity in one impact, from the free flights on both sides of it.
//
// Position and rotation do not jump, so the two flights share the pose at an instant t that lies between the last frame
// of one and the first frame of the other:
//
//   before   p(s) = p + v^- s + g s^2 / 2,   R(s) = torque-free motion from (R, w^-),    s = t_i - t < 0
//   after    p(s) = p + v^+ s + g s^2 / 2,   R(s) = torque-free motion from (R, w^+),    s > 0
//
// 19 unknowns (p, R, v^-, w^-, v^+, w^+, t) by least squares (optimize/least_squares.h) on all frames of both flights,
// weights 1 / noise^2. What separate flights leave free, a common pose ties together: the velocities are two to three
// times better known than those of two separate arcs of the same few frames, and the covariance, with t and p unknown,
// describes their errors.
//
// A recorded impact takes time; t is then the middle of its impulse. A step of Moreau's scheme changes the velocity at
// its midpoint, where t ends up for simulated recordings.
#pragma once

#include <Eigen/Core>

#include "dataset/flight_arc.h"

namespace ricochet {

using Vector15 = Eigen::Matrix<double, 15, 1>;
using Matrix15 = Eigen::Matrix<double, 15, 15>;

struct ImpactJump {
  double time = 0;                                     // t [s]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // of the center of mass at t
  Quaternion<double> rotation = {1, 0, 0, 0};          // R_WB at t
  Vector6<double> before = Vector6<double>::Zero();    // velocity of the center of mass and angular velocity, world
  Vector6<double> after = Vector6<double>::Zero();     // likewise
  /// Of (rotation increment in world axes, before, after), enlarged where the flights scatter more than the noise.
  Matrix15 covariance = Matrix15::Zero();
  Matrix15 root = Matrix15::Zero();  // root root^T = covariance: its principal axes times their standard deviations
  double chi2 = 0;
  int dof = 0;
  bool found = false;  // false: the flights do not meet, or too few frames
};

/// Frames [first, end) of flight before and [begin, last) after the impact, outliers left out.
ImpactJump FitImpactJump(const SpatialTrack& track, const FlightBody& body, const Eigen::Vector3d& gravity, int first,
                         int end, int begin, int last);

}  // namespace ricochet
