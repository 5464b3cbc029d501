// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The page without data, web/dist/report.html, which is compiled into the library.
#pragma once

#include <string_view>

namespace ricochet {

std::string_view PageTemplate();

/// What WriteReport replaces by the data.
inline constexpr std::string_view kDataMark = "<!--ricochet-data-->";

}  // namespace ricochet
