// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <string_view>
#include <vector>

#include "ricochet/identifiability.h"

namespace ricochet {

/// AnalyzeIdentifiability for spatial scenes: information of the likelihood of `trajectory` (spatial_fit.h) about the
/// requested parameters with every initial state unknown, at the fit of the recordings or at the scene's own motion.
Identifiability AnalyzeSpatialIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                              std::string_view paths, double rate);

}  // namespace ricochet
