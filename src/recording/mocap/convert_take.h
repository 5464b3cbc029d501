// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A take (mocap_take.h) as a recording: in meters, z up, time from 0.
//
// Nothing is guessed silently. What the file states is used and noted; what it omits (axes, units of
// some files, the meaning of three angles) must be given by an option or follows the convention of the format, with a
// note.
//
//   unit        from the file; `unit` overrides it, and is required where the file has none
//   up axis     stated (`up`), or the format's convention (Motive y, others z), with a note; recordings are rotated
//               so that z is up: y up by +90 degrees about x, x up by -90 degrees about y
//   pivot       pose of the scene's body frame in the tracked frame: X_WB = X_WP X_PB
//   time        from 0; what the file's clock showed at the first row is in the notes
//   gaps        missing samples stay missing (nan); frames a tracker repeated while the body moved (frozen frames,
//               recording_health.h) become missing, and are counted in the notes
//   clock       times that the file rounds to few digits are written at the stated rate, if they agree with it to
//               within half a digit
//   markers     three or more markers of one subject make a body if they are rigid (marker_body.h); others are points
#pragma once

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError when the take has no body and no marker, not the requested one, or no unit is known.
ImportedRecording ConvertTake(const MocapTake& take, const ImportOptions& options);

}  // namespace ricochet
