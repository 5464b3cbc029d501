// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Progress as a line of text, for programs with a terminal.
#pragma once

#include <string>

#include "ricochet/context.h"

namespace ricochet {

/// "sweep 42 % (420 of 1000), 1 min 12 s left"; the time is left out while nothing can be said about it. Where the
/// number of steps is not known: "identify: 420 steps in 8 s, at most 9 min 52 s more".
std::string ProgressLine(const Progress& progress);

/// "8 s", "1 min 12 s", "2 h 5 min".
std::string FormatDuration(double seconds);

}  // namespace ricochet
