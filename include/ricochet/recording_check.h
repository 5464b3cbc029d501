// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Checks the arrays of a recording without copying them, for programs that keep large recordings in their own memory
// and make a Recording only for the call that needs it:
//
//     ricochet::CheckColumns(t, {{"x", x}, {"y", y}, {"theta", theta}});   // nothing is copied
#pragma once

#include <span>
#include <vector>

#include "ricochet/recording.h"

namespace ricochet {

/// Throws what Recording::FromColumns throws for these arrays.
void CheckColumns(std::span<const double> time, const std::vector<RecordingColumn>& columns);

}  // namespace ricochet
