// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Planar `trajectory` as a problem of inference: what profile, bootstrap and cross-validation say about recordings of
// known parameters and noise.
#include "estimators/planar_trajectory/track_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "reproduce/plywood.h"
#include "tests/support/coverage.h"
#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

constexpr double kFriction = 0.3, kNoiseAngle = 5e-3;

/// Thrown plywood ellipses, to be fitted.
TrackProblem Throws(int count) {
  const Scene blind = PlywoodBlindScene();
  std::vector<PlanarTrack> tracks;
  for (int seed = 0; seed < count; ++seed)
    tracks.push_back(MakePlanarTrack(blind, PlywoodRecording(kFriction, kNoiseAngle, 120, seed), 0));
  return {std::make_shared<const PlanarFamily>(blind, ParsePathList(blind, kPlywoodPaths), 0), tracks, {}};
}

TEST(TrackProblem, DerivativesAreThoseOfTheResiduals) {
  TrackProblem problem = Throws(1);
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  ResidualBlock block;
  ASSERT_TRUE(problem.Evaluate(0, fit.point, true, block));
  EXPECT_NEAR(block.residuals.squaredNorm(), fit.cost(), 1e-9 * fit.cost());
  ASSERT_EQ(block.labels.size(), static_cast<std::size_t>(block.residuals.size()));
  EXPECT_EQ(block.labels[4].channel, 1);
  EXPECT_GT(block.labels[4].time, block.labels[2].time);
  const Eigen::VectorXd scale = problem.parameters().scale();
  const auto residuals = [&](const Eigen::VectorXd& step) {
    FitPoint moved = fit.point;
    moved.values += step.head(3).cwiseProduct(scale);
    moved.local[0] += step.tail(6);
    ResidualBlock out;
    problem.Evaluate(0, moved, false, out);
    return out.residuals;
  };
  Eigen::MatrixXd jacobian(block.residuals.size(), 9);
  jacobian << block.by_values * scale.asDiagonal(), block.by_local;
  EXPECT_TRUE(IsJacobian(jacobian, residuals, Eigen::VectorXd::Zero(9), {.step = 1e-6, .tolerance = 1e-5}));
}

TEST(TrackProblem, InformationWithTheStatesEliminatedIsTheCovarianceOfTheFit) {
  TrackProblem problem = Throws(2);
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  const auto information = InformationOf(problem, fit.point);
  ASSERT_TRUE(information.has_value());
  EXPECT_EQ(information->rank, 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(fit.enlargement[i] * std::sqrt(information->covariance(i, i)) / std::sqrt(fit.covariance(i, i)), 1,
                1e-6);
}

TEST(TrackProblem, ProfilesCoverTheTruthAsOftenAsTheySay) {
  TrackProblem problem = Throws(1);
  const Fit truth = problem.Search();
  ASSERT_TRUE(truth.found && truth.converged);
  constexpr int kDraws = 30;
  int covered = 0, profiles = 0;
  for (int k = 0; k < kDraws; ++k) {
    Random random(11, static_cast<std::uint64_t>(k));
    const std::unique_ptr<FitProblem> drawn = problem.Draw(truth, random);
    ASSERT_NE(drawn, nullptr);
    ASSERT_TRUE(drawn->Search({}, &truth.point).found);
    const Fit fit = drawn->Search();
    for (const int index : {0, 2}) {
      const EstimatedProfile profile = ProfileParameter(*drawn, fit, index);
      ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
      covered += *profile.lower < truth.point.values[index] && truth.point.values[index] < *profile.upper;
      ++profiles;
    }
  }
  // 95 %: fewer than 51 of 60 happen once in 500 times.
  EXPECT_GE(covered, 51);
  EXPECT_EQ(profiles, 2 * kDraws);
}

TEST(TrackProblem, BootstrapScattersAsTheCovarianceSays) {
  TrackProblem problem = Throws(1);
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  EXPECT_EQ(BootstrapKind(problem, fit), "a parametric bootstrap");
  const BootstrapResult result = BootstrapFit(problem, fit, {.repetitions = 80, .seed = 3});
  ASSERT_TRUE(result.enough());
  EXPECT_LE(result.failed, 4);
  for (int i = 0; i < 3; ++i) {
    const double ratio = std::sqrt(result.covariance(i, i) / fit.covariance(i, i));
    EXPECT_GT(ratio, 0.7) << i;
    EXPECT_LT(ratio, 1.4) << i;
  }
}

TEST(TrackProblem, BootstrapCoversTheTruthAsOftenAsItSays) {
  TrackProblem problem = Throws(1);
  const Fit truth = problem.Search();
  ASSERT_TRUE(truth.found && truth.converged);
  constexpr int kDraws = 20, kRepetitions = 20;
  constexpr double kStudent = 2.09;  // of 19 degrees of freedom
  int covered[3] = {0, 0, 0};
  for (int k = 0; k < kDraws; ++k) {
    Random random(12, static_cast<std::uint64_t>(k));
    const std::unique_ptr<FitProblem> drawn = problem.Draw(truth, random);
    ASSERT_NE(drawn, nullptr);
    const Fit fit = drawn->Search();
    ASSERT_TRUE(fit.found && fit.converged) << k;
    const BootstrapResult result =
        BootstrapFit(*drawn, fit, {.repetitions = kRepetitions, .seed = static_cast<std::uint64_t>(k)});
    ASSERT_TRUE(result.enough()) << k;
    for (int i = 0; i < 3; ++i)
      covered[i] +=
          std::abs(fit.point.values[i] - truth.point.values[i]) < kStudent * std::sqrt(result.covariance(i, i));
  }
  for (const int each : covered) EXPECT_GE(each, testing::LeastCovered(kDraws));
}

TEST(TrackProblem, RecordingsLeftOutArePredictedWithinTheirNoise) {
  const TrackProblem problem = Throws(4);
  const EstimatedCrossValidation result = CrossValidateFit(problem, 2);
  ASSERT_EQ(result.recordings.size(), 4u);
  ASSERT_EQ(result.values.size(), 2u);
  for (const std::vector<double>& values : result.values) EXPECT_NEAR(values[0] / kPlywoodRatio, 1, 0.02);
  for (const HeldOutRecording& recording : result.recordings)
    EXPECT_NEAR(recording.residual_over_noise.value_or(0), 1, 0.1) << recording.recording;
}

}  // namespace
}  // namespace ricochet
