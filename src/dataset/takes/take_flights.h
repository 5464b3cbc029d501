// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Free flights in a long take, in which a body mostly stands or is carried, and its tracked frame F may be anywhere on
// it.
//
// Windows of 0.1 s are tested one by one: with the arm b from the center of mass C to F free, does C fall with the
// acceleration of gravity within the noise (flight_run.h)? Windows of flights agree on one b, others that pass by
// chance do not. So windows vote: from each of some that pass, the others are added as long as one b explains them, and
// the b that explains most windows wins. Components of b that no turn shows stay 0.
//
// A flight is a run of windows that pass with this b. Its own acceleration must be known to 5 % of gravity and equal
// it to 5 % and four standard deviations; a body that is lowered by hand, slides or rolls does not fall like that.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/cut_frames.h"
#include "dataset/flight_arc.h"
#include "dataset/spatial_track.h"
#include "dataset/takes/flight_arm.h"

namespace ricochet {

struct TakeFlights {
  Eigen::Vector3d arm = Eigen::Vector3d::Zero();  // b, from C to F in the axes of F; 0 without flights [m]
  std::vector<FrameRange> flights;                // in order, apart from each other
};

/// `gravity` in the axes and the unit of the track.
TakeFlights FindTakeFlights(const SpatialTrack& track, const Eigen::Vector3d& gravity);

/// Whether the velocity of the center of mass jumps against gravity after a flight: by at least a tenth of what the
/// fall gained, and five standard deviations. What is only lowered or swung by hand slows down over many frames.
bool EndsInContact(const SpatialTrack& track, const FrameRange& flight, const Eigen::Vector3d& arm,
                   const Eigen::Vector3d& gravity);

/// Frames [first, last) of a track.
TurningFrames<3> FramesOf(const SpatialTrack& track, int first, int last);

}  // namespace ricochet
