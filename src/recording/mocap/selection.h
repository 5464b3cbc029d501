// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What of a take becomes columns of a recording.
//
//   `body` empty          the bodies of the file; without one, each subject's markers: a body if they are rigid, else a
//                         point each. Markers without a label are points, if there is nothing else
//   `body` NAME           a body, the markers of a subject, or a marker as a point
//   `body` NAME=LABEL     a marker, or several that are never seen at once, as a point; three or more as a body, which
//                         must be rigid
#pragma once

#include <vector>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

struct BodySelection {
  std::vector<MocapBody> bodies;
  std::vector<MocapMarker> points;
};

/// Adds to the notes of the result what was chosen, and to `left_out` what was not. Throws InputError when there is
/// nothing to choose, or not what was requested.
BodySelection SelectBodies(const MocapTake& take, const ImportOptions& options, double meters_per_unit,
                           ImportedRecording& result);

}  // namespace ricochet
