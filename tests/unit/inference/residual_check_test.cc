// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/residual_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/statistics.h"
#include "tests/support/polynomial_problem.h"

namespace ricochet {
namespace {

using testing::PolynomialProblem;

TEST(TailOfF, AgreesWithTables) {
  const double infinite = std::numeric_limits<double>::infinity();
  // Upper 5 % and 1 % points.
  EXPECT_NEAR(TailOfF(3.326, 5, 10), 0.05, 0.003);
  EXPECT_NEAR(TailOfF(5.636, 5, 10), 0.01, 0.001);
  EXPECT_NEAR(TailOfF(2.348, 10, 20), 0.05, 0.003);
  EXPECT_NEAR(TailOfF(124.342 / 100, 100, infinite), 0.05, 0.001);
  EXPECT_NEAR(TailOfF(135.807 / 100, 100, infinite), 0.01, 0.001);
  EXPECT_NEAR(TailOfF(8.786, 10, 3), 0.05, 0.01);
  EXPECT_EQ(TailOfF(0, 5, 10), 1);
}

ResidualCheck Check(const PolynomialProblem::Truth& truth, double stated, std::uint64_t seed) {
  Random random(seed);
  PolynomialProblem problem(truth, stated, random);
  return CheckResiduals(problem, problem.Search()).value();
}

TEST(ResidualCheck, MeasuresTheNoiseAndCountsFreedom) {
  const ResidualCheck check = Check({.recordings = 3, .rows = 400}, 0.01, 1);
  EXPECT_EQ(check.count, 1200);
  EXPECT_EQ(check.freedom, 1200 - 3 - 1);
  EXPECT_NEAR(*check.over_noise, 1, 0.1);
  EXPECT_NEAR(*Check({.noise = 0.02, .recordings = 3, .rows = 400}, 0.01, 1).over_noise, 2, 0.2);
  EXPECT_LT(Check({.noise = 0.02, .recordings = 3, .rows = 400}, 0.01, 1).p_value, 1e-12);
}

TEST(ResidualCheck, ProbabilitiesAreThoseOfChance) {
  int large = 0, correlated = 0;
  constexpr int kSeeds = 400;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const ResidualCheck check = Check({.recordings = 2}, 0.01, seed);
    large += check.p_value < 0.05;
    correlated += check.white_p_value < 0.05;
  }
  EXPECT_NEAR(large, 0.05 * kSeeds, 15);       // three standard deviations of a count
  EXPECT_NEAR(correlated, 0.05 * kSeeds, 16);  // a fit makes residuals a little less correlated
}

TEST(ResidualCheck, SeesCorrelationInTime) {
  const ResidualCheck check = Check({.memory = 0.6, .rows = 400}, 0.01, 3);
  EXPECT_LT(check.white_p_value, 1e-12);
  EXPECT_NEAR(check.inflation, (1 + 0.6) / (1 - 0.6), 1.2);
}

TEST(ResidualCheck, NamesTheLargestResidual) {
  const ResidualCheck check = Check({.c = 0.6, .recordings = 2}, 0.01, 4);
  EXPECT_EQ(check.largest_channel, "y");
  EXPECT_GT(check.largest, 5);
  EXPECT_TRUE(check.largest_time < -0.5 || check.largest_time > 1.3) << check.largest_time;  // ends of a parabola
}

}  // namespace
}  // namespace ricochet
