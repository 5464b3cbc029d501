// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Inference on the paper's residuals, on data of the model whose parameters they estimate: spook with the scene's step.
#include "estimators/mechanism/shadow_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "dataset/joint_reading.h"
#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/parameter_profile.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

constexpr const char* kTwo = "bodies.rod.inertia[1], joints.hinge.viscous";
constexpr double kInertia = 3.9e-3, kViscous = 4e-3, kNoise = 1e-3, kKappa = 1e4;

Scene Pendulum() { return RodOnHinge(1e-4, kViscous, 2); }

Recording Swing(std::uint64_t seed) {
  MechanismRun run;
  run.angle = {1.2 + 0.1 * static_cast<double>(seed % 5)};
  run.rate = {0.0};
  run.duration = 2;
  run.noise = kNoise;
  run.seed = seed;
  return RecordMechanism(Pendulum(), run, "swing" + std::to_string(seed));
}

struct Posed {
  std::shared_ptr<const JointedFamily> family;
  std::vector<ShadowChain> chains;
};

/// Chains of swings that spook makes with the true parameters.
Posed Simulated(const std::vector<std::uint64_t>& seeds, double noise = kNoise) {
  const Scene scene = Pendulum();
  Posed out{std::make_shared<const JointedFamily>(scene, ParsePathList(scene, kTwo)), {}};
  for (const std::uint64_t seed : seeds) {
    const JointTrack track =
        MakeJointTrack(out.family->scene(), out.family->model(), out.family->mechanism(), Swing(seed));
    out.chains.push_back(MakeShadowChains(*out.family, {track}).front());
    Random random(seed, 7);
    EXPECT_TRUE(SimulateShadow(*out.family, Eigen::Vector2d(kInertia, kViscous), noise, random, out.chains.back()));
  }
  return out;
}

ShadowProblem Pose(const Posed& posed) {
  std::vector<int> indices;
  for (std::size_t i = 0; i < posed.chains.size(); ++i) indices.push_back(static_cast<int>(i));
  return {posed.family, posed.chains, indices, kKappa};
}

/// The inverse of a step of spook finds no impulse from outside in what spook simulates.
TEST(ShadowProblem, SimulatedStatesNeedNoImpulse) {
  const Posed posed = Simulated({1}, 0);
  const Eigen::Vector2d truth(kInertia, kViscous);
  const ShadowResiduals exact = EvaluateShadow(*posed.family, posed.chains[0], truth),
                        wrong = EvaluateShadow(*posed.family, posed.chains[0], 1.1 * truth);
  ASSERT_EQ(exact.impulses.size(), exact.impulse_times.size());
  ASSERT_EQ(exact.angles.size(), exact.angle_times.size());
  // The first rows are those of the start's distance from the constraints.
  double most = 0, most_wrong = 0;
  for (std::size_t i = 12; i < exact.impulses.size(); ++i) {
    most = std::max(most, std::abs(exact.impulses[i]));
    most_wrong = std::max(most_wrong, std::abs(wrong.impulses[i]));
  }
  EXPECT_LT(most, 1e-9);
  EXPECT_GT(most_wrong, 1e-5);
  for (const double angle : exact.angles) EXPECT_NEAR(angle, 0, 1e-12);
}

TEST(ShadowProblem, CostsAreThoseOfItsResiduals) {
  ShadowProblem problem = Pose(Simulated({1, 2}));
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  for (int block = 0; block < 2; ++block) {
    ResidualBlock rows;
    ASSERT_TRUE(problem.Evaluate(block, fit.point, false, rows));
    EXPECT_EQ(rows.labels.size(), static_cast<std::size_t>(rows.residuals.size()));
    EXPECT_NEAR(rows.residuals.squaredNorm() / fit.costs[static_cast<std::size_t>(block)], 1, 1e-9);
    EXPECT_FALSE(problem.Evaluate(block, fit.point, true, rows));
  }
  FitPoint from = fit.point;
  from.values[1] = 1.3 * kViscous;
  const Fit held = problem.Search({0, 1}, &from);
  EXPECT_EQ(held.point.values[1], 1.3 * kViscous);
  EXPECT_GT(held.cost(), fit.cost() + 1);
}

/// 95 % intervals of profile and bootstrap contain the parameters that the data were simulated with. A fit that stalls
/// reports it and has no interval.
TEST(ShadowProblem, ProfileAndBootstrapCover) {
  constexpr int kSeeds = 12;
  const double truth[] = {kInertia, kViscous};
  int fits = 0, profile_covers = 0, bootstrap_covers = 0;
  BootstrapOptions options;
  options.repetitions = 16;
  for (int seed = 0; seed < kSeeds; ++seed) {
    ShadowProblem problem = Pose(Simulated({100 + static_cast<std::uint64_t>(seed)}));
    const Fit fit = problem.Search();
    if (!fit.converged) continue;
    ++fits;
    const int index = seed % 2;
    const EstimatedProfile profile = ProfileParameter(problem, fit, index);
    ASSERT_TRUE(profile.lower && profile.upper) << seed << ": " << profile.words;
    profile_covers += *profile.lower <= truth[index] && truth[index] <= *profile.upper;
    const BootstrapResult bootstrap = BootstrapFit(problem, fit, options);
    ASSERT_TRUE(bootstrap.enough());
    const double scatter = std::sqrt(bootstrap.covariance(index, index));
    bootstrap_covers += std::abs(fit.point.values[index] - truth[index]) < 2.13 * scatter;
  }
  EXPECT_GE(fits, 8);
  EXPECT_GE(profile_covers, fits - 2);
  EXPECT_GE(bootstrap_covers, fits - 2);
}

TEST(ShadowProblem, CrossValidation) {
  const EstimatedCrossValidation found = CrossValidateFit(
      [] {
        ShadowProblem problem = Pose(Simulated({1, 2, 3}));
        problem.Search();
        return problem;
      }(),
      3);
  ASSERT_EQ(found.values.size(), 3u);
  for (const std::vector<double>& values : found.values) {
    ASSERT_EQ(values.size(), 2u);
    EXPECT_NEAR(values[0] / kInertia, 1, 0.05);
  }
  EXPECT_GT(found.residual_over_noise.value_or(0), 0);
}

TEST(ShadowProblem, IdentifyReportsAllThree) {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  options.method_options["residual"] = "paper";
  options.method_options["kappa"] = "100";
  options.bootstrap = 4;
  options.profiles = {"joints.hinge.viscous"};
  options.folds = 2;
  const Estimate estimate = Identify(Pendulum(), {Swing(1), Swing(2)}, kTwo, options).estimate;
  ASSERT_EQ(estimate.profiles.size(), 1u);
  ASSERT_TRUE(estimate.cross_validation);
  EXPECT_EQ(estimate.cross_validation->values.size(), 2u);
  EXPECT_GT(estimate.parameters[0].std.value_or(0), 0);
}

}  // namespace
}  // namespace ricochet
