// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From an estimate back to a scene, as `validate --with`, `predict --with` and the report do.
#pragma once

#include "ricochet/estimate.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The scene with the estimate's values, ratios and products included, whatever their order (model/parameter_map.h).
/// Parameters that were not identifiable stay as the scene has them. Throws InputError for a path that the scene does
/// not have, a value out of its bounds, or values that no scene can have together.
Scene ApplyEstimate(const Scene& scene, const Estimate& estimate);

}  // namespace ricochet
