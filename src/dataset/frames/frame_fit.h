// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Pose of the tracked frame F in a body with flat faces, and the surface that it was thrown on, from the evidence of
// several tosses (frame_evidence.h).
//
// Unknowns: R_BF, the arm b (p_BF = p_BBcm + R_BF b), height of the surface along its normal, and two angles of the
// normal. Residuals over their noise, with n the normal and s a point of the surface:
//
//   arm       b - b_flights
//   rest      n . (p_WC + R_WB f d) - n . s, and the two components of n + R_WB f across n, for the face with normal f
//             at the distance d from C that is lowest
//   touch     n . (p_WC + R_WB (corner - p_BBcm)) - n . s for the lowest corner, with Huber's loss
//   turn      residuals of the rotation in flights, as torque-free motion with the inertia that the scene states in the
//             axes R_FB
//
// Start values of R_BF: two rests on faces that are not parallel leave some rotations that take one to the other face;
// rests on one face and its opposite leave a turn about it, of which a grid is tried. Of starts that differ by a
// symmetry of the body only one is followed. Results that explain the evidence equally well are all returned.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/frames/body_symmetry.h"
#include "dataset/frames/frame_evidence.h"
#include "math/vector.h"

namespace ricochet {

/// A plane: point and unit normal.
struct FramePlane {
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
};

struct FrameFit {
  Quaternion<double> rotation = {1, 0, 0, 0};          // R_BF
  Eigen::Vector3d arm = Eigen::Vector3d::Zero();       // b [m]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // p_BF [m]
  FramePlane surface;
  /// Of p_BF [m], a turn of F in the axes of B [rad], height [m] and turn of the normal about x and y of the world
  /// [rad].
  Eigen::Matrix<double, 9, 9> covariance = Eigen::Matrix<double, 9, 9>::Zero();
  double cost = 0;      // sum of squares of the residuals, with the loss
  double residual = 0;  // their root mean square over what the noise explains
  int freedom = 0;
};

/// Fits that explain the evidence within `kEqualCost` of the best one, which comes first; none differ by a symmetry of
/// the body. `start` is the rotation that the scene states, `surface` its plane. Needs at least one rest.
std::vector<FrameFit> FitFrame(const FacedBody& body, const FrameEvidence& evidence, const Quaternion<double>& start,
                               const FramePlane& surface);

inline constexpr double kEqualCost = 16;  // chi^2 by which a wrong choice must be worse to be dismissed

}  // namespace ricochet
