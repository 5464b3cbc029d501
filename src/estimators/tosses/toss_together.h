// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of all tosses at once, for motion that does not depend on a step: flights are exact and impacts are
// located in time (rollout/located_rollout.h), so that the pieces on which it is smooth are about as wide as what the
// tosses leave open.
//
//   search       the rounds of toss_likelihood.h on all tosses with common parameters. A toss that is then lost on the
//                way is fitted again by itself at these parameters; if it stays lost, its rows up to there count.
//   covariance   of the linear problem at the answer, derivatives by secants (toss_secants.h), starts eliminated. So it
//                needs no scatter between tosses, and one toss is enough.
//   step         everything again with half the step in contact: what that changes is added to the variances.
#pragma once

#include <cstdint>
#include <vector>

#include "estimators/tosses/toss_likelihood.h"
#include "estimators/tosses/toss_search.h"

namespace ricochet {

/// From `start` of the parameters and the flights of the tosses. `set` has located impacts. `held`: parameters that
/// stay. Statements of tosses are those of the linear problem at the answer.
TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 const std::vector<char>& held, std::uint64_t seed);

}  // namespace ricochet
