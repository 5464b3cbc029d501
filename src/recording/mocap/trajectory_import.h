// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Poses of one body, a line each, in meters, with z up by convention:
//
//   TUM      `timestamp tx ty tz qx qy qz qw`, blanks or commas between them
//   EuRoC    `timestamp,px,py,pz,qw,qx,qy,qz,...`, timestamps in nanoseconds; further numbers are left out
//   KITTI    the 12 numbers of a 3 x 4 matrix row by row; option `rate` states the rate
//   others   with a line of names above the numbers, which then say what is what
//
// Lines that begin with `#` are comments; the last one before the numbers may have the names. Timestamps in ms, us or
// ns are recognized by their size, which is that of the time since 1970. A line with the timestamp of the line before
// is left out.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError with line and column of what cannot be used.
MocapTake ParseTrajectory(std::string_view text, const std::string& name_in_messages,
                          const ImportOptions& options = {});

}  // namespace ricochet
