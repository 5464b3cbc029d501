// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <string_view>

namespace ricochet {

/// Version of the program, as in CMakeLists.txt: "0.1.0".
std::string_view Version();

/// Commit it was built from, 12 hexadecimal digits, or "unknown" outside a repository.
std::string_view Commit();

}  // namespace ricochet
