// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/torque_noise.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <memory>

#include "core/random.h"
#include "dataset/joint_reading.h"
#include "dynamics/tree/tree_flow.h"
#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

/// The filter against the covariance that it stands for, V = 1 + sum over steps of the rows behind them.
TEST(TorqueNoise, WhitenedRowsHaveTheCovarianceOfTheWalk) {
  Random random(4, 1);
  constexpr int kRows = 30, kStates = 4, kLevels = 2;
  const auto matrix = [&](int rows, int columns) {
    Eigen::MatrixXd out(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) out(i, j) = random.Normal(0, 1);
    return out;
  };
  const Eigen::MatrixXd by_start = matrix(kRows, kStates), columns = matrix(kRows, 3);
  std::vector<double> times;
  for (int i = 0; i < kRows; ++i) times.push_back(0.1 * i);
  std::vector<DisturbanceStep> steps;
  for (int k = 1; k < 12; ++k) steps.push_back({0.25 * k, matrix(kStates, kLevels)});
  const Eigen::Vector2d levels(0.3, 0.7);
  Eigen::MatrixXd V = Eigen::MatrixXd::Identity(kRows, kRows);
  for (const DisturbanceStep& step : steps) {
    Eigen::MatrixXd effect = by_start * step.by_levels * levels.asDiagonal();
    for (int i = 0; i < kRows; ++i)
      if (times[static_cast<std::size_t>(i)] < step.time) effect.row(i).setZero();
    V += effect * effect.transpose();
  }
  Eigen::MatrixXd whitened = columns;
  const double log_sum = WhitenRows(steps, levels, times, by_start, whitened);
  const Eigen::MatrixXd expected = columns.transpose() * V.ldlt().solve(columns);
  EXPECT_LT((whitened.transpose() * whitened - expected).norm(), 1e-9 * expected.norm());
  EXPECT_NEAR(log_sum, V.ldlt().vectorD().array().log().sum(), 1e-9);
}

/// A rod that random torques of level `q` shake; torques last 5 ms each.
Recording Shaken(double q, std::uint64_t seed) {
  const Scene scene = RodOnHinge(1e-5, 1e-3, 4, "    motor: {gain: 1, input: u}\n");
  MechanismRun run;
  run.angle = {1.3};
  run.rate = {0.0};
  run.duration = 8;
  run.tick = 5e-3;
  run.noise = 5e-4;
  run.seed = seed;
  auto random = std::make_shared<Random>(seed, 9);
  run.control = [random, q](double, const std::vector<double>&, const std::vector<double>&) {
    return q / std::sqrt(5e-3) * random->Normal(0, 1);
  };
  Recording recording = RecordMechanism(scene, run, "shaken");
  // Nobody recorded the torques.
  const int u = recording.Find("u");
  recording.columns.erase(recording.columns.begin() + u);
  recording.values.erase(recording.values.begin() + u);
  return recording;
}

Estimate Identified(const Recording& recording, const std::string& torque_noise = "") {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  if (!torque_noise.empty()) options.method_options["torque_noise"] = torque_noise;
  // Nothing else acts, so that standard deviations are those of the noise and the torques.
  Scene scene = RodOnHinge(1e-5, 2e-3, 4, "");
  for (const char* absent :
       {"bodies.rod.drag.linear", "bodies.rod.drag.quadratic", "joints.hinge.coulomb", "joints.hinge.drive.stiffness"})
    scene.Set(absent, {0});
  return Identify(scene, {recording}, "joints.hinge.viscous, bodies.rod.inertia[1]", options).estimate;
}

/// Friction does not absorb random torques: pulls of friction and inertia have the size that they should have.
TEST(TorqueNoise, EstimatesCoverUnderRandomTorques) {
  double with = 0, without = 0;
  constexpr int kSeeds = 12;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Recording recording = Shaken(2e-4, 40 + seed);
    const Estimate estimate = Identified(recording);
    EXPECT_NE(estimate.verdict.level, VerdictLevel::kGood) << seed;
    const Estimate off = Identified(recording, "0");
    for (const auto& [index, truth] : {std::pair<std::size_t, double>{0, 1e-3}, {1, 3.9e-3}}) {
      const auto pull = [&](const Estimate& of) {
        return (*of.parameters[index].value - truth) / *of.parameters[index].std;
      };
      ASSERT_TRUE(estimate.parameters[index].value && off.parameters[index].value);
      EXPECT_LT(std::abs(pull(estimate)), 4) << seed << " " << index;
      with += std::pow(pull(estimate), 2) / (2 * kSeeds);
      without += std::pow(pull(off), 2) / (2 * kSeeds);
    }
  }
  EXPECT_GT(with, 0.3);
  EXPECT_LT(with, 2.2);
  RecordProperty("mean_squared_pull", std::to_string(with));
  RecordProperty("mean_squared_pull_without", std::to_string(without));
}

/// The level that shook the rod is found, and a rod that nothing shakes has none that matters.
TEST(TorqueNoise, LevelsAreFound) {
  const Scene scene = RodOnHinge(1e-5, 1e-3, 4, "");
  const auto family =
      std::make_shared<const JointedFamily>(scene, ParsePathList(scene, "joints.hinge.viscous, bodies.rod.inertia[1]"));
  for (const double q : {0.0, 1e-4, 4e-4}) {
    const Recording recording = Shaken(q, 17);
    MotionProblem problem(
        family, {{0, recording, MakeJointTrack(family->scene(), family->model(), family->mechanism(), recording)}});
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found) << q;
    const std::optional<TorqueLevels> levels = FindTorqueLevels(problem, fit);
    ASSERT_TRUE(levels) << q;
    if (q == 0) {
      EXPECT_LT(levels->gain, 4);
    } else {
      EXPECT_GT(levels->gain, 18) << q;
      EXPECT_GT(levels->levels[0], 0.6 * q);
      EXPECT_LT(levels->levels[0], 1.6 * q);
    }
  }
}

constexpr double kLevel = 2e-4, kViscous = 1e-3, kInertia = 3.9e-3;

/// The likelihood of shaken rods with random torques of the level that shook them.
DisturbedProblem Disturbed(const std::vector<std::uint64_t>& seeds) {
  const Scene scene = RodOnHinge(1e-5, 2e-3, 4, "");
  const auto family =
      std::make_shared<const JointedFamily>(scene, ParsePathList(scene, "joints.hinge.viscous, bodies.rod.inertia[1]"));
  std::vector<RecordedTrack> tracks;
  for (const std::uint64_t seed : seeds) {
    const Recording recording = Shaken(kLevel, seed);
    tracks.push_back({static_cast<int>(tracks.size()), recording,
                      MakeJointTrack(family->scene(), family->model(), family->mechanism(), recording)});
  }
  auto calm = std::make_shared<MotionProblem>(family, std::move(tracks));
  EXPECT_TRUE(calm->Search().found);
  return {std::move(calm), Eigen::VectorXd::Constant(1, kLevel)};
}

/// 95 % intervals of profiles contain the parameters that shaken rods have, and what the information says agrees with
/// the covariance.
TEST(DisturbedProblem, ProfileAndInformationCover) {
  constexpr int kSeeds = 10;
  const double truth[] = {kViscous, kInertia};
  int covers = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    DisturbedProblem problem = Disturbed({200 + static_cast<std::uint64_t>(seed)});
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.found && fit.converged) << seed;
    const std::optional<ParameterInformation> information = InformationOf(problem, fit.point, {}, 1e-7);
    ASSERT_TRUE(information) << seed;
    const int index = seed % 2;
    EXPECT_NEAR(information->covariance(index, index) / fit.covariance(index, index), 1, 1e-3) << seed;
    const EstimatedProfile profile = ProfileParameter(problem, fit, index);
    ASSERT_TRUE(profile.lower && profile.upper) << seed << ": " << profile.words;
    covers += *profile.lower <= truth[index] && truth[index] <= *profile.upper;
  }
  EXPECT_GE(covers, kSeeds - 2);
}

/// Rods that others were not fitted to scatter about their motion as the level says, and resampled recordings scatter
/// about the truth as far as they should.
TEST(DisturbedProblem, CrossValidationAndBootstrapOverRecordingsCover) {
  DisturbedProblem problem = Disturbed({301, 302, 303, 304, 305, 306});
  const EstimatedCrossValidation found = CrossValidateFit(problem, 3);
  ASSERT_EQ(found.values.size(), 3u);
  for (const std::vector<double>& values : found.values) {
    ASSERT_EQ(values.size(), 2u);
    EXPECT_NEAR(values[1] / kInertia, 1, 0.03);
  }
  EXPECT_GT(found.residual_over_noise.value_or(0), 0.7);
  EXPECT_LT(found.residual_over_noise.value_or(0), 1.5);
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  Random random(1);
  EXPECT_EQ(problem.Draw(fit, random), nullptr);
  const BootstrapResult bootstrap = BootstrapFit(problem, fit, {.repetitions = 16});
  ASSERT_TRUE(bootstrap.enough());
  const double truth[] = {kViscous, kInertia};
  for (int index = 0; index < 2; ++index)
    EXPECT_LT(std::abs(fit.point.values[index] - truth[index]), 3 * std::sqrt(bootstrap.covariance(index, index)))
        << index;
}

}  // namespace
}  // namespace ricochet
