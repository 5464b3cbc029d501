// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Cross-validation over recordings: numbers are identified on all folds but one, and that one is predicted.
#pragma once

#include <string_view>
#include <vector>

#include "ricochet/identify.h"
#include "ricochet/validate.h"

namespace ricochet {

/// Recording i is in fold i mod `folds`. Errors are those of recordings that identification did not see. Throws
/// InputError, also for fewer recordings than folds.
Validation CrossValidate(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                         int folds, const IdentifyOptions& identify, const ValidateOptions& options);

}  // namespace ricochet
