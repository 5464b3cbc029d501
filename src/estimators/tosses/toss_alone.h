// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of tosses for motion that jumps with its start, as on a grid of steps: whether a corner closes in one step
// or in the next makes poses jump, and the maxima of the likelihood are many.
//
// Every toss is fitted alone (toss_together.h) with axes that stay wider than the jumps and starts drawn beside the
// best, from parameters of its own that are drawn as far about the last estimate as tosses are apart. What a piece of
// the likelihood pins is then an error of that toss, and not of all: the parameters are the weighted mean over the
// tosses, with Huber's weights and less weight where chi^2 stays above its degrees of freedom, and their standard
// deviations come from the scatter of the tosses, with Student's factor (toss_statements.h). Two passes. Fewer than
// five tosses are fitted several times each, and the scatter of these fits counts in full.
#pragma once

#include "estimators/tosses/toss_together.h"

namespace ricochet {

struct FitAloneOptions {
  Eigen::VectorXd spread;  // of each parameter: by which the start may be off; 0: held
  int passes = 2;
  std::uint64_t seed = 0;
};

TossLikelihoodResult FitAlone(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                              const FitAloneOptions& options);

}  // namespace ricochet
