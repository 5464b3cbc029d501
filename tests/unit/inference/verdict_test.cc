// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/verdict.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inference/score_scatter.h"
#include "tests/support/polynomial_problem.h"

namespace ricochet {
namespace {

using testing::PolynomialProblem;

struct Judged {
  Verdict verdict;
  double pull = 0;  // error of b over its standard deviation
};

Judged Judge(const PolynomialProblem::Truth& truth, std::uint64_t seed) {
  Random random(seed);
  PolynomialProblem problem(truth, 0.01, random);
  const Fit fit = problem.Search();
  Eigen::MatrixXd covariance = fit.covariance;
  Judged out{JudgeFit(problem, fit, covariance), 0};
  out.pull = (fit.point.values[0] - truth.b) / std::sqrt(covariance(0, 0));
  return out;
}

constexpr int kSeeds = 200;

TEST(Verdict, RightModelsAreGood) {
  int good = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Judged judged = Judge({.recordings = 2}, seed);
    good += judged.verdict.level == VerdictLevel::kGood;
    EXPECT_NEAR(*judged.verdict.residual_over_noise, 1, 0.25);
  }
  EXPECT_GE(good, 0.97 * kSeeds);
}

/// However small or large the error of what is held: intervals cover it but for a few just below what tests can see,
/// and where it matters it is named, with its value.
TEST(Verdict, WhatWasHeldWronglyIsNotBelieved) {
  int beyond = 0;
  for (const double error : {1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const Judged judged = Judge({.c = 0.3 + error, .recordings = 2}, seed);
      const Verdict& verdict = judged.verdict;
      beyond += std::abs(judged.pull) > 4;
      if (error < 0.03) continue;
      ASSERT_FALSE(verdict.explanations.empty()) << error;
      EXPECT_EQ(verdict.explanations[0].path, "contact.restitution");
      EXPECT_NEAR(verdict.explanations[0].value[0], 0.3 + error, 4 * verdict.explanations[0].std[0]);
      EXPECT_NEAR(*verdict.explanations[0].residual_over_noise, 1, 0.25);
      EXPECT_EQ(verdict.level, *verdict.residual_over_noise > 3 ? VerdictLevel::kRejected : VerdictLevel::kLimited);
      EXPECT_NE(verdict.explanations[0].command.find("option `paths` \"contact.friction, contact.restitution\""),
                std::string::npos);
    }
  EXPECT_LE(beyond, 4);  // of 180
}

TEST(Verdict, CorrelatedNoiseWidensIntervals) {
  double squares = 0;
  int limited = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Judged judged = Judge({.memory = 0.8, .recordings = 2, .rows = 200}, seed);
    limited += judged.verdict.level == VerdictLevel::kLimited;
    squares += judged.pull * judged.pull;
  }
  EXPECT_EQ(limited, kSeeds);
  EXPECT_LT(std::sqrt(squares / kSeeds), 1.3);  // 3 without
}

TEST(Verdict, ScatterBetweenRecordingsWidensIntervals) {
  double squares = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Judged judged = Judge({.between = 0.03, .recordings = 8}, seed);
    EXPECT_NE(judged.verdict.level, VerdictLevel::kGood);
    squares += judged.pull * judged.pull;
  }
  EXPECT_LT(std::sqrt(squares / kSeeds), 1.3);
}

// Few rows show their noise only roughly, which must not make a misfit of twice the noise good.
TEST(Verdict, FewRowsDoNotMakeAMisfitGood) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    PolynomialProblem problem({.noise = 0.025, .rows = 18}, 0.01, random);
    problem.noise_freedom = 2.6;
    const Fit fit = problem.Search();
    Eigen::MatrixXd covariance = fit.covariance;
    const Verdict verdict = JudgeFit(problem, fit, covariance);
    if (*verdict.residual_over_noise < 1.5) continue;
    EXPECT_EQ(verdict.level, VerdictLevel::kLimited) << seed << " " << *verdict.residual_over_noise;
    EXPECT_GT(covariance(0, 0), 2 * fit.covariance(0, 0));
  }
}

// Held parameters are fitted only where something speaks against the fit, or where all tests are requested.
TEST(Verdict, GoodFitsAreNotRepeated) {
  for (const bool wrong : {false, true})
    for (const bool all_tests : {false, true}) {
      Random random(1);
      PolynomialProblem problem({.c = wrong ? 0.6 : 0.3, .recordings = 2}, 0.01, random);
      const Fit fit = problem.Search();
      Eigen::MatrixXd covariance = fit.covariance;
      const Verdict verdict = JudgeFit(problem, fit, covariance, all_tests);
      EXPECT_EQ(verdict.level == VerdictLevel::kGood, !wrong);
      EXPECT_EQ(*problem.searches > 1, wrong) << all_tests;
    }
}

TEST(Verdict, ReasonsSayWhatCanBeDone) {
  const Explanation explanation{.path = "gravity.tilt",
                                .value = {0.02},
                                .std = {0.001},
                                .unit = "rad",
                                .residual_over_noise = 1.1,
                                .shift = 7,
                                .command = "option `paths` \"a, gravity.tilt\""};
  EXPECT_EQ(RemedyOf(explanation, true, 40),
            "gravity.tilt = 0.02 +- 0.001 rad would reduce residuals from 40 to 1.1 times the noise: correct the scene "
            "or add option `paths` \"a, gravity.tilt\"");
  EXPECT_EQ(RemedyOf(explanation, true, 1.15),
            "gravity.tilt = 0.02 +- 0.001 rad would explain the data better and move the estimates by up to 7 standard "
            "deviations: correct the scene or add option `paths` \"a, gravity.tilt\"");
  // A value that is not known is not named.
  EXPECT_EQ(RemedyOf(explanation, false, 40),
            "another value of gravity.tilt would reduce residuals from 40 to 1.1 times the noise, but the data do not "
            "determine it: measure it, and check the other values of the scene");
  // What leaves gross residuals is no remedy by itself.
  Explanation part = explanation;
  part.residual_over_noise = 15;
  EXPECT_EQ(RemedyOf(part, true, 40),
            "gravity.tilt = 0.02 +- 0.001 rad would reduce residuals from 40 to 15 times the noise, which is not "
            "enough: check every value, unit and axis of the scene; to estimate gravity.tilt as well, add option "
            "`paths` \"a, gravity.tilt\"");
}

TEST(Verdict, LowerGivesTheWorstReasonFirst) {
  Verdict verdict;
  verdict.level = VerdictLevel::kGood;
  verdict.Lower(VerdictLevel::kLimited, "a");
  verdict.Lower(VerdictLevel::kRejected, "b");
  verdict.Lower(VerdictLevel::kLimited, "c");
  EXPECT_EQ(verdict.level, VerdictLevel::kRejected);
  EXPECT_EQ(verdict.reasons, (std::vector<std::string>{"b", "a", "c"}));
}

TEST(ScatterCovariance, IsThatOfTheFitForIndependentNoise) {
  double ratio = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    PolynomialProblem problem({.recordings = 10}, 0.01, random);
    const Fit fit = problem.Search();
    ratio += (*ScatterCovariance(problem, fit))(0, 0) / fit.covariance(0, 0) / kSeeds;
  }
  EXPECT_NEAR(ratio, 1.3, 0.2);  // Student's factor for 10 recordings, squared
}

}  // namespace
}  // namespace ricochet
