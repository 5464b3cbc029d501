// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bootstrap of a fit of any method (fit_problem.h), by the repetitions of bootstrap.h: data that the model makes at the
// fit, or where the method says nothing about the distribution of its data, the recordings with replacement.
#pragma once

#include <string_view>

#include "inference/bootstrap.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// Which of the two it is, for the log of the estimate.
std::string_view BootstrapKind(const FitProblem& problem, const Fit& fit);

/// Throws InputError when recordings are resampled and there are too few of them.
BootstrapResult BootstrapFit(const FitProblem& problem, const Fit& fit, const BootstrapOptions& options);

}  // namespace ricochet
