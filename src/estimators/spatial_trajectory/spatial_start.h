// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where rollouts of a recorded motion may start, without a start value: see spatial_fit.h.
#pragma once

#include <vector>

#include "estimators/spatial_trajectory/spatial_rollout.h"

namespace ricochet {

struct SpatialStartGuess {
  SpatialReference reference;
  bool in_contact = false;
};

/// Starts worth a try at the track's first row: as the first rows say, every direction free; and, for a stepper that
/// undoes overlap, laid down in contact with what the first steps forget held. `rows` is how far the parabolas of the
/// first rows reach.
///
/// Laying down: from the recorded pose, without speed and with ample friction, steps in which gravity closes a gap of
/// the noise's size, until the pose stays. It counts when it ends in contact and within the noise of where it was. The
/// velocity is then that of a step without friction, which takes away what leads into the surface.
std::vector<SpatialStartGuess> ListStarts(const SpatialFamily& family, const PoseTracks& track,
                                          const SpatialInstance& instance, int& rows);

}  // namespace ricochet
