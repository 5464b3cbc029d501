// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Arcs of free flight, fitted to the recorded poses by the equations of motion.
//
//   center of mass   p(t) = p + v s + a s^2 / 2,          s = t - reference; a given (gravity) or fitted
//   rotation         R' = [w] R,  L = R I R^T w constant  torque-free motion with inertia I about the center of mass
//
// The center of mass is observed as p_WB + R_WB p_BBcm. Without an inertia (no scene at hand) the world rotation vector
// is a parabola over the arc, which is exact for a body with three equal moments and good for short arcs of others.
//
// Fit. Position and rotation do not share unknowns: linear least squares for (p, v[, a]), and damped Gauss-Newton
// (optimize/marquardt.h) for the rotation at the reference and w, with the residual log(R_measured R^T) in world axes.
// Weights are 1 / noise^2 of the track. Covariances are those of the weights; `ScaleOfPosition` is the factor by which
// the residuals exceed the noise.
//
// Cutting. The frames are cut into stretches, each with its own parabola of the center of mass with a free
// acceleration, so that chi^2 + (penalty per stretch) is least, by dynamic programming over all cuts (as
// planar_track.h does for a known acceleration). An impulse always changes the velocity of the center of mass, so that
// impacts become cuts. The acceleration is left free because what it should be is what one wants to find out: a wrong
// scale, axis or rate shows there. Two long stretches that fit one parabola, with one or two frames between them that
// do not, are joined, and those frames are marked as outliers: no impulse gives back the motion it took.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dataset/cut_frames.h"
#include "dataset/spatial_track.h"
#include "math/vector.h"

namespace ricochet {

/// What is known about the body.
struct FlightBody {
  Eigen::Vector3d p_BBcm = Eigen::Vector3d::Zero();
  std::optional<Eigen::Matrix3d> inertia{};  // I_BBcm_B up to a factor [kg m^2]
};

struct FlightArc;

struct FlightFitOptions {
  std::optional<Eigen::Vector3d> acceleration{};  // known; none: fitted [m/s^2]
  std::optional<double> reference{};              // where state and covariance hold; none: mean time of the frames [s]
  const FlightArc* near = nullptr;                // of nearly the same frames: the rotation is searched from there
};

struct FlightArc {
  int first = 0, last = 0;                                         // frames [first, last)
  int used = 0;                                                    // frames without outliers
  double reference = 0;                                            // [s]
  Eigen::Vector3d position = Eigen::Vector3d::Zero();              // of the center of mass, at the reference
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();              // of the center of mass
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();          // given or fitted
  Quaternion<double> rotation = {1, 0, 0, 0};                      // R_WB
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();      // world axes
  Eigen::Vector3d angular_acceleration = Eigen::Vector3d::Zero();  // world axes; only without an inertia
  /// Per axis (they are alike and uncorrelated): of p, v and, when fitted, a (else rows of 0).
  Eigen::Matrix3d position_covariance = Eigen::Matrix3d::Zero();
  /// Of (rotation increment in world axes, angular velocity).
  Matrix6<double> rotation_covariance = Matrix6<double>::Zero();
  double chi2_position = 0, chi2_rotation = 0;
  int dof_position = 0, dof_rotation = 0;

  int frames() const { return last - first; }
  /// Standard deviation of the residuals over the noise that the weights assumed; at least 0, 1 when it fits.
  double ScaleOfPosition() const { return dof_position > 0 ? std::sqrt(chi2_position / dof_position) : 1; }
  double ScaleOfRotation() const { return dof_rotation > 0 ? std::sqrt(chi2_rotation / dof_rotation) : 1; }
  /// Standard deviation of each component of the fitted acceleration.
  double AccelerationDeviation() const { return std::sqrt(position_covariance(2, 2)); }

  Eigen::Vector3d PositionAt(double t) const {
    const double s = t - reference;
    return position + velocity * s + acceleration * (0.5 * s * s);
  }
  Eigen::Vector3d VelocityAt(double t) const { return velocity + acceleration * (t - reference); }
};

/// Covariance of (position, rotation increment, velocity, angular velocity) at the reference, world axes.
Eigen::Matrix<double, 12, 12> StateCovariance(const FlightArc& arc);

/// Fits frames [first, last) without outliers. Needs 2 frames, 3 when the acceleration is free.
FlightArc FitFlight(const SpatialTrack& track, const FlightBody& body, int first, int last,
                    const FlightFitOptions& options = {});

struct CutOptions {
  double longest = 3;  // of a stretch [s]
};

/// Cuts all frames into parabolas; marks outliers in the track.
std::vector<FrameRange> CutIntoParabolas(SpatialTrack& track, const FlightBody& body, const CutOptions& options = {});

}  // namespace ricochet
