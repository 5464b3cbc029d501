// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What `trajectory` and `joint` ask in the same way of a planar fit: whether its residuals look like noise.
#pragma once

#include <Eigen/Core>

#include "estimators/mass_observability.h"

namespace ricochet {

inline constexpr double kWrongNoise = 3;  // residuals this much larger than the scatter about flight: the fit is wrong
inline constexpr double kCorrelated = 0.5;  // lag-one correlation of residuals: systematic, not noise

/// Throws InputError, naming the ratio, when only a mass was requested that is not identifiable.
void RefuseMassAlone(const IdentifyRequest& request, const MassRefusal& refusal);

/// Largest lag-one correlation of the residuals of a value, `width` values per frame.
double LagCorrelation(const Eigen::VectorXd& residuals, int width = 3);

}  // namespace ricochet
