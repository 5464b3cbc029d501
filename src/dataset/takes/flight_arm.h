// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where the tracked frame F is on a body, from free flight: the center of mass C moves on a parabola, and F turns about
// it, with b the way from C to F in the axes of F:
//
//   p_WF(t) = p_0 + v_0 t + a t^2 / 2 + R_WF(t) b + noise                       in a flight that starts at p_0, v_0
//
// This is linear in b and in p_0, v_0 of each flight, in the plane and in space; least squares over all flights is as
// good as an unbiased estimate can be. Which frames fly has to be found:
//
//   start    Differences of three frames that vanish on the parabola (noise.h) leave D(p_WF) = D(R_WF) b + noise. They
//            are solved with weights that fall off beyond the lower quartile of the residuals, so that frames beside an
//            impact and in contact hardly count.
//   cut      With b the path of C is known. It is cut into runs of one parabola of acceleration a each (cut_frames.h);
//            those in which no other acceleration shows, although it would, are flights.
//   solve    b from all flights, each with p_0 and v_0 of its own; neighboring runs are joined where a common b
//   explains
//            them as one flight. Cut again, until b stays.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "dataset/takes/turning_frames.h"

namespace ricochet {

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
