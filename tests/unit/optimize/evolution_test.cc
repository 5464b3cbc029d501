// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/evolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ricochet {
namespace {

using Points = std::vector<Eigen::VectorXd>;

TEST(Evolution, FindsTheBottomOfACurvedValley) {
  const auto valley = [](const Points& points) {
    std::vector<double> values;
    for (const Eigen::VectorXd& x : points) {
      const double a = 4 * x[0] - 2, b = 4 * x[1] - 1;
      values.push_back(100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a));
    }
    return values;
  };
  EvolutionOptions options;
  options.evaluations = 4000;
  options.tolerance = 1e-6;
  const EvolutionResult found = MinimizeByEvolution(valley, Eigen::Vector2d(0.2, 0.8), options);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.best[0], 0.75, 1e-3);
  EXPECT_NEAR(found.best[1], 0.5, 1e-3);
  // Its way: the least value so far, and clouds that come to a halt.
  ASSERT_GT(found.history.size(), 10u);
  EXPECT_EQ(found.history.front().step, 0);
  EXPECT_EQ(found.history.back().cost, found.value);
  for (std::size_t i = 1; i < found.history.size(); ++i) EXPECT_LE(found.history[i].cost, found.history[i - 1].cost);
  EXPECT_LT(found.history.back().step, 1e-4);
}

// Jumps of 0.05 on a bowl: a gradient would be 0 almost everywhere.
TEST(Evolution, GoesThroughJumps) {
  const auto steps = [](const Points& points) {
    std::vector<double> values;
    for (const Eigen::VectorXd& x : points) {
      Eigen::VectorXd d = x - Eigen::VectorXd::Constant(x.size(), 0.62);
      for (double& each : d) each = std::round(20 * each) / 20;
      values.push_back(d.squaredNorm());
    }
    return values;
  };
  const EvolutionResult found = MinimizeByEvolution(steps, Eigen::VectorXd::Constant(3, 0.1));
  EXPECT_LT((found.mean - Eigen::VectorXd::Constant(3, 0.62)).cwiseAbs().maxCoeff(), 0.06);
}

TEST(Evolution, StaysInTheBoxAndSurvivesPointsWithoutValue) {
  const auto beyond = [](const Points& points) {
    std::vector<double> values;
    for (const Eigen::VectorXd& x : points) {
      EXPECT_GE(x.minCoeff(), 0);
      EXPECT_LE(x.maxCoeff(), 1);
      values.push_back(x[1] > 0.9 ? std::numeric_limits<double>::quiet_NaN() : (x - Eigen::Vector2d(1.3, 0.5)).norm());
    }
    return values;
  };
  const EvolutionResult found = MinimizeByEvolution(beyond, Eigen::Vector2d(0.5, 0.8));
  EXPECT_GT(found.best[0], 0.99);
  EXPECT_NEAR(found.best[1], 0.5, 0.02);
}

TEST(Evolution, EvenPointsFillTheBox) {
  const Points points = EvenPoints(2, 64);
  int quarter[4] = {0, 0, 0, 0};
  for (const Eigen::VectorXd& x : points) ++quarter[(x[0] > 0.5 ? 1 : 0) + (x[1] > 0.5 ? 2 : 0)];
  for (const int count : quarter) EXPECT_NEAR(count, 16, 3);
}

}  // namespace
}  // namespace ricochet
