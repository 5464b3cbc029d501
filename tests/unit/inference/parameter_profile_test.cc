// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/parameter_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/random.h"
#include "estimators/estimate_report.h"
#include "math/statistics.h"
#include "tests/support/toy_fit_problem.h"

namespace ricochet {
namespace {

/// Profile of a parameter with this deviance, estimated at `value`.
EstimatedProfile ProfileOf(double value, double deviation, const std::function<double(double)>& deviance) {
  testing::CurveProblem problem([=](double at) { return std::vector<double>{deviance(at)}; }, CostKind::kDeviance);
  return ProfileParameter(problem, problem.FitAt(value, deviation), 0);
}

bool Says(const EstimatedProfile& profile, const std::string& words) {
  return profile.words.find(words) != std::string::npos;
}

TEST(Profile, OfAParabolaIsTheEstimateAndItsDeviations) {
  const EstimatedProfile profile = ProfileOf(0.5, 0.1, [](double v) { return std::pow((v - 0.5) / 0.1, 2); });
  ASSERT_TRUE(profile.lower && profile.upper);
  constexpr double kHalf = 0.1 * 1.959964;
  EXPECT_NEAR(*profile.lower, 0.5 - kHalf, 1e-6);
  EXPECT_NEAR(*profile.upper, 0.5 + kHalf, 1e-6);
  EXPECT_TRUE(Says(profile, "between 0.304004 and 0.695996")) << profile.words;
  EXPECT_TRUE(std::is_sorted(profile.value.begin(), profile.value.end()));
  EXPECT_GE(profile.value.size(), 9u);
  EXPECT_LE(profile.value.size(), 15u);
  EXPECT_NEAR(*std::min_element(profile.deviance.begin(), profile.deviance.end()), 0, 1e-12);
}

TEST(Profile, OfALopsidedCurveIsLopsided) {
  // A parabola in the logarithm; its curvature at the estimate gives a deviation of 0.1.
  const EstimatedProfile profile = ProfileOf(0.4, 0.1, [](double v) { return std::pow(std::log(v / 0.4) / 0.25, 2); });
  ASSERT_TRUE(profile.lower && profile.upper);
  EXPECT_NEAR(*profile.lower, 0.4 * std::exp(-0.49), 0.002);
  EXPECT_NEAR(*profile.upper, 0.4 * std::exp(0.49), 0.002);
}

TEST(Profile, FindsTheLimitsWhereTheDeviationIsFarOff) {
  for (const double stated : {0.004, 0.02, 0.5}) {
    const EstimatedProfile profile = ProfileOf(0.5, stated, [](double v) { return std::pow((v - 0.5) / 0.05, 2); });
    ASSERT_TRUE(profile.lower && profile.upper) << stated;
    EXPECT_NEAR(*profile.lower, 0.402, 0.002) << stated;
    EXPECT_NEAR(*profile.upper, 0.598, 0.002) << stated;
  }
}

TEST(Profile, ACurveThatStaysFlatHasOneLimit) {
  const auto sticks = [](double v) { return v < 0.3 ? std::pow((0.3 - v) / 0.05, 2) : 0.0; };
  const EstimatedProfile below = ProfileOf(0.5, NAN, sticks);
  EXPECT_FALSE(below.upper);
  ASSERT_TRUE(below.lower);
  EXPECT_NEAR(*below.lower, 0.3 - 0.05 * std::sqrt(2.7055), 0.003);
  EXPECT_TRUE(Says(below, "at least 0.21") && Says(below, "upper limit not identifiable: up to 1.2")) << below.words;
  // At its bound: only from above.
  const EstimatedProfile above = ProfileOf(0, 0.1, [](double v) { return std::pow(v / 0.1, 2); });
  EXPECT_FALSE(above.lower);
  ASSERT_TRUE(above.upper);
  EXPECT_NEAR(*above.upper, 0.1645, 1e-3);
  const EstimatedProfile none = ProfileOf(0.5, INFINITY, [](double v) { return 0.5 * v; });
  EXPECT_FALSE(none.lower || none.upper);
  EXPECT_TRUE(Says(none, "not identifiable: from 0 to 1.2")) << none.words;
}

TEST(Profile, SaysWhereAValueFitsBetterThanTheEstimate) {
  const EstimatedProfile profile = ProfileOf(0.6, 0.1, [](double v) { return std::pow((v - 0.4) / 0.1, 2); });
  ASSERT_TRUE(profile.lower && profile.upper);
  EXPECT_LT(*profile.upper, 0.62);
  EXPECT_GT(*profile.lower, 0.18);
  EXPECT_TRUE(Says(profile, "below the estimate")) << profile.words;
}

// Steps grow in a flat direction, and the limit may lie anywhere in the last.
TEST(Profile, FindsALimitBeforeALeap) {
  for (const double stated : {0.02, 0.3}) {
    const EstimatedProfile profile =
        ProfileOf(0.9, stated, [](double v) { return v < 0.563 ? 1e5 * std::pow(1 - v, 2) : 0.0; });
    ASSERT_TRUE(profile.lower && !profile.upper) << profile.words;
    EXPECT_NEAR(*profile.lower, 0.563, 0.003) << stated;
  }
}

TEST(Profile, FitsThatFailEndIt) {
  const auto fails = [](double v) { return v > 0.55 ? INFINITY : std::pow((v - 0.5) / 0.1, 2); };
  const EstimatedProfile profile = ProfileOf(0.5, 0.1, fails);
  ASSERT_TRUE(profile.upper);
  EXPECT_NEAR(*profile.upper, 0.55, 0.002);
}

// Recordings that each have a least cost of their own: the mean +- twice its standard error, with Student's factor.
TEST(Profile, CostsOfRecordingsAreJudgedByTheirScatter) {
  constexpr int kRecordings = 8;
  Random random(3);
  std::vector<double> centers;
  double mean = 0, variance = 0;
  for (int k = 0; k < kRecordings; ++k) centers.push_back(0.5 + 0.1 * random.Normal());
  for (const double center : centers) mean += center / kRecordings;
  for (const double center : centers) variance += std::pow(center - mean, 2) / (kRecordings - 1);
  testing::CurveProblem problem(
      [&](double v) {
        std::vector<double> costs;
        for (const double center : centers) costs.push_back(7 + 3 * std::pow(v - center, 2));
        return costs;
      },
      CostKind::kCost);
  Fit fit = problem.FitAt(mean, 0.03);
  fit.enlargement = Eigen::VectorXd::Constant(1, StudentFactor(kRecordings - 1));
  const EstimatedProfile profile = ProfileParameter(problem, fit, 0);
  ASSERT_TRUE(profile.lower && profile.upper);
  const double wide = 2 * 2.3646 * std::sqrt(variance / kRecordings);  // Student, 7 degrees of freedom
  EXPECT_NEAR((*profile.upper - mean) / wide, 1, 0.02);
  EXPECT_NEAR((mean - *profile.lower) / wide, 1, 0.02);
}

// The range ends one step behind the limit: one value shows that it is passed.
TEST(Profile, CostsOfRecordingsThatRiseAtTheEndOfTheRangeAreNotFlat) {
  testing::CurveProblem problem(
      [](double v) {
        std::vector<double> costs;
        for (const double center : {0.048, 0.049, 0.05, 0.051, 0.052, 0.053})
          costs.push_back(std::pow((v - center) / 0.02, 2));
        return costs;
      },
      CostKind::kCost);
  const EstimatedProfile profile = ProfileParameter(problem, problem.FitAt(0.05, 0.03), 0);
  ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
  EXPECT_LT(*profile.lower, 0.05);
  EXPECT_GT(*profile.lower, 0.02);
}

TEST(Profile, AnEstimateWithoutAFitIsNotTheBestValue) {
  const auto fails = [](double v) { return v == 0.5 ? INFINITY : std::pow((v - 0.5) / 0.1, 2); };
  const EstimatedProfile profile = ProfileOf(0.5, 0.1, fails);
  ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
  EXPECT_LT(*profile.lower, 0.4);
  EXPECT_GT(*profile.upper, 0.6);
  const EstimatedProfile none = ProfileOf(0.5, 0.1, [](double) { return INFINITY; });
  EXPECT_FALSE(none.lower || none.upper);
  EXPECT_TRUE(Says(none, "no value has a fit")) << none.words;
}

TEST(Profile, FitsBeginAtTheNearestSolution) {
  testing::CurveProblem problem([](double v) { return std::vector<double>{std::pow((v - 0.5) / 0.1, 2)}; },
                                CostKind::kDeviance);
  ProfileParameter(problem, problem.FitAt(0.5, 0.1), 0);
  EXPECT_GT(problem.farthest_start, 0);
  EXPECT_LT(problem.farthest_start, 0.0701);
}

// With every recording's own unknown fitted again the profile of a linear problem is its standard deviation.
TEST(Profile, OfALinearProblemWithLocalUnknownsIsItsInterval) {
  Random random(11);
  testing::LineProblem problem(testing::LineProblem::Simulate(4, 15, 0.05, random), 0.05);
  const Fit fit = problem.Search();
  for (const int i : {0, 1}) {
    const EstimatedProfile profile = ProfileParameter(problem, fit, i);
    const double half = 1.959964 * std::sqrt(fit.covariance(i, i));
    ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
    EXPECT_NEAR(*profile.lower, fit.point.values[i] - half, 1e-6);
    EXPECT_NEAR(*profile.upper, fit.point.values[i] + half, 1e-6);
  }
}

}  // namespace
}  // namespace ricochet
