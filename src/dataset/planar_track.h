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
//
// Points. Where points of the body are recorded (`observe.points`), they are what a fit compares; without a recorded
// pose, poses registered from them (observation/poses_from_points.h) stand in for start values. Points of a rigid body
// keep their distances, so that the scatter of the distances over sqrt(2) is the noise of a coordinate, whatever the
// motion; a single point (the center of a disc) has that of the flight.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/noise.h"
#include "observation/poses_from_points.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// A point of the body as recorded.
struct PlanarPointTrack {
  int point = 0;                          // index into Observation::points
  std::vector<Eigen::Vector2d> position;  // per frame [m]; NaN where it was not seen
};

/// Poses of the body frame over time, as recorded but for whole turns of the angle. Rows without a pose are left out.
///
/// A frame shows values that are compared one by one: x, y and angle of the pose, where it was recorded, then x and y
/// of each point.
struct PlanarTrack {
  std::string name;
  std::vector<double> time;               // [s]
  std::vector<Eigen::Vector3d> pose;      // x, y [m], angle [rad]
  bool pose_recorded = true;              // false: registered from the points
  std::vector<PlanarPointTrack> points;   // recorded ones
  std::vector<Eigen::Vector3d> velocity;  // of the center of mass where recorded; else empty
  int dropped_rows = 0;                   // rows with missing values
  double noise_position = 0;              // [m]
  double noise_angle = 0;                 // [rad]
  double noise_point = 0;                 // [m]
  double noise_velocity = 0;              // [m/s], [rad/s]: scatter of recorded velocities, where there are any
  double noise_rate = 0;
  bool noise_given = false;  // by the scene
  std::vector<std::string> log;

  int size() const { return static_cast<int>(time.size()); }
  double Noise(int coordinate) const { return coordinate < 2 ? noise_position : noise_angle; }

  int width() const { return (pose_recorded ? 3 : 0) + 2 * static_cast<int>(points.size()); }
  ShownKind KindOf(int value) const {
    return !pose_recorded || value >= 3 ? ShownKind::kPoint : value < 2 ? ShownKind::kPosition : ShownKind::kAngle;
  }
  double NoiseOf(ShownKind kind) const { return NoiseOfKind(*this, kind); }
  double& NoiseOf(ShownKind kind) { return NoiseOfKind(*this, kind); }
  /// Of places and of angles that were recorded: the pose's, or the points' where only they were.
  double place_noise() const { return pose_recorded ? noise_position : noise_point; }
  double angle_noise() const { return pose_recorded ? noise_angle : 0; }
  /// NaN where a point was not seen.
  double Shown(int frame, int value) const {
    const int rest = value - (pose_recorded ? 3 : 0);
    return rest < 0 ? pose[static_cast<std::size_t>(frame)][value]
                    : points[static_cast<std::size_t>(rest / 2)].position[static_cast<std::size_t>(frame)][rest % 2];
  }
  double& Shown(int frame, int value) {
    const int rest = value - (pose_recorded ? 3 : 0);
    return rest < 0 ? pose[static_cast<std::size_t>(frame)][value]
                    : points[static_cast<std::size_t>(rest / 2)].position[static_cast<std::size_t>(frame)][rest % 2];
  }
  /// Values of a kind that the track shows.
  int Count(ShownKind kind) const;
  /// How much larger the noise is than that of `other`: the largest factor of the kinds that are shown.
  double NoiseOver(const PlanarTrack& other) const;
};

/// Reads body `body`'s columns. Throws InputError when they are missing or fewer than `least` rows have a pose.
PlanarTrack MakePlanarTrack(const Scene& scene, const Recording& recording, int body, int least = 4,
                            PartialRows partial = PartialRows::kLeftOut);

/// The track up to a number of rows.
PlanarTrack FirstRows(const PlanarTrack& track, int rows);

/// Noise of positions and of the angle from the scatter about free flight, and of points; see above.
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
