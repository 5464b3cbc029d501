// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How far a count of intervals that cover the truth, or the mean square of errors over their standard deviations, may
// be from what is claimed, before chance explains it less than once in a thousand times.
#pragma once

#include <cmath>
#include <utility>

namespace ricochet::testing {

/// Fewer of so many independent intervals of this level cover with a probability below 1e-3 (binomial).
inline int LeastCovered(int intervals, double level = 0.95) {
  double probability = std::pow(1 - level, intervals), below = 0;  // of exactly, and of fewer than `covered`
  for (int covered = 0; covered < intervals; ++covered) {
    below += probability;
    if (below >= 1e-3) return covered;
    probability *= level / (1 - level) * (intervals - covered) / (covered + 1);
  }
  return intervals;
}

/// Limits of the mean of so many independent squares of errors over their standard deviations: chi^2 over its degrees
/// of freedom, each side 5e-4 (Wilson and Hilferty).
inline std::pair<double, double> MeanSquareLimits(int count) {
  constexpr double kQuantile = 3.2905;
  const double spread = 2.0 / (9 * count);
  const auto at = [&](double z) { return std::pow(1 - spread + z * std::sqrt(spread), 3); };
  return {at(-kQuantile), at(kQuantile)};
}

}  // namespace ricochet::testing
