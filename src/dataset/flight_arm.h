// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where the tracked frame F is on a body, from free flight: the center of mass C moves on a parabola, and F turns about
// it, p_WF = p_WC + R_WF b, with b the way from C to F in the axes of F. Differences of three frames that vanish on the
// parabola (noise.h) leave
//
//   D(p_WF) = D(R_WF) b + noise,
//
// which is linear in b, in the plane and in space. Frames beside an impact do not obey it: the equations are solved by
// least squares with weights that fall off beyond the lower quartile of the residuals.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

namespace ricochet {

/// Frames of one recording, N = 2 or 3.
template <int N>
struct TurningFrames {
  std::vector<double> time;                           // [s]
  std::vector<Eigen::Matrix<double, N, N>> rotation;  // R_WF
  std::vector<Eigen::Matrix<double, N, 1>> position;  // p_WF [m]
};

/// b from all recordings together; none when the body does not turn enough, or not about enough axes. `acceleration` is
/// that of free flight.
template <int N>
std::optional<Eigen::Matrix<double, N, 1>> ArmFromFlight(const std::vector<TurningFrames<N>>& recordings,
                                                         const Eigen::Matrix<double, N, 1>& acceleration);

extern template std::optional<Eigen::Vector2d> ArmFromFlight<2>(const std::vector<TurningFrames<2>>&,
                                                                const Eigen::Vector2d&);
extern template std::optional<Eigen::Vector3d> ArmFromFlight<3>(const std::vector<TurningFrames<3>>&,
                                                                const Eigen::Vector3d&);

}  // namespace ricochet
