// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motion of one planar body among lines, computed in steps of microseconds with a contact solve of its own. It shares
// no code with the library, so that recordings made by it test the whole library, `event` included.
//
//   flight     q + v t + a t^2 / 2; the step ends where a point touches, found by bisection
//   impact     Newton's restitution and Coulomb's friction at every closed point at once, by Gauss-Seidel over points
//   contact    velocities from the impulses of one step, at the geometry of its middle; errors are of second order
//
// Impacts slower than 10 um/s do not rebound.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace ricochet::testing {

struct MicroSurface {
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  double angle = 0;     // of the tangent [rad]
  double velocity = 0;  // of the material along the tangent [m/s]
  double friction = 0, restitution = 0;
};

struct MicroScene {
  Eigen::Vector2d semi_axes = Eigen::Vector2d::Zero();  // of an ellipse [m], unless there are corners
  std::vector<Eigen::Vector2d> corners;                 // of a convex polygon, in the body frame [m]
  Eigen::Vector2d center_of_mass = Eigen::Vector2d::Zero();
  double inertia_over_mass = 0;  // [m^2]
  Eigen::Vector2d gravity = {0, -9.81};
  double drag = 0;  // force and torque over mass and inertia: -drag * velocity [1/s]
  std::vector<MicroSurface> surfaces;
};

/// Poses of the body frame at `times`, which increase. Pose of the body frame and velocity of the center of mass at
/// times[0]. `impacts`, where given, receives the times of impacts faster than 20 mm/s.
std::vector<Eigen::Vector3d> MicroMotion(const MicroScene& scene, const Eigen::Vector3d& pose,
                                         const Eigen::Vector3d& velocity, const std::vector<double>& times, double step,
                                         std::vector<double>* impacts = nullptr);

/// Smallest distance of the body from the surfaces at a pose of the body frame.
double MicroGap(const MicroScene& scene, const Eigen::Vector3d& pose);

}  // namespace ricochet::testing
