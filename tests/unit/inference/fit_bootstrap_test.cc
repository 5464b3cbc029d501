// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/fit_bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/error.h"
#include "tests/support/toy_fit_problem.h"

namespace ricochet {
namespace {

using testing::LineProblem;

BootstrapOptions Repetitions(int count) { return {.repetitions = count, .seed = 5}; }

TEST(FitBootstrap, SimulatedDataGiveTheStandardDeviationsOfALinearProblem) {
  Random random(8);
  LineProblem problem(LineProblem::Simulate(4, 15, 0.05, random), 0.05);
  const Fit fit = problem.Search();
  EXPECT_EQ(BootstrapKind(problem, fit), "a parametric bootstrap");
  const BootstrapResult result = BootstrapFit(problem, fit, Repetitions(600));
  ASSERT_TRUE(result.enough());
  EXPECT_EQ(result.failed, 0);
  // A standard deviation from 600 repetitions is known to 3 %.
  for (const int i : {0, 1})
    EXPECT_NEAR(std::sqrt(result.covariance(i, i) / fit.covariance(i, i)), 1, 0.12) << "parameter " << i;
}

TEST(FitBootstrap, WhatTheDataDoNotIdentifyStaysWhereItIs) {
  Random random(8);
  LineProblem problem(LineProblem::Simulate(4, 15, 0.05, random), 0.05, true, /*curved=*/false);
  Fit fit = problem.Search();
  fit.held = {0, 1};
  const BootstrapResult result = BootstrapFit(problem, fit, Repetitions(20));
  EXPECT_GT(result.covariance(0, 0), 0);
  EXPECT_NEAR(result.covariance(1, 1), 0, 1e-30);  // rounding of the mean
}

TEST(FitBootstrap, RecordingsAreResampledWhereTheMethodCannotSimulate) {
  Random random(9);
  LineProblem problem(LineProblem::Simulate(12, 15, 0.05, random), 0.05, /*simulates=*/false);
  const Fit fit = problem.Search();
  EXPECT_EQ(BootstrapKind(problem, fit), "a bootstrap over recordings");
  const BootstrapResult result = BootstrapFit(problem, fit, Repetitions(400));
  ASSERT_TRUE(result.enough());
  for (const int i : {0, 1}) {
    const double ratio = std::sqrt(result.covariance(i, i) / fit.covariance(i, i));
    EXPECT_GT(ratio, 0.6) << "parameter " << i;
    EXPECT_LT(ratio, 2.0) << "parameter " << i;
  }
  LineProblem few(LineProblem::Simulate(3, 15, 0.05, random), 0.05, /*simulates=*/false);
  EXPECT_THROW(BootstrapFit(few, few.Search(), Repetitions(20)), InputError);
}

}  // namespace
}  // namespace ricochet
