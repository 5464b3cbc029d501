// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The likelihood of tosses with located impacts (located_likelihood.h), without starting values: from those of the
// scene, and from the ones of points spread over the box of friction and restitution that predict the time shortly
// after the first contact best.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimators/tosses/located_likelihood.h"
#include "estimators/tosses/toss_search.h"

namespace ricochet {

/// Whether the model explains most of the tosses, to about their noise and far enough after the first contact.
bool ExplainsTosses(const LocatedResult& fit);

/// Median of chi^2 / dof over the tosses; infinite without any.
double MedianRatio(const LocatedResult& fit);

/// The likelihood from the best of several starts. Of many tosses a part is fitted first, and no more where the model
/// does not explain it.
LocatedResult FitTosses(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                        std::vector<std::string>& log);

}  // namespace ricochet
