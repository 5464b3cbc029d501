// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impacts in a track, their times, contact points and velocity jumps, from the poses (and velocities, where recorded).
//
// Noisy recordings: an impact is where one stretch of free flight ends and the next begins. Its time is the instant at
// which the flights meet a surface; the velocities on both sides are those of the fitted flights there, with their
// variances, and the angle is the weighted mean of both flights.
//
// Exact recordings with velocities (every step of a simulation): each step that starts with a closed gap is a sample by
// itself, as in the papers, with the step's length as h.
#pragma once

#include <string>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/impact_regression.h"
#include "estimators/planar_family.h"

namespace ricochet {

struct FoundImpacts {
  std::vector<ImpactSample> impacts;
  std::vector<ImpactSample> raw;  // the same impacts from the two rows beside them alone, as the paper takes them
  double noise_position = 0, noise_angle = 0;
  std::vector<std::string> log;
};

/// At most the first `most` impacts.
FoundImpacts FindImpacts(const PlanarFamily& family, const PlanarTrack& track, int most = 1 << 20);

}  // namespace ricochet
