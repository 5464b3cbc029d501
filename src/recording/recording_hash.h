// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <string>

#include "ricochet/recording.h"

namespace ricochet {

/// SHA-256 of what was measured: columns, times and values. The name of the file does not count.
std::string HashOf(const Recording& recording);

}  // namespace ricochet
