// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What we make of the recorded poses of moving bodies in space: complete poses, their noise, and the state at the first
// row.
//
// Noise. Third differences over four rows at equal spacing (noise.h); sigma is read off the lower quartile of their
// sizes, which impacts leave alone.
//
// Points. As in the plane (planar_track.h): where points are recorded they are compared, and poses registered from them
// stand in for start values where no pose was recorded. Rows that show points but fix no pose take part.
//
// Start. A parabola (of the center of mass, and of the rotation vector from a row in the middle) is fitted to the first
// rows, as many as it follows within the noise: a few before an impact, more in flight or while sliding.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "dataset/noise.h"
#include "math/manifold.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// A point of a body as recorded.
struct SpatialPointTrack {
  int point = 0;                          // index into Observation::points
  int body = 0;                           // index into PoseTracks::bodies
  std::vector<Eigen::Vector3d> position;  // per row [m]; NaN where it was not seen
};

/// Poses of the body frames of some bodies over time, as recorded. Rows that show nothing are left out.
struct PoseTracks {
  std::string name;
  std::vector<int> bodies;                // indices into the scene's bodies
  std::vector<double> time;               // [s]
  std::vector<SpatialPose<double>> pose;  // [row * bodies.size() + body]; unit quaternions
  std::vector<char> present;              // same layout: there is a pose
  std::vector<char> pose_recorded;        // per body; 0: poses are registered from its points
  std::vector<SpatialPointTrack> points;  // recorded ones
  std::vector<Vector6<double>> velocity;  // recorded in the first row where present, per body; else empty
  int dropped_rows = 0;                   // rows, or poses of a body, with missing values
  double noise_position = 0;              // [m], per axis
  double noise_angle = 0;                 // [rad], per axis
  double noise_point = 0;                 // [m], per axis
  bool noise_given = false;               // by the scene
  std::vector<std::string> log;

  int rows() const { return static_cast<int>(time.size()); }

  double NoiseOf(ShownKind kind) const { return NoiseOfKind(*this, kind); }
  double& NoiseOf(ShownKind kind) { return NoiseOfKind(*this, kind); }
  /// What a row shows: of each recorded pose x, y, z and the rotation vector, then of each point x, y, z.
  struct Value {
    ShownKind kind;
    int body;   // index into `bodies`
    int point;  // index into `points`, or -1
    int axis;
  };
  std::vector<Value> Values() const;
  /// Whether a row has it.
  bool Shows(int row, const Value& value) const {
    return value.point < 0
               ? present[At(row, value.body)] != 0
               : points[static_cast<std::size_t>(value.point)].position[static_cast<std::size_t>(row)].allFinite();
  }
  std::size_t At(int row, int body) const {
    return static_cast<std::size_t>(row) * bodies.size() + static_cast<std::size_t>(body);
  }
};

/// Reads the columns of `bodies`. Throws InputError when one has none, when a quaternion is not of unit length, or when
/// fewer than `least` rows are complete.
PoseTracks MakePoseTracks(const Scene& scene, const Recording& recording, std::vector<int> bodies, int least = 6);

/// Noise from third differences and of points; see above. Leaves a given noise alone.
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
