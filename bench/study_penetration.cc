// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How deep planar steps penetrate, over the step: 200 random scenes (tests/support/random_planar.h), 2.5 reference
// times each, restitution 0. Writes a table to standard output; the committed one is bench/study_penetration.csv.
//
//   cmake --preset bench && cmake --build build-bench --target study_penetration
//   build-bench/bench/study_penetration > bench/study_penetration.csv
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/support/penetration.h"

int main() {
  fmt::print(
      "method,step_fraction,scenes,mean_penetration_per_size,largest_penetration_per_size,largest_excess_per_impact\n");
  for (const char* method : {"irc", "lcp", "igc"}) {
    for (int fraction : {1, 2, 4, 8, 16}) {
      const ricochet::testing::PenetrationSummary s =
          ricochet::testing::MeasurePenetration(method, 200, 1.0 / fraction);
      fmt::print("{},{},{},{:.4e},{:.4e},{:.4e}\n", method, 1.0 / fraction, s.scenes, s.mean, s.largest,
                 s.largest_excess);
    }
  }
}
