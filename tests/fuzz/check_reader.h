// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <string>

namespace ricochet {

/// FaultOfReader (parser_properties.h), compiled once for all fuzzers.
std::string CheckReader(const std::string& kind, const std::string& bytes);

}  // namespace ricochet
