// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/cross_validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/error.h"
#include "tests/support/toy_fit_problem.h"

namespace ricochet {
namespace {

using testing::LineProblem;

TEST(CrossValidation, OfTheRightModelLeavesTheNoise) {
  Random random(21);
  const LineProblem problem(LineProblem::Simulate(9, 40, 0.05, random), 0.05);
  const EstimatedCrossValidation result = CrossValidateFit(problem, 3);
  EXPECT_EQ(result.folds, 3);
  ASSERT_EQ(result.values.size(), 3u);
  ASSERT_EQ(result.recordings.size(), 9u);
  ASSERT_TRUE(result.residual_over_noise);
  // 360 residuals of 9 intercepts: the root mean square is known to 4 %.
  EXPECT_NEAR(*result.residual_over_noise, 1, 0.12);
  for (const HeldOutRecording& recording : result.recordings) {
    EXPECT_EQ(recording.fold, recording.recording % 3);
    EXPECT_TRUE(recording.residual_over_noise);
  }
}

TEST(CrossValidation, OfAModelThatIsTooSimpleShowsIt) {
  Random random(21);
  const std::vector<LineProblem::Data> data = LineProblem::Simulate(9, 40, 0.005, random);
  const EstimatedCrossValidation right = CrossValidateFit(LineProblem(data, 0.005), 3);
  const EstimatedCrossValidation simple = CrossValidateFit(LineProblem(data, 0.005, true, /*curved=*/false), 3);
  EXPECT_GT(*simple.residual_over_noise, 2 * *right.residual_over_noise);
}

TEST(CrossValidation, NeedsARecordingForEachFold) {
  Random random(21);
  const LineProblem problem(LineProblem::Simulate(3, 10, 0.05, random), 0.05);
  EXPECT_THROW(CrossValidateFit(problem, 1), InputError);
  EXPECT_THROW(CrossValidateFit(problem, 4), InputError);
}

}  // namespace
}  // namespace ricochet
