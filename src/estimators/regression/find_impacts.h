// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impacts in a track, their times, contact points and velocity jumps, from the poses (and velocities, where recorded).
//
// Noisy recordings: an impact is where one stretch of free flight ends and the next begins. Its time is the instant at
// which the flights meet a surface; the velocities on both sides are those of the fitted flights there, with their
// variances, and the angle is the weighted mean of both flights.
//
// Impacts of several points at once (a square that lands on an edge) are excluded: velocities do not determine how the
// points share the impulse.
//
// Exact recordings with velocities (every step of a simulation): each step that starts with a closed gap is a sample by
// itself, as in the papers, with the step's length as h.
#pragma once

#include <string>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/planar/planar_family.h"
#include "estimators/regression/impact_regression.h"

namespace ricochet {

struct FoundImpacts {
  std::vector<ImpactSample> impacts;
  int several = 0;  // impacts of several contacts at once, which are left out
  double noise_position = 0, noise_angle = 0;
  std::vector<std::string> log;
};

/// At most the first `most` impacts.
FoundImpacts FindImpacts(const PlanarFamily& family, const PlanarTrack& track, int most = 1 << 20);

/// An impact of the body at pose q of the center of mass, turned into the frame of its contact; h is the time over
/// which gravity and loads acted between the two velocities.
ImpactSample MakeImpactSample(const EventBody<double>& body, const std::vector<Load<double>>& loads,
                              const Eigen::Vector3d& q, int candidate, const Eigen::Vector3d& before,
                              const Eigen::Vector3d& after, double time, double h);

/// The impact between two rows by themselves, as the paper takes it: the recorded pose and velocity of `row` and the
/// velocity of the next. For comparison; noise enters unreduced.
ImpactSample ImpactBetweenRows(const PlanarFamily& family, const PlanarTrack& track, int row);

}  // namespace ricochet
