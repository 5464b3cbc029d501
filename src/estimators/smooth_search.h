// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The search of a problem whose residuals are smooth: damped least squares over FitProblem::Evaluate, with the local
// unknowns of each block eliminated (optimize/block_least_squares.h). An estimator whose motion has contacts needs a
// search of its own, which finds their sequence first.
#pragma once

#include "inference/fit_problem.h"

namespace ricochet {

/// The best fit from `start`, which has the local unknowns of every block, with the held parameters where it has them.
/// The parameters stay within their bounds and move as their map says.
Fit SearchSmooth(const FitProblem& problem, const HeldParameters& held, FitPoint start);

}  // namespace ricochet
