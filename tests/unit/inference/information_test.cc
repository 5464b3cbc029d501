// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/information.h"

#include <gtest/gtest.h>

#include "tests/support/toy_fit_problem.h"

namespace ricochet {
namespace {

TEST(Information, IsTheInverseCovarianceWithEveryLocalUnknownFree) {
  Random random(4);
  testing::LineProblem problem(testing::LineProblem::Simulate(3, 12, 0.02, random), 0.02);
  const Fit fit = problem.Search();
  const std::optional<ParameterInformation> information = InformationOf(problem, fit.point);
  ASSERT_TRUE(information);
  EXPECT_EQ(information->rank, 2);
  EXPECT_LT((information->covariance - fit.covariance).norm(), 1e-9 * fit.covariance.norm());
}

TEST(Information, NamesADirectionWithoutEffect) {
  Random random(4);
  testing::LineProblem problem(testing::LineProblem::Simulate(3, 12, 0.02, random), 0.02, true, /*curved=*/false);
  const std::optional<ParameterInformation> information = InformationOf(problem, problem.Search().point);
  ASSERT_TRUE(information);
  EXPECT_EQ(information->rank, 1);
  EXPECT_TRUE(information->determined[0]);
  EXPECT_FALSE(information->determined[1]);
}

TEST(Information, IsNoneForMotionWithoutDerivatives) {
  testing::CurveProblem problem([](double v) { return std::vector<double>{v}; }, CostKind::kDeviance);
  EXPECT_FALSE(InformationOf(problem, problem.FitAt(0.5, 0.1).point));
}

}  // namespace
}  // namespace ricochet
