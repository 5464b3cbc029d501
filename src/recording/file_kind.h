// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which format a file has, by its content.
#pragma once

#include <string>
#include <string_view>

#include "ricochet/import.h"

namespace ricochet {

/// Never kRecognize. Throws InputError for content of no known format.
ImportFormat RecognizeContent(std::string_view content, const std::string& name_in_messages);

/// What a file is that was given as a recording and is none: "is a Motive take"; empty if it is a table. Throws
/// InputError for content of no known format.
std::string AdviceOnOtherFile(std::string_view content, const std::string& file);

/// Whether the bytes begin as a MATLAB file does: of versions 5 to 7, or 7.3 (HDF5), which is not read.
bool IsMatlabFile(std::string_view bytes);

}  // namespace ricochet
