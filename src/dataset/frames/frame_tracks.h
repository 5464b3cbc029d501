// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <vector>

#include "dataset/spatial_track.h"
#include "observation/sensor_numbers.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Tracks of the tracked frame of a body with recorded lengths and offsets undone, the frame left where it is;
/// recordings without it are left out.
std::vector<SpatialTrack> FrameTracks(const Scene& scene, const SensorNumbers& numbers,
                                      const std::vector<Recording>& recordings);

}  // namespace ricochet
