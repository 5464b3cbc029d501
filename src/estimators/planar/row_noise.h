// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Noise of a planar track as its rows show it, beside the noise that a fit used, and frames that are no part of it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dataset/planar_track.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// Per value that frames of the track show (PlanarTrack::KindOf). `acceleration` is that of free flight.
std::vector<ChannelNoise> NoiseOfValues(const PlanarTrack& used, PlanarTrack recorded,
                                        const Eigen::Vector3d& acceleration);

/// Frames with a residual beyond this many sigma are outliers; the worst of them is rejected before the next fit.
inline constexpr double kOutlier = 5;

/// What the log says of a rejected frame whose largest residual is `sigmas`.
std::string RejectedFrame(const PlanarTrack& track, std::size_t frame, double sigmas);

}  // namespace ricochet
