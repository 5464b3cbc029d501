// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Noise of a planar track as its rows show it, beside the noise that a fit used.
#pragma once

#include <vector>

#include "dataset/planar_track.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// Per value that frames of the track show (PlanarTrack::KindOf). `acceleration` is that of free flight.
std::vector<ChannelNoise> NoiseOfValues(const PlanarTrack& used, PlanarTrack recorded,
                                        const Eigen::Vector3d& acceleration);

}  // namespace ricochet
