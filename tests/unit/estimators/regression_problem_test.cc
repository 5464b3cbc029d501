// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `regression` as a fit problem: its closed forms, and whether intervals, bootstrap and cross-validation are right on
// impacts whose errors are known.
#include "estimators/regression/regression_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "tests/support/coverage.h"

namespace ricochet {
namespace {

constexpr double kMass = 1.7, kInertia = 0.6;
constexpr double kNoise = 0.1, kNoiseOfRate = 0.3, kNoiseOfAngle = 0.01;
constexpr char kInertiaOverMass[] = "bodies.e.inertia / bodies.e.mass";

PlanarFamily Family(const std::string& paths, double mass = kMass) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  e: {shape: {ellipse: {semi_axes: [1, 0.5]}}, "
      "mass: " +
          std::to_string(mass) +
          ", inertia: 0.5}\nsurfaces:\n  s: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, restitution: "
          "0.5}\nsimulation: {method: event, step: 0.001, duration: 1}\n",
      "impacts.yaml");
  return {scene, ParsePathList(scene, paths), 0};
}

/// An impact that obeys (25) with the jumps and the arms that it has, then with errors.
ImpactSample MakeImpact(Random& random, double noise, bool force) {
  ImpactSample impact;
  impact.time = random.Uniform(0, 1);
  impact.jx = random.Uniform(0.4, 0.9);
  impact.jy = random.Uniform(-0.7, 0.7);
  impact.jx_rate = -impact.jy;
  impact.jy_rate = random.Uniform(-0.5, 0.5);
  impact.gravity << 0, -9.81;
  impact.after << random.Uniform(-3, 3), random.Uniform(1, 4), 0;
  if (force) {
    impact.step = 0.1;
    impact.force << random.Uniform(-30, 30), random.Uniform(-30, 30), random.Uniform(-30, 30);
  }
  const double force_moment =
      impact.step * (impact.force[2] - impact.jx * impact.force[0] - impact.jy * impact.force[1]);
  impact.after[2] = (kMass * impact.Moment() + force_moment) / kInertia;
  impact.jump_variance << kNoise * kNoise, kNoise * kNoise, kNoiseOfRate * kNoiseOfRate;
  impact.angle_variance = kNoiseOfAngle * kNoiseOfAngle;
  impact.after +=
      noise * Eigen::Vector3d(kNoise * random.Normal(), kNoise * random.Normal(), kNoiseOfRate * random.Normal());
  const double turned = noise * kNoiseOfAngle * random.Normal();
  impact.jx += impact.jx_rate * turned;
  impact.jy += impact.jy_rate * turned;
  return impact;
}

std::vector<ImpactBlock> Recordings(Random& random, int count, int impacts, double noise = 1, bool force = false) {
  std::vector<ImpactBlock> blocks;
  for (int k = 0; k < count; ++k) {
    ImpactBlock& block = blocks.emplace_back();
    block.recording = 10 + k;
    block.used.assign(static_cast<std::size_t>(impacts), 1);
    for (int i = 0; i < impacts; ++i) block.impacts.push_back(MakeImpact(random, noise, force));
  }
  return blocks;
}

TEST(RegressionProblem, FindsTheClosedFormOfTheRatio) {
  Random random(1);
  const std::vector<ImpactBlock> blocks = Recordings(random, 4, 4);
  RegressionProblem problem(Family(kInertiaOverMass), blocks),
      inverse(Family("bodies.e.mass / bodies.e.inertia"), blocks);
  const RatioEstimate ratio = CorrectedRatio(problem.AllImpacts());
  const Fit fit = problem.Search(), other = inverse.Search();
  ASSERT_TRUE(fit.found && fit.converged && other.found && other.converged);
  EXPECT_NEAR(fit.point.values[0] * ratio.value, 1, 1e-9);
  EXPECT_NEAR(other.point.values[0] / ratio.value, 1, 1e-9);
  EXPECT_NEAR(std::sqrt(fit.covariance(0, 0)) * ratio.value * ratio.value / ratio.std, 1, 1e-6);
  EXPECT_NEAR(std::sqrt(other.covariance(0, 0)) / ratio.std, 1, 1e-6);
  EXPECT_NEAR(fit.cost() / ratio.chi2, 1, 1e-9);
  EXPECT_EQ(problem.recording(2), 12);
}

TEST(RegressionProblem, DerivativesAreThoseOfTheResiduals) {
  Random random(2);
  for (const bool force : {false, true}) {
    const RegressionProblem problem(Family("bodies.e.inertia / bodies.e.mass, bodies.e.mass"),
                                    Recordings(random, 1, 5, 1, force));
    const FitPoint at{Eigen::Vector2d(0.3, 1.5), {}};
    ResidualBlock block, up, down;
    ASSERT_TRUE(problem.Evaluate(0, at, true, block));
    for (Eigen::Index i = 0; i < 2; ++i) {
      FitPoint moved = at;
      moved.values[i] += 1e-6;
      ASSERT_TRUE(problem.Evaluate(0, moved, false, up));
      moved.values[i] -= 2e-6;
      ASSERT_TRUE(problem.Evaluate(0, moved, false, down));
      EXPECT_LT(((up.residuals - down.residuals) / 2e-6 - block.by_values.col(i)).norm(),
                1e-6 * (1 + block.by_values.col(i).norm()));
    }
  }
}

TEST(RegressionProblem, ForcesSeparateMassAndInertiaInAnyForm) {
  Random random(3);
  const std::vector<ImpactBlock> blocks = Recordings(random, 2, 4, 0, true);
  for (const char* paths : {"bodies.e.mass, bodies.e.inertia", "bodies.e.inertia / bodies.e.mass, bodies.e.mass",
                            "bodies.e.mass, bodies.e.mass / bodies.e.inertia"}) {
    const PlanarFamily family = Family(paths, 1.1);
    RegressionProblem problem(family, blocks);
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found && fit.converged) << paths;
    const Scene scene = family.Calibrated(fit.point.values);
    EXPECT_NEAR(scene[scene.bodies[0].mass] / kMass, 1, 1e-8) << paths;
    EXPECT_NEAR(scene[scene.bodies[0].inertia[0]] / kInertia, 1, 1e-8) << paths;
  }
}

TEST(RegressionProblem, WithoutAForceOnlyTheRatioIsIdentifiable) {
  Random random(4);
  RegressionProblem problem(Family("bodies.e.mass, bodies.e.inertia"), Recordings(random, 3, 4));
  const Fit fit = problem.Search();
  EXPECT_TRUE(fit.held[0] && fit.held[1]);
  const auto information = InformationOf(problem, fit.point);
  ASSERT_TRUE(information.has_value());
  EXPECT_EQ(information->rank, 1);
}

TEST(RegressionProblem, ExcludesAnImpactThatDoesNotFit) {
  Random random(5);
  std::vector<ImpactBlock> blocks = Recordings(random, 3, 4);
  blocks[1].impacts[2].after[2] += 30 * kNoiseOfRate;
  RegressionProblem problem(Family(kInertiaOverMass), blocks);
  const Fit fit = problem.Search();
  EXPECT_EQ(problem.used(), 11);
  EXPECT_NEAR(fit.point.values[0], kInertia / kMass, 4 * std::sqrt(fit.covariance(0, 0)));
}

TEST(RegressionProblem, IntervalsOfTheProfileCoverTheTruth) {
  int covered = 0;
  double pulls = 0;
  const int runs = 300;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Random random(6, run);
    RegressionProblem problem(Family(kInertiaOverMass), Recordings(random, 2, 5));
    const Fit fit = problem.Search();
    const EstimatedProfile profile = ProfileParameter(problem, fit, 0);
    ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
    covered += *profile.lower <= kInertia / kMass && kInertia / kMass <= *profile.upper;
    pulls += std::pow(fit.point.values[0] - kInertia / kMass, 2) / fit.covariance(0, 0);
  }
  // 285 expected; 3.8 standard deviations of their number.
  EXPECT_NEAR(covered, 0.95 * runs, 3 * std::sqrt(runs * 0.95 * 0.05));
  EXPECT_NEAR(pulls / runs, 1, 0.3);
}

TEST(RegressionProblem, WithForcesIntervalsCoverTheTruthToo) {
  int covered = 0;
  const int runs = 100;
  for (std::uint64_t run = 0; run < runs; ++run) {
    Random random(7, run);
    RegressionProblem problem(Family("bodies.e.mass, bodies.e.inertia"), Recordings(random, 2, 10, 0.3, true));
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found && fit.converged);
    const EstimatedProfile profile = ProfileParameter(problem, fit, 1);
    ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
    covered += *profile.lower <= kInertia && kInertia <= *profile.upper;
  }
  EXPECT_NEAR(covered, 0.95 * runs, 3 * std::sqrt(runs * 0.95 * 0.05));
}

TEST(RegressionProblem, BootstrapAgreesWithTheStatedDeviation) {
  for (const bool force : {false, true}) {
    Random random(8);
    RegressionProblem problem(Family(force ? "bodies.e.inertia, bodies.e.mass" : kInertiaOverMass),
                              Recordings(random, 3, 6, force ? 0.3 : 1, force));
    const Fit fit = problem.Search();
    const BootstrapResult result = BootstrapFit(problem, fit, {.repetitions = 400});
    ASSERT_TRUE(result.enough());
    EXPECT_EQ(result.failed, 0);
    for (Eigen::Index i = 0; i < fit.point.values.size(); ++i)
      EXPECT_NEAR(std::sqrt(result.covariance(i, i) / fit.covariance(i, i)), 1, 0.15) << force << " " << i;
  }
}

TEST(RegressionProblem, BootstrapCoversTheTruthAsOftenAsItSays) {
  constexpr int kRuns = 200, kRepetitions = 40;
  constexpr double kStudent = 2.02;  // of 39 degrees of freedom
  for (const bool force : {false, true}) {
    int covered = 0;
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      Random random(10, run);
      RegressionProblem problem(Family(force ? "bodies.e.inertia, bodies.e.mass" : kInertiaOverMass),
                                Recordings(random, 3, 6, force ? 0.3 : 1, force));
      const Fit fit = problem.Search();
      ASSERT_TRUE(fit.found && fit.converged) << run;
      const BootstrapResult result = BootstrapFit(problem, fit, {.repetitions = kRepetitions, .seed = run});
      ASSERT_TRUE(result.enough()) << run;
      const double truth = force ? kInertia : kInertia / kMass;
      covered += std::abs(fit.point.values[0] - truth) < kStudent * std::sqrt(result.covariance(0, 0));
    }
    EXPECT_GE(covered, testing::LeastCovered(kRuns)) << force;
  }
}

TEST(RegressionProblem, PredictsRecordingsThatWereLeftOut) {
  Random random(9);
  const RegressionProblem problem(Family(kInertiaOverMass), Recordings(random, 12, 8));
  const EstimatedCrossValidation result = CrossValidateFit(problem, 4);
  ASSERT_TRUE(result.residual_over_noise.has_value());
  EXPECT_NEAR(*result.residual_over_noise, 1, 0.2);
  EXPECT_EQ(result.values.size(), 4u);
  EXPECT_EQ(result.recordings.size(), 12u);
  // With an error that the variances do not know of, it says so.
  Random again(9);
  std::vector<ImpactBlock> blocks = Recordings(again, 12, 8, 3);
  EXPECT_GT(*CrossValidateFit(RegressionProblem(Family(kInertiaOverMass), blocks), 4).residual_over_noise, 2);
}

}  // namespace
}  // namespace ricochet
