// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The whole fit of tosses, without starting values: first the cost (18) is minimized (toss_search.h), which finds the
// neighborhood whether or not the model is right; then, from there, the likelihood with every start unknown
// (toss_likelihood.h), which is sharper by an order of magnitude where the model explains the tosses down to their
// noise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimators/tosses/toss_likelihood.h"
#include "estimators/tosses/toss_search.h"

namespace ricochet {

/// The minimum of (18), with an infinite variance of what has no effect on it.
TossMinimum FindLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed);

/// Whether the model explains most of the tosses down to their noise, far enough after the first contact.
bool Explains(const TossLikelihoodResult& fit);

/// The likelihood from where the cost (18) is least. Of many tosses a part is fitted first, and no more where the model
/// does not explain it. Numbers without effect on the cost stay as the scene has them, in `least` too.
TossLikelihoodResult FitFromLeastCost(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                                      TossMinimum& least, std::vector<std::string>& log);

}  // namespace ricochet
