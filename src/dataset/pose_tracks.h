// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What we make of the recorded poses of moving bodies in space: complete poses, their noise, and the state at the first
// row.
//
// Noise. Third differences over four rows at equal spacing (noise.h); sigma is read off the lower quartile of their
// sizes, which impacts leave alone.
//
// Start. A parabola (of the center of mass, and of the rotation vector from a row in the middle) is fitted to the first
// rows, as many as it follows within the noise: a few before an impact, more in flight or while sliding.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "math/manifold.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Poses of the body frames of some bodies over time, as recorded. Rows without any complete pose are left out.
struct PoseTracks {
  std::string name;
  std::vector<int> bodies;                // indices into the scene's bodies
  std::vector<double> time;               // [s]
  std::vector<SpatialPose<double>> pose;  // [row * bodies.size() + body]; unit quaternions
  std::vector<char> present;              // same layout: the pose is complete
  std::vector<Vector6<double>> velocity;  // recorded in the first row where present, per body; else empty
  int dropped_rows = 0;                   // rows, or poses of a body, with missing values
  double noise_position = 0;              // [m], per axis
  double noise_angle = 0;                 // [rad], per axis
  bool noise_given = false;               // by the scene
  std::vector<std::string> log;

  int rows() const { return static_cast<int>(time.size()); }
  std::size_t At(int row, int body) const {
    return static_cast<std::size_t>(row) * bodies.size() + static_cast<std::size_t>(body);
  }
};

/// Reads the columns of `bodies`. Throws InputError when one has none, when a quaternion is not of unit length, or when
/// fewer than `least` rows are complete.
PoseTracks MakePoseTracks(const Scene& scene, const Recording& recording, std::vector<int> bodies, int least = 6);

/// Noise from third differences; see above. Leaves a given noise alone.
void EstimateNoise(PoseTracks& track);

/// Pose at the center of mass and velocities (of the center of mass, world axes) of a body at the first row.
struct SpatialStart {
  SpatialPose<double> pose;
  Vector6<double> velocity;
  int rows = 0;  // that the fit follows
};

/// `p_BBcm` is the center of mass in the body frame. Uses the track's noise.
SpatialStart FitSpatialStart(const PoseTracks& track, int body, const Vector3<double>& p_BBcm);

}  // namespace ricochet
