// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convergence of planar `trajectory` from disturbed starts, as rates; see tests/support/trajectory_starts.h.
//
//   study_trajectory_starts [STARTS] > bench/study_trajectory_starts.csv        100 starts if not given
#include <fmt/format.h>

#include <cstdlib>

#include "tests/support/trajectory_starts.h"

int main(int argc, char** argv) {
  using namespace ricochet::testing;
  const int starts = argc > 1 ? std::atoi(argv[1]) : 100;
  fmt::print("kind,spread,starts,reached,mean_iterations\n");
  for (const double spread : {0.003, 0.01, 0.03, 0.1}) {
    const StartRate rate = LocalStarts(starts, spread);
    fmt::print("local,{},{},{},{:.1f}\n", spread, rate.starts, rate.reached, rate.mean_iterations);
  }
  const StartRate blind = BlindStarts(starts);
  fmt::print("blind,,{},{},{:.1f}\n", blind.starts, blind.reached, blind.mean_iterations);
}
