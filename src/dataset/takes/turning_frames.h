// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frames of one recording of a body that turns, in the plane or in space.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace ricochet {

/// Frames of one recording, N = 2 or 3.
template <int N>
struct TurningFrames {
  std::vector<double> time;                           // [s]
  std::vector<Eigen::Matrix<double, N, N>> rotation;  // R_WF
  std::vector<Eigen::Matrix<double, N, 1>> position;  // p_WF [m]
};

}  // namespace ricochet
