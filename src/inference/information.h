// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the data of a posed problem say about its parameters with every local unknown free: rank, directions without
// effect, attainable covariance (optimize/covariance.h).
#pragma once

#include <optional>

#include "inference/fit_problem.h"
#include "optimize/covariance.h"

namespace ricochet {

/// Relative singular value below which a direction of the parameters has no effect.
inline constexpr double kNullDirection = 1e-7;

/// None when the motion cannot be computed at the point, or when the method has no derivatives. Parameters in `held`
/// are taken to have no effect.
std::optional<ParameterInformation> InformationOf(const FitProblem& problem, const FitPoint& at,
                                                  const HeldParameters& held = {}, double tolerance = kNullDirection);

}  // namespace ricochet
