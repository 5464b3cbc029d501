// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The recorded poses of one body in space, with what every later stage asks of them: frames in order, quaternions of
// one sign, velocities as in the paper, noise, standstill.
//
// Planar recordings are lifted to space (recorded_poses.h), so that what follows is written once.
//
// Velocities (Jongeneel 12-15), for frames k with neighbors at equal distances:
//   v(k) = (p(k+1) - p(k-1)) / (2 dt)                                                        world axes
//   w(k) = R(k) [log(R(k)^T R(k+1)) - log(R(k)^T R(k-1))] / (2 dt)                           body to world axes
// At an impact they mix what was before and after; flight_arc.h fits arcs instead.
//
// Noise is first read off the lower quartile of third differences (noise.h). Frames of standstill are left out, because
// a tracker at rest is quieter than in motion. Fits of arcs later replace it by what their own residuals say.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "math/vector.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct SpatialTrack {
  std::string name;
  bool planar = false;                       // lifted from x, y, theta
  std::vector<int> row;                      // in the recording
  std::vector<double> time;                  // [s]
  std::vector<Eigen::Vector3d> position;     // p_WB [m]
  std::vector<Quaternion<double>> rotation;  // R_WB, unit; neighbors have a dot product of at least 0
  std::vector<char> outlier;                 // 1: a tracking fault, which fits leave out
  double interval = 0;                       // median spacing of the frames [s]
  double noise_position = 0;                 // per axis [m]
  double noise_angle = 0;                    // per axis [rad]
  int incomplete_rows = 0;                   // rows with a missing value, left out
  int sign_flips = 0;                        // quaternions of the other sign, turned
  double norm_error = 0;                     // largest | |q| - 1 |
  std::vector<std::string> log;

  int size() const { return static_cast<int>(time.size()); }
  /// Whether frames a and b = a + 1 are one interval apart, without a dropped frame between them.
  bool Adjacent(int a, int b) const { return time[b] - time[a] < 1.5 * interval; }
};

/// Names of the bodies whose complete poses a recording has; "" stands for columns without prefix. Planar bodies have
/// x, y, theta, spatial ones x, y, z, qw, qx, qy, qz.
std::vector<std::string> BodiesWithPoses(const Recording& recording);

/// Reads the pose columns of a body (`prefix` as BodiesWithPoses gives it). Throws InputError when a quaternion cannot
/// be one or fewer than `least` rows are complete.
SpatialTrack MakeSpatialTrack(const Recording& recording, const std::string& prefix, int least = 4);

/// Hybrid velocity (linear, angular; world axes) of frame k by central differences; none at the ends and beside gaps.
std::optional<Vector6<double>> CentralVelocity(const SpatialTrack& track, int k);

/// World rotation vector from frame a to frame b, summed over the frames between them, so that it counts turns.
std::vector<Eigen::Vector3d> UnwrappedRotation(const SpatialTrack& track, int first, int last);

struct StandstillOptions {
  double position = 0.7e-3;                   // frames of a standstill stay this close to its mean [m]
  double angle = 0.7 * 0.017453292519943295;  // [rad]
  double speed = 0.02;      // slope over the stretch [m/s] (Jongeneel's authors: 20 samples at 360 Hz)
  double rate = 0.2;        // [rad/s]
  double duration = 0.055;  // [s]; at the end of a recording a shorter stretch counts
  int least_frames = 4;
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();  // of a running conveyor [m/s]
};

/// First frame, from `from` on, of the first stretch of standstill, or -1. Thresholds are widened by what the noise
/// adds.
int FindStandstill(const SpatialTrack& track, int from, const StandstillOptions& options = {});

/// First frame of the standstill that lasts to the end of the recording, or size() when it ends in motion.
int StandstillAtEnd(const SpatialTrack& track, const StandstillOptions& options = {});

/// Sets noise_position and noise_angle from third differences; see above.
void EstimateNoise(SpatialTrack& track);

/// Mean pose of frames [first, last): mean position, and the rotation about which the rotation vectors average to 0.
struct MeanPose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Quaternion<double> rotation = {1, 0, 0, 0};
};
MeanPose AveragePose(const SpatialTrack& track, int first, int last);

}  // namespace ricochet
