// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Processor time of one batch of rollouts, for comparison with the same call from Python (bench/python/overhead.py).
//
//     build-bench/bench/run_rollout SCENE COUNT DURATION
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <numeric>

#include "ricochet/rollout_batch.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "run_rollout SCENE COUNT DURATION\n");
    return 2;
  }
  const ricochet::Scene scene = ricochet::ReadScene(argv[1]);
  Eigen::MatrixXd friction(std::atoi(argv[2]), 1);
  friction.col(0).setLinSpaced(0.1, 0.9);
  const std::clock_t begin = std::clock();
  const ricochet::RolloutBatch batch = ricochet::RollOut(scene, "contact.friction", friction, Eigen::MatrixXd(),
                                                         {.duration = std::atof(argv[3]), .every = 10}, {.threads = 1});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  fmt::print("{:.6f} {:.17g}\n", seconds, std::accumulate(batch.states.begin(), batch.states.end(), 0.0));
}
