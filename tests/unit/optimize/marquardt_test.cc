// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/marquardt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace ricochet {
namespace {

/// f(x) = 1/2 r(x)^2 of one unknown.
class Scalar : public MarquardtProblem {
 public:
  Scalar(std::function<double(double)> r, std::function<double(double)> slope, double start)
      : x(start), r_(std::move(r)), slope_(std::move(slope)) {}

  bool Linearize() override {
    cost = 0.5 * r_(x) * r_(x);
    return std::isfinite(cost);
  }
  MarquardtStep Propose(double lambda) override {
    lambdas.push_back(lambda);
    const double j = slope_(x), h = j * j;
    if (lambda < singular_below) return {.solved = false};
    step_ = -j * r_(x) / (h * (1 + lambda));
    return {.predicted = -(j * r_(x) * step_ + 0.5 * h * step_ * step_)};
  }
  double TrialCost() override {
    const double r = r_(x + step_);
    return 0.5 * r * r;
  }
  double Take() override {
    x += step_;
    visited.push_back(x);
    return std::abs(step_);
  }
  void Reject() override { ++rejected; }
  void Keep() override { kept_ = x; }
  void Return() override {
    x = kept_;
    ++returned;
  }

  double x;
  double singular_below = -1;
  int rejected = 0, returned = 0;
  std::vector<double> lambdas, visited;

 private:
  std::function<double(double)> r_, slope_;
  double step_ = 0, kept_ = 0;
};

/// r = atan(x), on which undamped Gauss-Newton diverges from |x| > 1.39.
Scalar Arctangent(double start) {
  return {[](double x) { return std::atan(x); }, [](double x) { return 1 / (1 + x * x); }, start};
}

TEST(Marquardt, DampsWhereGaussNewtonDiverges) {
  Scalar problem = Arctangent(3);
  NielsenDamping damping(1e-3);
  RelativeDecrease rule(1e-12);
  const LeastSquaresSummary summary = RunMarquardt(problem, damping, rule);
  EXPECT_TRUE(summary.converged());
  EXPECT_NEAR(problem.x, 0, 1e-6);
  EXPECT_GT(problem.rejected, 0);
  // Growth by 2, 4, 8, ... while steps fail.
  ASSERT_GT(problem.lambdas.size(), 3u);
  EXPECT_DOUBLE_EQ(problem.lambdas[1], 2e-3);
  EXPECT_DOUBLE_EQ(problem.lambdas[2], 8e-3);
  for (std::size_t i = 1; i < summary.trace.size(); ++i) EXPECT_LT(summary.trace[i].cost, summary.trace[i - 1].cost);
}

TEST(Marquardt, NielsensRuleShrinksByTheGain) {
  NielsenDamping damping(1, 0.1, 1e-3, 100);
  damping.Succeed(0.5);  // as poor as a step that is taken for what it is
  EXPECT_DOUBLE_EQ(damping.lambda(), 1);
  damping.Succeed(0.9);
  EXPECT_DOUBLE_EQ(damping.lambda(), 1 - std::pow(0.8, 3));
  for (int k = 0; k < 10; ++k) damping.Succeed(1);
  EXPECT_DOUBLE_EQ(damping.lambda(), 1e-3);
  EXPECT_TRUE(damping.Fail());
  EXPECT_TRUE(damping.FailToSolve());
  EXPECT_DOUBLE_EQ(damping.lambda(), 2e-2);
  EXPECT_TRUE(damping.Fail());
  EXPECT_TRUE(damping.Fail());
  EXPECT_TRUE(damping.Fail());
  EXPECT_FALSE(damping.Fail());
}

/// Ends by what a step promises, whatever its damping.
class Promise final : public StoppingRule {
 public:
  explicit Promise(double least) : least_(least) {}
  std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep& step, const MarquardtProgress&) override {
    if (step.predicted >= least_) return std::nullopt;
    return LeastSquaresEnd::kConverged;
  }

 private:
  double least_;
};

TEST(Marquardt, NielsensRuleBeginsUndampedWhereRequested) {
  NielsenDamping damping(0, 1.0 / 3.0, 0);
  damping.Succeed(1);
  EXPECT_EQ(damping.lambda(), 0);
  EXPECT_TRUE(damping.Fail());
  const double first = damping.lambda();
  EXPECT_GT(first, 0);
  EXPECT_TRUE(damping.Fail());
  EXPECT_GT(damping.lambda(), first);
  // Where Gauss-Newton diverges the damped steps reach the minimum.
  Scalar problem = Arctangent(3);
  NielsenDamping undamped(0, 1.0 / 3.0, 0);
  RelativeDecrease rule(1e-12);
  EXPECT_TRUE(RunMarquardt(problem, undamped, rule).converged());
  EXPECT_NEAR(problem.x, 0, 1e-6);
}

TEST(Marquardt, DampsUntilTheSystemCanBeSolved) {
  Scalar problem = Arctangent(0.5);
  problem.singular_below = 1e-2;
  NielsenDamping damping(0, 0.1, 0);
  Promise rule(1e-12);
  EXPECT_TRUE(RunMarquardt(problem, damping, rule).converged());
  EXPECT_NEAR(problem.x, 0, 1e-5);
  EXPECT_EQ(problem.lambdas[0], 0);
  EXPECT_EQ(problem.rejected, 0);
}

TEST(Marquardt, EndsWhenDampingIsExhausted) {
  // The slope has the wrong sign: no step decreases the cost.
  Scalar problem([](double x) { return 1 + x; }, [](double) { return -1.0; }, 0);
  NielsenDamping damping(1, 0.1, 0, 1e3);
  RelativeDecrease rule(1e-12);
  const LeastSquaresSummary summary = RunMarquardt(problem, damping, rule);
  EXPECT_EQ(summary.end, LeastSquaresEnd::kStalled);
  EXPECT_EQ(summary.message, "no step decreases the cost");
  EXPECT_EQ(problem.x, 0);
}

TEST(Marquardt, CountsComputedStepsAgainstTheirLimit) {
  Scalar problem = Arctangent(3);
  NielsenDamping damping(1e-3);
  RelativeDecrease rule(1e-12);
  EXPECT_EQ(RunMarquardt(problem, damping, rule, {.max_trials = 4}).end, LeastSquaresEnd::kIterations);
  EXPECT_EQ(problem.lambdas.size(), 4u);
}

/// Undamped until a step fails.
class Undamped final : public Damping {
 public:
  Undamped() : Damping(0) {}
  void Succeed(double) override { lambda_ = 0; }
  bool Fail() override { return (lambda_ = std::max(1e-2, 10 * lambda_)) < 1e6; }
  void Restart() override { lambda_ = 1; }
};

/// A ridge at 0.5 in front of the minimum at 0: r rises there and leads down behind it.
double Ridge(double x) { return x + (x > 0.4 && x < 0.6 ? 1.0 : 0.0); }

TEST(Marquardt, RisesOverARidge) {
  // Steps of half the way land on the ridge from 1.
  const auto slope = [](double) { return 2.0; };
  Promise rule(1e-9);
  {
    Scalar problem(Ridge, slope, 1);
    Undamped damping;
    EXPECT_TRUE(RunMarquardt(problem, damping, rule, {.rises = 1, .most_rise = 3}).converged());
    EXPECT_DOUBLE_EQ(problem.visited[0], 0.5);
    EXPECT_NEAR(problem.x, 0, 1e-3);
    EXPECT_EQ(problem.returned, 0);
  }
  {
    // Without the permission, the damped step stays in front of it.
    Scalar problem(Ridge, slope, 1);
    Undamped damping;
    RunMarquardt(problem, damping, rule, {.max_iterations = 1});
    EXPECT_GT(problem.x, 0.6);
    EXPECT_GT(problem.rejected, 0);
  }
}

TEST(Marquardt, ReturnsFromARiseThatLeadsNowhere) {
  // Behind 0.5 it rises for ever.
  Scalar problem([](double x) { return x > 0.6 ? x : 1.1 + (0.6 - x); }, [](double) { return 2.0; }, 1);
  Undamped damping;
  RelativeDecrease rule(1e-9);
  RunMarquardt(problem, damping, rule, {.max_iterations = 20, .rises = 1, .most_rise = 3});
  EXPECT_EQ(problem.returned, 1);
  EXPECT_GT(problem.x, 0.6);
  EXPECT_LT(problem.x, 1);
}

TEST(Marquardt, EndsByTheCallersTest) {
  Scalar problem([](double x) { return x; }, [](double) { return 1.25; }, 1);
  Undamped damping;
  Promise rule(1e-4);
  EXPECT_TRUE(RunMarquardt(problem, damping, rule).converged());
  EXPECT_LT(0.5 * problem.x * problem.x, 1e-4);
  EXPECT_GT(std::abs(problem.x), 1e-4);
}

}  // namespace
}  // namespace ricochet
