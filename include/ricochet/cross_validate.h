// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// k-fold cross-validation over tosses: parameters are identified on all folds but one, and that one is predicted. The
// errors are those on recordings that identification did not see.
//
//     const ricochet::Validation honest =
//         ricochet::CrossValidate(scene, tosses, "contact.friction, contact.restitution", {.folds = 5});
//     for (const ricochet::ErrorSummary& error : honest.summary) print(error.name, error.mean, error.std);
#pragma once

#include <string_view>
#include <vector>

#include "ricochet/identify.h"
#include "ricochet/validate.h"

namespace ricochet {

/// How to cross-validate.
struct CrossValidateOptions {
  int folds = 5;  // at least 2; recording i is in fold i mod `folds`

  /// Used in every fold. Where the method has an option `start`, it takes that of `validate`.
  IdentifyOptions identify{};

  /// Used to predict the fold that is left out. Its step is that of identification too.
  ValidateOptions validate{};
};

/// Validation::folds has what each fold found. Throws InputError, also for fewer recordings than folds, and Cancelled.
Validation CrossValidate(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                         const CrossValidateOptions& options = {}, const Context& context = {});

}  // namespace ricochet
