// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/simplex.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet {
namespace {

TEST(Simplex, FollowsACurvedValley) {
  // Rosenbrock's function over the unit box, minimum 0 at (0.75, 0.75).
  const BatchFunction valley = [](const std::vector<Eigen::VectorXd>& points) {
    std::vector<double> out;
    for (const Eigen::VectorXd& p : points) {
      const double x = 4 * p[0] - 2, y = 4 * p[1] - 2;
      out.push_back(100 * std::pow(y - x * x, 2) + std::pow(1 - x, 2));
    }
    return out;
  };
  const SimplexResult found =
      MinimizeBySimplex(valley, Eigen::Vector2d(0.2, 0.8), {.evaluations = 400, .size = 0.1, .tolerance = 1e-6});
  EXPECT_TRUE(found.converged);
  EXPECT_LT((found.best - Eigen::Vector2d(0.75, 0.75)).norm(), 1e-4);
}

TEST(Simplex, StaysInTheBoxAndSaysWhenItIsNotDone) {
  const BatchFunction slope = [](const std::vector<Eigen::VectorXd>& points) {
    std::vector<double> out;
    for (const Eigen::VectorXd& p : points) {
      EXPECT_GE(p.minCoeff(), 0);
      EXPECT_LE(p.maxCoeff(), 1);
      out.push_back(p.sum());
    }
    return out;
  };
  const SimplexResult edge = MinimizeBySimplex(slope, Eigen::Vector3d(0.1, 0.2, 0.3), {.evaluations = 400});
  EXPECT_LT(edge.value, 1e-2);
  const SimplexResult cut = MinimizeBySimplex(slope, Eigen::Vector3d(0.9, 0.9, 0.9), {.evaluations = 10});
  EXPECT_FALSE(cut.converged);
  EXPECT_LE(cut.evaluations, 14);
}

}  // namespace
}  // namespace ricochet
