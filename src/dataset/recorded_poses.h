// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The pose columns of one body, read once for every track that is made of them: rows with a missing value are left out,
// quaternions have unit length and the sign of the one before. Two tracks are: frames of one body whatever the scene,
// for tosses and checks (spatial_track.h), and rows of several bodies and their points, for fits (pose_tracks.h).
//
// Planar poses are lifted: (x, y, theta) becomes the position (x, 0, y) and the turn by theta that takes the world's x
// axis toward z. So z is up in both spaces.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "dataset/noise.h"
#include "math/manifold.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

struct RecordedPoses {
  std::vector<int> row;                   // in the recording
  std::vector<double> time;               // [s]
  std::vector<SpatialPose<double>> pose;  // unit quaternions; neighbors have a dot product of at least 0
  int incomplete_rows = 0;                // rows with a missing value, left out
  int sign_flips = 0;                     // quaternions of the other sign, turned
  double norm_error = 0;                  // largest | |q| - 1 |

  int size() const { return static_cast<int>(time.size()); }
};

/// `columns` are those of PoseColumns(space), in that order. Throws InputError, naming row and column, when a
/// quaternion is not of unit length within 5 %.
RecordedPoses ReadPoses(const Recording& recording, Space space, const std::vector<int>& columns);

/// The noise of such a track from third differences (noise.h), four evenly spaced rows at a time.
class PoseDifferences {
 public:
  /// Places and rotations of four rows. `lifted`: from the plane, as above.
  void Add(const std::array<Eigen::Vector3d, 4>& p, const std::array<Quaternion<double>, 4>& q, bool lifted = false);
  /// `extent` of the motion [m].
  PoseNoise Noise(double extent) const { return NoiseFromDifferences(position_, angle_, extent); }

 private:
  std::vector<double> position_, angle_;  // sizes, per axis
};

}  // namespace ricochet
