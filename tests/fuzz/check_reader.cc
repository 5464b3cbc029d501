// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/fuzz/check_reader.h"

#include "tests/fuzz/parser_properties.h"

namespace ricochet {

std::string CheckReader(const std::string& kind, const std::string& bytes) { return FaultOfReader(kind, bytes); }

}  // namespace ricochet
