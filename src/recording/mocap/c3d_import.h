// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// C3D: markers (and, in newer files, rotations of rigid bodies) over time, in 512-byte blocks counted from 1.
//
// Read: Intel, DEC and SGI/MIPS files, integer and float points, zero bytes before the header, labels in LABELS,
// LABELS2, ..., more than 65535 frames (TRIAL:ACTUAL_END_FIELD, POINT:LONG_FRAMES, POINT:FRAMES, header, the first
// that is not below the header's and that the file holds), missing ANALOG and POINT:RATE. Samples with a negative
// residual or coordinates that are not finite are missing, as are those that are 0, 0, 0 with a residual word of 0.
// Points that are angles, forces, moments or powers (POINT:TYPE_GROUPS) are left out. Analog samples are stepped over:
// ANALOG:USED times the samples per frame. ROTATION gives poses, with or without points: 4 x 4 matrices column by
// column with a reliability (negative: missing).
//
// Every count, offset and block number comes from the file and is checked against its size before anything is read or
// allocated. The up axis: POINT:Y_SCREEN when the file has it, else z by convention, with a note.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError with the offset of what cannot be used.
MocapTake ParseC3d(std::string_view bytes, const std::string& name_in_messages);

}  // namespace ricochet
