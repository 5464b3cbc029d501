// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which Ricochet this is. Estimates and stored work name it, so that a result can be traced to the code behind it.
#pragma once

#include <string_view>

namespace ricochet {

/// Version of the library, as in CMakeLists.txt: "0.1.0".
std::string_view Version();

/// Commit that it was built from, 12 hexadecimal digits, or "unknown" outside a repository.
std::string_view Commit();

}  // namespace ricochet
