// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A long take cut into motions that can be fitted one by one.
//
//   tosses   A toss begins with a flight (take_flights.h), ends in the first standstill after it, and has what comes
//            between: impacts, further flights, sliding and rolling. A flight that ends more than kFarBelow above that
//            standstill was caught, and one after which the body rises higher than before was followed by another
//            throw: both are left out.
//   slides   Without flights: motion on one level, between standstills, from its highest speed on.
//   swings   Joint angles: motion between standstills that turns back at least twice.
//
// Each piece keeps up to `rest` seconds of the standstill at its end.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/spatial_track.h"
#include "ricochet/recording.h"

namespace ricochet {

struct SplitLimits {
  Eigen::Vector3d gravity = {0, 0, -9.81};                     // in the axes and the unit of the recording [m/s^2]
  Eigen::Vector3d surface_velocity = Eigen::Vector3d::Zero();  // of a running conveyor [m/s]
  double rest = 0.25;                                          // [s]
};

/// Rows [first, last) of a recording.
struct TakeSection {
  int first = 0, last = 0;
};

struct TakeSections {
  std::string kind;  // "toss", "slide", "swing"; empty: none found
  std::vector<TakeSection> sections;
  std::vector<std::string> left_out;  // motions that are no sections, one sentence each
};

/// Tosses of a body, or slides where nothing flies.
TakeSections SplitPoses(const SpatialTrack& track, const SplitLimits& limits);

/// The same for a ball or a marker (point_tracks.h, point_flights.h).
TakeSections SplitPoint(const SpatialTrack& track, const SplitLimits& limits);

/// Swings in angles over time: one vector per joint.
TakeSections SplitAngles(const std::vector<double>& time, const std::vector<std::vector<double>>& angles,
                         const SplitLimits& limits);

}  // namespace ricochet
