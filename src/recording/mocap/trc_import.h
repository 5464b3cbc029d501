// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// TRC markers (OpenSim, Cortex, OpenCap), separated by tabs or commas:
//
//     PathFileType  4  (X/Y/Z)  name        blanks or separators between them, anything behind them
//     DataRate  CameraRate  NumFrames  NumMarkers  Units  ...
//     100       100         238        2           mm     values may have empty cells between them
//     Frame#  Time  name  <two empty cells>  name ...
//                   X1  Y1  Z1  X2 ...
//                                           (empty line)
//     1       0.01  410.29 ...
//
// (0, 0, 0) and empty cells mean "not seen". Coordinates beyond those of the named markers are unlabeled markers, as in
// files without names. The rows decide where NumFrames or NumMarkers differ from them, with a warning. y is up by
// convention.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError with line and column of what cannot be used.
MocapTake ParseTrc(std::string_view text, const std::string& name_in_messages);

}  // namespace ricochet
