// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Vicon CSV (Nexus, Tracker, Shogun). A file holds sections parted by an empty line:
//
//     Trajectories | Segments | Objects | Joints | Model Outputs | Devices
//     <rate in Hz>
//     ,,<name>,,,<name>,,,                 each name once, over its block of columns
//     Frame,Sub Frame,X,Y,Z,X,Y,Z
//     ,,mm,mm,mm,mm,mm,mm
//     1,0,12.3,...
//
// Objects and Segments give poses, found by the labels RX RY RZ [RW] TX TY TZ in any order; Trajectories give markers.
// Other sections are left out and named in the notes. Four rotation columns are a quaternion x, y, z, w; three are
// Euler angles or a rotation vector, which the block's name (Euler, Helical, ...) or the option `angles` must state.
// Times follow from frame number and rate. z is up by convention.
//
// Old versions of Nexus write a few lines about the trial first, TRAJECTORIES, the rate as `120,Hz`, `Field #` in place
// of frame and sub frame, and no units: mm. Shogun writes names (`Reconstruction Position - NAME`), labels and units of
// markers without section and rate; the option `rate` must state it.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError with line and column of what cannot be used.
MocapTake ParseVicon(std::string_view text, const std::string& name_in_messages, const ImportOptions& options = {});

}  // namespace ricochet
