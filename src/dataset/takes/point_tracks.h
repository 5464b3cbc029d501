// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Points whose positions alone are recorded, as tracks of bodies that do not turn: balls, markers.
#pragma once

#include <string>
#include <vector>

#include "dataset/spatial_track.h"
#include "ricochet/recording.h"

namespace ricochet {

/// Names of the points of a recording: columns NAME.x, NAME.y (, NAME.z), or x, y (, z) for the name "", that belong to
/// no pose.
std::vector<std::string> PointsOfRecording(const Recording& recording);

/// The rows that show a point, with planar ones lifted to (x, 0, y); the rotation is none. Throws InputError when fewer
/// than `least` rows show it.
SpatialTrack MakePointTrack(const Recording& recording, const std::string& point, int least = 4);

}  // namespace ricochet
