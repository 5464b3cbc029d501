// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What we make of the recorded poses of one planar body: the angle without wraps, the noise, the arcs of free flight.
// Every choice is written to a log that ends in the estimate.
//
// Noise. A frame between two others is compared with the parabola of free flight through its neighbors (noise.h).
// Sigma is read off the lower quartile of the sizes, which impacts and lasting contact leave alone as long as a third
// of the frames fly.
//
// Arcs. The frames are cut into stretches, each with its own ballistic motion (straight in x, y after gravity and known
// forces are removed; constant rate in the angle), so that chi^2 + (penalty per stretch) is least, by dynamic
// programming over all cuts. Recorded velocities take part with their own scatter. A stretch counts as flight when it
// is long enough and its residuals fit the noise.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Poses of the body frame over time, as recorded but for whole turns of the angle. Rows with a missing value are left
/// out.
struct PlanarTrack {
  std::string name;
  std::vector<double> time;               // [s]
  std::vector<Eigen::Vector3d> pose;      // x, y [m], angle [rad]
  std::vector<Eigen::Vector3d> velocity;  // of the center of mass where recorded; else empty
  int dropped_rows = 0;                   // rows with missing values
  double noise_position = 0;              // [m]
  double noise_angle = 0;                 // [rad]
  double noise_velocity = 0;              // [m/s], [rad/s]: scatter of recorded velocities, where there are any
  double noise_rate = 0;
  bool noise_given = false;  // by the scene
  std::vector<std::string> log;

  int size() const { return static_cast<int>(time.size()); }
  double Noise(int coordinate) const { return coordinate < 2 ? noise_position : noise_angle; }
};

/// Reads body `body`'s columns. Throws InputError when they are missing or fewer than `least` rows are complete.
PlanarTrack MakePlanarTrack(const Scene& scene, const Recording& recording, int body, int least = 4);

/// Noise of positions and of the angle from the scatter about free flight; see above.
void EstimateNoise(const Eigen::Vector3d& free_acceleration, PlanarTrack& track);

/// A stretch of frames [first, last) with its ballistic fit.
struct BallisticArc {
  int first = 0, last = 0;
  double reference = 0;  // time at which pose and velocity hold: the mean of the frames [s]
  Eigen::Vector3d pose = Eigen::Vector3d::Zero();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();
  double chi2 = 0;                                              // of 3 (frames - 2) degrees of freedom
  Eigen::Vector3d pose_variance = Eigen::Vector3d::Zero();      // at the reference, where pose and velocity are
  Eigen::Vector3d velocity_variance = Eigen::Vector3d::Zero();  // uncorrelated

  int frames() const { return last - first; }
  /// Pose and velocity at time t, with the acceleration the fit was made with.
  Eigen::Vector3d PoseAt(double t, const Eigen::Vector3d& acceleration) const {
    const double dt = t - reference;
    return pose + velocity * dt + acceleration * (0.5 * dt * dt);
  }
  Eigen::Vector3d VelocityAt(double t, const Eigen::Vector3d& acceleration) const {
    return velocity + acceleration * (t - reference);
  }
};

/// Ballistic fit of frames [first, last); at least 2.
BallisticArc FitArc(const PlanarTrack& track, const Eigen::Vector3d& acceleration, int first, int last);

/// Cuts the whole track into stretches of at least one frame.
std::vector<BallisticArc> CutIntoArcs(const PlanarTrack& track, const Eigen::Vector3d& acceleration);

}  // namespace ricochet
