// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace ricochet {

/// Throws InputError for recorded positions that no fit should be tried on: rows so far apart in time that a body falls
/// many times as far between two of them as it moves in all of them (milliseconds, numbers of frames), and positions so
/// far from the origin that numbers there are too coarse. `gravity` is its size [m/s^2].
void RefuseStrangeMotion(const std::string& file, double gravity, const std::vector<double>& time,
                         const std::vector<Eigen::Vector3d>& position);

}  // namespace ricochet
