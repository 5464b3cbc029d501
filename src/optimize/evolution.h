// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Minimization of functions without derivatives over a box, for costs that jump: covariance matrix adaptation (Hansen:
// "The CMA evolution strategy: a tutorial", arXiv 1604.00772, rank-one and rank-mu updates with cumulated step
// lengths). It compares values only, so that jumps smaller than the difference between neighbors of its cloud do not
// matter.
//
// Coordinates are those of the unit box. Points outside are evaluated at the nearest point inside, and the distance to
// it counts as a penalty in proportion to the spread of the generation's values.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace ricochet {

/// Values of many points of the unit box at once. Not a number: the point has no value, which counts as the worst.
using BatchFunction = std::function<std::vector<double>(const std::vector<Eigen::VectorXd>&)>;

struct EvolutionOptions {
  int evaluations = 400;
  double spread = 0.15;     // standard deviation of the first generation
  double tolerance = 1e-4;  // ends when the cloud is smaller than this along every coordinate
  std::uint64_t seed = 0;
};

/// One generation.
struct EvolutionStep {
  double cost = 0;  // least value so far
  double step = 0;  // by how much the center of the cloud has moved since the generation before
};

struct EvolutionResult {
  Eigen::VectorXd best;  // the point with the least value
  Eigen::VectorXd mean;  // center of the last cloud, within the box
  double value = 0;      // of `best`
  int evaluations = 0;
  bool converged = false;
  std::vector<EvolutionStep> history;
};

EvolutionResult MinimizeByEvolution(const BatchFunction& function, const Eigen::VectorXd& start,
                                    const EvolutionOptions& options = {});

/// `count` points of the unit box, evenly spread: Halton's sequence, shifted so that it does not start in a corner.
std::vector<Eigen::VectorXd> EvenPoints(int dimension, int count);

}  // namespace ricochet
