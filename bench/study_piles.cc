// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Piles of boxes with `moreau`: how far the contact problems of bodies that touch each other are solved. One row per
// number of boxes, friction and restitution, eight piles each.
//
//   build-bench/bench/study_piles > bench/study_piles.csv
#include <fmt/format.h>

#include "tests/support/spatial_run.h"

int main() {
  using namespace ricochet::testing;
  fmt::print("boxes,friction,restitution,contact_steps,above_1e-10,failed,worst_residual\n");
  for (const int boxes : {2, 3, 5, 8})
    for (const double friction : {0.2, 0.8})
      for (const double restitution : {0.0, 0.1, 0.3}) {
        PileCount sum;
        for (int seed = 1; seed <= 8; ++seed) RunPile({boxes, 100u + seed, friction, restitution}, sum);
        fmt::print("{},{},{},{},{},{},{:.1e}\n", boxes, friction, restitution, sum.steps, sum.above, sum.failed,
                   sum.residual);
      }
  return 0;
}
