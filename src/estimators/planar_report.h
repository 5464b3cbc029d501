// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What `trajectory` and `joint` say in the same way about a planar fit: whether its residuals look like noise, and the
// estimates in the order in which they were asked for.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimators/estimator.h"

namespace ricochet {

inline constexpr double kWrongNoise = 3;  // residuals this much larger than the scatter about flight: the fit is wrong
inline constexpr double kCorrelated = 0.5;  // lag-one correlation of residuals: systematic, not noise

/// Throws InputError, naming the ratio, when nothing but a mass was asked for that was refused: nothing of it is left.
void RefuseMassAlone(const IdentifyRequest& request, const MassRefusal& refusal);

/// Largest lag-one correlation of the residuals of a coordinate (3 per frame).
double LagCorrelation(const Eigen::VectorXd& residuals);

/// Puts what was found for the numbers of `refusal.wanted`, with their covariance, in the order asked for; where mass
/// or inertia was refused their ratio is named and appended.
void PlaceEstimates(const MassRefusal& refusal, const std::vector<EstimatedParameter>& found,
                    const Eigen::MatrixXd& covariance, Estimate& estimate);

}  // namespace ricochet
