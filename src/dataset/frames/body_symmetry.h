// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Turns of a body about its center of mass that change nothing: every corner comes to lie on a corner, and the inertia
// stays. No recorded motion can distinguish them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/convex_hull.h"
#include "math/vector.h"

namespace ricochet {

/// A body with flat faces.
struct FacedBody {
  std::vector<Eigen::Vector3d> corners;                      // [m]
  std::vector<HullFace> faces;                               // of the hull of the corners
  Eigen::Vector3d center_of_mass = Eigen::Vector3d::Zero();  // [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();         // about it, up to a factor; 0: not known
};

/// Rotations that take one pair of directions to another, for every pair of faces (a, b) whose normals enclose the same
/// angle as u and v: R u = a, R v nearly b. `tolerance` in radians.
std::vector<Quaternion<double>> RotationsToFaces(const FacedBody& body, const Eigen::Vector3d& u,
                                                 const Eigen::Vector3d& v, double tolerance);

/// All of them, the identity first. `tolerance` is that of corners [m].
std::vector<Quaternion<double>> SymmetriesOf(const FacedBody& body, double tolerance);

}  // namespace ricochet
