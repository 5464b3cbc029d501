// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `joint` as a fit problem: points stand for themselves, eliminated nodes leave the method's own information, and
// intervals, bootstrap and cross-validation are right on simulated recordings.
#include "estimators/program/joint_problem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "tests/support/coverage.h"

namespace ricochet {
namespace {

constexpr double kRatio = 6e-4, kFriction = 0.25, kRestitution = 0.4;
constexpr double kTruth[] = {kRatio, kFriction, kRestitution};
constexpr char kPaths[] = "bodies.b.inertia / bodies.b.mass, contact.friction, contact.restitution";

/// An ellipse that bounces twice.
Scene Ellipse(double inertia_over_mass, double friction, double restitution, const std::string& initial) {
  return ParseScene(fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  b: {{shape: {{ellipse: "
                                "{{semi_axes: [0.05, 0.03]}}}}, mass: 0.1, inertia: {}}}\nsurfaces:\n  table: {{line: "
                                "{{point: [0, 0], angle: 0}}}}\ncontact: {{friction: {}, restitution: {}}}\n{}"
                                "simulation: {{method: event, step: 0.005, duration: 0.4}}\n",
                                0.1 * inertia_over_mass, friction, restitution, initial),
                    "ellipse.yaml");
}

Recording Throw(std::uint64_t seed, double slowest = 0.6, double fastest = 1.0) {
  Random random(seed, 77);
  const std::string initial = fmt::format(
      "initial:\n  b: {{pose: [0, {}, {}], velocity: [{}, 0], angular_velocity: {}}}\n", random.Uniform(0.12, 0.16),
      random.Uniform(0.3, 0.9), random.Uniform(slowest, fastest), random.Uniform(-6, -2));
  Recording recording = ObserveScene(Ellipse(kRatio, kFriction, kRestitution, initial), 150, 0.3e-3, 3e-3, seed);
  recording.file = fmt::format("throw{}.csv", seed);
  return recording;
}

JointProblem Pose(const std::vector<std::uint64_t>& seeds) {
  const Scene blind = Ellipse(4.5e-4, 0.35, 0.5, "");
  const auto family = std::make_shared<const PlanarFamily>(blind, ParsePathList(blind, kPaths), 0);
  std::vector<JointProblem::Block> blocks;
  for (const std::uint64_t seed : seeds) {
    JointFit fit = FitJoint(*family, MakePlanarTrack(blind, Throw(seed), 0));
    EXPECT_TRUE(fit.usable && fit.converged) << seed << " " << fit.problem;
    blocks.push_back({static_cast<int>(seed), std::move(fit)});
  }
  return {family, std::move(blocks)};
}

TEST(JointProblem, APointStandsForItself) {
  JointProblem problem = Pose({1, 2});
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  EXPECT_EQ(problem.recording(1), 2);
  double squares = 0;
  for (int k = 0; k < 2; ++k) {
    ResidualBlock block;
    ASSERT_TRUE(problem.Evaluate(k, fit.point, false, block));
    EXPECT_EQ(static_cast<std::size_t>(block.residuals.size()), block.labels.size());
    EXPECT_NEAR(block.residuals.squaredNorm(), fit.costs[static_cast<std::size_t>(k)], 1e-9);
    squares += block.residuals.squaredNorm();
  }
  EXPECT_NEAR(squares, fit.cost(), 1e-9);
  // A search from the solution stays there, also with everything held.
  for (const HeldParameters& held : {HeldParameters{}, HeldParameters{1, 1, 1}}) {
    const Fit again = problem.Search(held, &fit.point);
    ASSERT_TRUE(again.found);
    EXPECT_NEAR(again.cost(), fit.cost(), 2e-3);
    for (Eigen::Index i = 0; i < 3; ++i)
      EXPECT_NEAR(again.point.values[i], fit.point.values[i], 0.02 * std::sqrt(fit.covariance(i, i)));
  }
  // Half a contact stands for nothing.
  FitPoint between = fit.point;
  between.local[0][9] += 0.5;
  EXPECT_FALSE(problem.Search({}, &between).found);
  ResidualBlock none;
  EXPECT_FALSE(problem.Evaluate(0, between, false, none));
}

TEST(JointProblem, EliminatedNodesLeaveTheInformationOfTheMethod) {
  JointProblem problem = Pose({1, 2});
  const Fit fit = problem.Search();
  const auto information = InformationOf(problem, fit.point);
  ASSERT_TRUE(information.has_value());
  EXPECT_EQ(information->rank, 3);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const double own = std::sqrt(fit.covariance(i, i)) / fit.enlargement[i];
    EXPECT_NEAR(std::sqrt(information->covariance(i, i)) / own, 1, 0.01) << i;
  }
}

// Throws of the plywood ellipse, where the sequence of contacts is not in doubt: what is tested are the intervals.
TEST(JointProblem, IntervalsOfTheProfileCoverTheTruth) {
  constexpr double kPlywoodTruth[] = {kPlywoodRatio, 0.3, 0.2};
  const Scene blind = PlywoodBlindScene();
  const auto family = std::make_shared<const PlanarFamily>(blind, ParsePathList(blind, kPlywoodPaths), 0);
  int covered = 0, intervals = 0;
  double pulls = 0;
  for (int seed = 501; seed <= 514; ++seed) {
    JointFit found = FitJoint(*family, MakePlanarTrack(blind, PlywoodRecording(0.3, 1e-3, 240, seed), 0));
    ASSERT_TRUE(found.usable && found.converged) << seed << " " << found.problem;
    JointProblem problem(family, {{seed, std::move(found)}});
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found && fit.converged) << seed;
    for (int i = 0; i < 3; ++i) {
      const EstimatedProfile profile = ProfileParameter(problem, fit, i);
      ASSERT_TRUE(profile.lower && profile.upper) << seed << " " << profile.words;
      ++intervals;
      covered += *profile.lower <= kPlywoodTruth[i] && kPlywoodTruth[i] <= *profile.upper;
      pulls += std::pow(fit.point.values[i] - kPlywoodTruth[i], 2) / fit.covariance(i, i);
      // Near a parabola the interval is that of the standard deviation.
      EXPECT_NEAR((*profile.upper - *profile.lower) / (2 * 1.96 * std::sqrt(fit.covariance(i, i))), 1, 0.25)
          << seed << " " << profile.words;
    }
  }
  // 40 of 42 expected, 36 at least with 99.7 %.
  EXPECT_EQ(intervals, 42);
  EXPECT_GE(covered, 36);
  EXPECT_NEAR(pulls / intervals, 1, 0.6);
}

TEST(JointProblem, BootstrapAgreesWithTheStatedDeviation) {
  JointProblem problem = Pose({1});
  const Fit fit = problem.Search();
  const BootstrapResult result = BootstrapFit(problem, fit, {.repetitions = 100});
  ASSERT_TRUE(result.enough());
  EXPECT_LE(result.failed, 2);
  // A standard deviation from 100 repetitions is known to 7 %.
  for (Eigen::Index i = 0; i < 3; ++i)
    EXPECT_NEAR(std::sqrt(result.covariance(i, i)) / std::sqrt(fit.covariance(i, i)) * fit.enlargement[i], 1, 0.22)
        << i;
}

TEST(JointProblem, BootstrapCoversTheTruthAsOftenAsItSays) {
  constexpr double kPlywoodTruth[] = {kPlywoodRatio, 0.3, 0.2};
  constexpr int kSeeds = 16, kRepetitions = 20;
  constexpr double kStudent = 2.09;  // of 19 degrees of freedom
  const Scene blind = PlywoodBlindScene();
  const auto family = std::make_shared<const PlanarFamily>(blind, ParsePathList(blind, kPlywoodPaths), 0);
  int covered[3] = {0, 0, 0};
  for (int seed = 0; seed < kSeeds; ++seed) {
    JointFit found = FitJoint(*family, MakePlanarTrack(blind, PlywoodRecording(0.3, 1e-3, 240, 521 + seed), 0));
    ASSERT_TRUE(found.usable && found.converged) << seed << " " << found.problem;
    JointProblem problem(family, {{seed, std::move(found)}});
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found && fit.converged) << seed;
    const BootstrapResult result =
        BootstrapFit(problem, fit, {.repetitions = kRepetitions, .seed = static_cast<std::uint64_t>(seed)});
    ASSERT_TRUE(result.enough()) << seed;
    for (int i = 0; i < 3; ++i)
      covered[i] += std::abs(fit.point.values[i] - kPlywoodTruth[i]) < kStudent * std::sqrt(result.covariance(i, i));
  }
  for (const int each : covered) EXPECT_GE(each, testing::LeastCovered(kSeeds));
}

/// Fast throws lead the program into false minima, which the exact motion exposes: it is right or withheld.
TEST(JointProblem, FastThrowsAreRightOrWithheld) {
  int believed = 0;
  double squares = 0;
  for (std::uint64_t seed = 700; seed < 708; ++seed) {
    const Estimate estimate =
        Identify(Ellipse(4.5e-4, 0.35, 0.5, ""), {Throw(seed, 1.8, 2.4)}, kPaths, {.method = "joint"}).estimate;
    if (estimate.verdict.level == VerdictLevel::kRejected) {
      EXPECT_FALSE(estimate.verdict.reasons.empty());
      continue;
    }
    ++believed;
    for (std::size_t i = 0; i < 3; ++i)
      if (estimate.parameters[i].value)
        squares += std::pow((*estimate.parameters[i].value - kTruth[i]) / *estimate.parameters[i].std, 2) / 3;
  }
  EXPECT_GE(believed, 4);
  EXPECT_LT(squares, 2.5 * believed);
}

TEST(JointProblem, PredictsRecordingsThatWereLeftOut) {
  const EstimatedCrossValidation result = CrossValidateFit(Pose({1, 2, 3, 4}), 2);
  ASSERT_TRUE(result.residual_over_noise.has_value());
  // The start of each motion is fitted, so that it is a little below 1.
  EXPECT_NEAR(*result.residual_over_noise, 1, 0.12);
  ASSERT_EQ(result.values.size(), 2u);
  for (const std::vector<double>& values : result.values)
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(values[i] / kTruth[i], 1, 0.1);
}

}  // namespace
}  // namespace ricochet
