// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "optimize/covariance.h"

namespace ricochet {
namespace {

/// Rosenbrock's valley as residuals; minimum 0 at (1, 1).
bool Rosenbrock(const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
  r.resize(2);
  r << 10 * (x[1] - x[0] * x[0]), 1 - x[0];
  if (j) {
    j->resize(2, 2);
    *j << -20 * x[0], 10, -1, 0;
  }
  return true;
}

TEST(LeastSquares, FollowsRosenbrocksValley) {
  Eigen::VectorXd x(2);
  x << -1.2, 1;
  const LeastSquaresSummary summary = MinimizeLeastSquares(Rosenbrock, {.cost_tolerance = 1e-16}, x);
  EXPECT_NE(summary.end, LeastSquaresEnd::kFailed);
  EXPECT_NEAR(x[0], 1, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
  // The trace falls from the start to the end.
  ASSERT_GT(summary.trace.size(), 3u);
  EXPECT_EQ(summary.trace.front().cost, summary.initial_cost);
  EXPECT_EQ(summary.trace.front().step, 0);
  EXPECT_EQ(summary.trace.back().cost, summary.cost);
  for (std::size_t i = 1; i < summary.trace.size(); ++i) {
    EXPECT_LT(summary.trace[i].cost, summary.trace[i - 1].cost);
    EXPECT_GT(summary.trace[i].step, 0);
  }
}

TEST(LeastSquares, StopsAtABound) {
  LeastSquaresOptions options;
  options.lower = Eigen::Vector2d(-INFINITY, -INFINITY);
  options.upper = Eigen::Vector2d(0.5, INFINITY);
  Eigen::VectorXd x(2);
  x << -1.2, 1;
  MinimizeLeastSquares(Rosenbrock, options, x);
  // On x0 = 1/2 the best x1 is 1/4.
  EXPECT_DOUBLE_EQ(x[0], 0.5);
  EXPECT_NEAR(x[1], 0.25, 1e-6);
}

TEST(LeastSquares, HuberResistsAnOutlier) {
  // Mean of 0, 0, 0, 0, 100: plain 20; with the loss the outlier pulls with weight k only: 4 x = k, x = 1/4.
  const auto mean = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    r.resize(5);
    r << x[0], x[0], x[0], x[0], x[0] - 100;
    if (j) *j = Eigen::MatrixXd::Ones(5, 1);
    return true;
  };
  Eigen::VectorXd x = Eigen::VectorXd::Constant(1, 3.0);
  MinimizeLeastSquares(mean, {.cost_tolerance = 1e-15}, x);
  EXPECT_NEAR(x[0], 20, 1e-9);
  MinimizeLeastSquares(mean, {.max_iterations = 500, .cost_tolerance = 1e-15, .huber = 1}, x);
  EXPECT_NEAR(x[0], 0.25, 1e-3);
}

TEST(LeastSquares, LeavesParametersWithoutEffectAlone) {
  const auto function = [](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    r = Eigen::VectorXd::Constant(1, x[0] - 2);
    if (j) {
      j->setZero(1, 2);
      (*j)(0, 0) = 1;
    }
    return true;
  };
  Eigen::VectorXd x(2);
  x << 0, 7;
  MinimizeLeastSquares(function, {}, x);
  EXPECT_NEAR(x[0], 2, 1e-6);
  EXPECT_EQ(x[1], 7);
}

/// A step to a point without derivatives is taken back, and a shorter one is tried; what lies beyond is not known.
TEST(LeastSquares, LeavesPointsWithoutDerivatives) {
  for (const bool at_the_minimum : {false, true}) {
    // The full step from 0 goes to 2; the minimum is at 1.5 or in the region without derivatives.
    const ResidualFunction function = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
      r.setConstant(1, std::atan(x[0] - (at_the_minimum ? 1.9 : 1.5)));
      if (!j) return true;
      if (x[0] > 1.8 && x[0] < 2.5) return false;
      j->setConstant(1, 1, 1 / (1 + std::pow(x[0] - (at_the_minimum ? 1.9 : 1.5), 2)));
      return true;
    };
    Eigen::VectorXd x(1);
    x << 0.6;
    const LeastSquaresSummary summary = MinimizeLeastSquares(function, {}, x);
    EXPECT_EQ(summary.converged(), !at_the_minimum) << summary.message;
    EXPECT_NE(summary.end, LeastSquaresEnd::kStalled);
    EXPECT_TRUE(std::is_sorted(summary.trace.rbegin(), summary.trace.rend(),
                               [](const auto& a, const auto& b) { return a.cost < b.cost; }));
    EXPECT_NEAR(x[0], at_the_minimum ? 1.8 : 1.5, 1e-6);
  }
}

TEST(Information, CovarianceOfALine) {
  // y = a + b t at t = -1, 0, 1 with unit noise: var a = 1/3, var b = 1/2.
  Eigen::MatrixXd j(3, 2);
  j << 1, -1, 1, 0, 1, 1;
  const ParameterInformation information = AnalyzeInformation(j, Eigen::Vector2d::Ones());
  EXPECT_EQ(information.rank, 2);
  EXPECT_NEAR(information.covariance(0, 0), 1.0 / 3, 1e-14);
  EXPECT_NEAR(information.covariance(1, 1), 0.5, 1e-14);
  EXPECT_NEAR(information.covariance(0, 1), 0, 1e-14);
}

TEST(Information, NullSpaceInWords) {
  // Residuals depend on x1 / x0 only: in relative changes the common direction (1, 1) is not seen.
  const Eigen::Vector2d x(0.5, 4.0);
  Eigen::MatrixXd j(2, 2);
  j << -3 / x[0], 3 / x[1], 1 / x[0], -1 / x[1];
  const ParameterInformation information = AnalyzeInformation(j, x);
  EXPECT_EQ(information.rank, 1);
  EXPECT_FALSE(information.determined[0]);
  EXPECT_FALSE(information.determined[1]);
  EXPECT_TRUE(std::isnan(information.covariance(0, 0)));
  EXPECT_EQ(DescribeNullSpace(information, {"bodies.e.mass", "bodies.e.inertia"}),
            "only bodies.e.inertia / bodies.e.mass is identifiable");
}

}  // namespace
}  // namespace ricochet
