// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "estimators/estimate_report.h"
#include "math/statistics.h"
#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// A number with this deviance, estimated at `value`.
ProfileTask TaskOf(double value, double deviation, const std::function<double(double)>& deviance) {
  ProfileTask task{.path = "contact.friction", .unit = "-", .value = value, .deviation = deviation, .fit = {}};
  task.size = 0.4;
  task.lower = 0;
  task.upper = 1.2;
  task.fit = [=](double at, const Eigen::VectorXd& /*start*/) { return HeldFit{{deviance(at)}, {}}; };
  return task;
}

bool Says(const EstimatedProfile& profile, const std::string& words) {
  return profile.words.find(words) != std::string::npos;
}

TEST(Profile, OfAParabolaIsTheEstimateAndItsDeviations) {
  const EstimatedProfile profile = MakeProfile(TaskOf(0.5, 0.1, [](double v) { return std::pow((v - 0.5) / 0.1, 2); }));
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
  const EstimatedProfile profile =
      MakeProfile(TaskOf(0.4, 0.1, [](double v) { return std::pow(std::log(v / 0.4) / 0.25, 2); }));
  ASSERT_TRUE(profile.lower && profile.upper);
  EXPECT_NEAR(*profile.lower, 0.4 * std::exp(-0.49), 0.002);
  EXPECT_NEAR(*profile.upper, 0.4 * std::exp(0.49), 0.002);
}

TEST(Profile, FindsTheLimitsWhereTheDeviationIsFarOff) {
  for (const double stated : {0.004, 0.02, 0.5}) {
    const EstimatedProfile profile =
        MakeProfile(TaskOf(0.5, stated, [](double v) { return std::pow((v - 0.5) / 0.05, 2); }));
    ASSERT_TRUE(profile.lower && profile.upper) << stated;
    EXPECT_NEAR(*profile.lower, 0.402, 0.002) << stated;
    EXPECT_NEAR(*profile.upper, 0.598, 0.002) << stated;
  }
}

TEST(Profile, ACurveThatStaysFlatHasOneLimit) {
  const auto sticks = [](double v) { return v < 0.3 ? std::pow((0.3 - v) / 0.05, 2) : 0.0; };
  const EstimatedProfile below = MakeProfile(TaskOf(0.5, NAN, sticks));
  EXPECT_FALSE(below.upper);
  ASSERT_TRUE(below.lower);
  EXPECT_NEAR(*below.lower, 0.3 - 0.05 * std::sqrt(2.7055), 0.003);
  EXPECT_TRUE(Says(below, "at least 0.21") && Says(below, "flat direction: up to 1.2")) << below.words;
  // At its bound: only from above.
  const EstimatedProfile above = MakeProfile(TaskOf(0, 0.1, [](double v) { return std::pow(v / 0.1, 2); }));
  EXPECT_FALSE(above.lower);
  ASSERT_TRUE(above.upper);
  EXPECT_NEAR(*above.upper, 0.1645, 1e-3);
  const EstimatedProfile none = MakeProfile(TaskOf(0.5, INFINITY, [](double v) { return 0.5 * v; }));
  EXPECT_FALSE(none.lower || none.upper);
  EXPECT_TRUE(Says(none, "flat direction: from 0 to 1.2")) << none.words;
}

TEST(Profile, SaysWhereAValueFitsBetterThanTheEstimate) {
  const EstimatedProfile profile = MakeProfile(TaskOf(0.6, 0.1, [](double v) { return std::pow((v - 0.4) / 0.1, 2); }));
  ASSERT_TRUE(profile.lower && profile.upper);
  EXPECT_LT(*profile.upper, 0.62);
  EXPECT_GT(*profile.lower, 0.18);
  EXPECT_TRUE(Says(profile, "below that of the estimate")) << profile.words;
}

// Steps grow in a flat direction, and the limit may lie anywhere in the last.
TEST(Profile, FindsALimitBeforeALeap) {
  for (const double stated : {0.02, 0.3}) {
    const EstimatedProfile profile =
        MakeProfile(TaskOf(0.9, stated, [](double v) { return v < 0.563 ? 1e5 * std::pow(1 - v, 2) : 0.0; }));
    ASSERT_TRUE(profile.lower && !profile.upper) << profile.words;
    EXPECT_NEAR(*profile.lower, 0.563, 0.003) << stated;
  }
}

TEST(Profile, FitsThatFailEndIt) {
  const auto fails = [](double v) { return v > 0.55 ? INFINITY : std::pow((v - 0.5) / 0.1, 2); };
  const EstimatedProfile profile = MakeProfile(TaskOf(0.5, 0.1, fails));
  ASSERT_TRUE(profile.upper);
  EXPECT_NEAR(*profile.upper, 0.55, 0.002);
}

// Recordings that each have a least cost of their own: the mean +- twice its standard error, with Student's factor.
TEST(Profile, CostsOfRecordingsAreJudgedByTheirScatter) {
  constexpr int kRecordings = 8;
  Random random(3);
  std::vector<double> centres;
  double mean = 0, variance = 0;
  for (int k = 0; k < kRecordings; ++k) centres.push_back(0.5 + 0.1 * random.Normal());
  for (const double centre : centres) mean += centre / kRecordings;
  for (const double centre : centres) variance += std::pow(centre - mean, 2) / (kRecordings - 1);
  ProfileTask task = TaskOf(mean, 0.03, {});
  task.allowance = std::pow(StudentFactor(kRecordings - 1), 2);
  task.fit = [&](double v, const Eigen::VectorXd& /*start*/) {
    HeldFit fit;
    for (const double centre : centres) fit.costs.push_back(7 + 3 * std::pow(v - centre, 2));
    return fit;
  };
  const EstimatedProfile profile = MakeProfile(task);
  ASSERT_TRUE(profile.lower && profile.upper);
  const double wide = 2 * 2.3646 * std::sqrt(variance / kRecordings);  // Student, 7 degrees of freedom
  EXPECT_NEAR((*profile.upper - mean) / wide, 1, 0.02);
  EXPECT_NEAR((mean - *profile.lower) / wide, 1, 0.02);
}

// The range ends one step behind the limit: one value tells that it is passed.
TEST(Profile, CostsOfRecordingsThatRiseAtTheEndOfTheRangeAreNotFlat) {
  ProfileTask task = TaskOf(0.05, 0.03, {});
  task.fit = [](double v, const Eigen::VectorXd& /*start*/) {
    HeldFit fit;
    for (const double centre : {0.048, 0.049, 0.05, 0.051, 0.052, 0.053})
      fit.costs.push_back(std::pow((v - centre) / 0.02, 2));
    return fit;
  };
  const EstimatedProfile profile = MakeProfile(task);
  ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
  EXPECT_LT(*profile.lower, 0.05);
  EXPECT_GT(*profile.lower, 0.02);
}

TEST(Profile, AnEstimateWithoutAFitIsNotTheBestValue) {
  const auto fails = [](double v) { return v == 0.5 ? INFINITY : std::pow((v - 0.5) / 0.1, 2); };
  const EstimatedProfile profile = MakeProfile(TaskOf(0.5, 0.1, fails));
  ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
  EXPECT_LT(*profile.lower, 0.4);
  EXPECT_GT(*profile.upper, 0.6);
  const EstimatedProfile none = MakeProfile(TaskOf(0.5, 0.1, [](double) { return INFINITY; }));
  EXPECT_FALSE(none.lower || none.upper);
  EXPECT_TRUE(Says(none, "no value of it has a fit")) << none.words;
}

TEST(Profile, FitsBeginAtTheNearestSolution) {
  ProfileTask task = TaskOf(0.5, 0.1, {});
  double farthest = 0;
  task.fit = [&](double v, const Eigen::VectorXd& start) {
    if (start.size() > 0) farthest = std::max(farthest, std::abs(start[0] - v));
    return HeldFit{{std::pow((v - 0.5) / 0.1, 2)}, Eigen::VectorXd::Constant(1, v)};
  };
  MakeProfile(task);
  EXPECT_GT(farthest, 0);
  EXPECT_LT(farthest, 0.0701);
}

TEST(Profile, NamesNumbersThatAreNotEstimated) {
  const Scene scene = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  const std::vector<Recording> recordings;
  IdentifyRequest request{scene, recordings, ParsePathList(scene, "contact.friction, contact.restitution"), {}};
  request.options.profiles = {"contact.restitution", "contact.friction", "contact.restitution"};
  EXPECT_EQ(ProfiledNumbers(request, request.wanted), (std::vector<int>{1, 0}));
  request.options.profiles = {"bodies.ellipse.inertia / bodies.ellipse.mass"};
  try {
    ProfiledNumbers(request, request.wanted);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bodies.ellipse.inertia/bodies.ellipse.mass` is not among"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ricochet
