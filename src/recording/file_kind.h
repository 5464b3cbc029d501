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

}  // namespace ricochet
