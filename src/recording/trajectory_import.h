// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Two small text formats.
//
//   TRC (OpenSim)   tab separated: `PathFileType 4 (X/Y/Z) name`, a line of keys (DataRate ... NumMarkers Units), their
//                   values, `Frame# Time name <two empty cells> name ...`, `X1 Y1 Z1 ...`, an empty line, data. (0, 0,
//                   0) means "not seen". y is up by convention.
//   TUM             `timestamp tx ty tz qx qy qz qw`, blanks or commas between them, `#` comments; meters, z up by
//   convention.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap_take.h"

namespace ricochet {

MocapTake ParseTrc(std::string_view text, const std::string& name_in_messages);
MocapTake ParseTum(std::string_view text, const std::string& name_in_messages);

}  // namespace ricochet
