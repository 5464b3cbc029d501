// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The pose columns of one body, read once for every track that is made of them: rows with a missing value are left out,
// quaternions have unit length and the sign of the one before.
//
// Planar poses are lifted: (x, y, theta) becomes the position (x, 0, y) and the turn by theta that takes the world's x
// axis toward z. So z is up in both spaces.
#pragma once

#include <string>
#include <vector>

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

}  // namespace ricochet
