// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/mechanism/motion_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "dataset/joint_reading.h"
#include "inference/cross_validation.h"
#include "inference/fit_bootstrap.h"
#include "inference/information.h"
#include "inference/parameter_profile.h"
#include "reproduce/mechanism_recordings.h"
#include "ricochet/identify.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

constexpr double kViscous = 1e-3, kDry = 1.6e-3, kInertia = 3.9e-3;
constexpr const char* kThree = "joints.hinge.viscous, joints.hinge.dry.friction, bodies.rod.inertia[1]";

/// A rod on a hinge with viscous and dry friction.
Scene Pendulum() { return RodOnHinge(1e-5, kViscous, 4, "    dry: {radius: 1, friction: 0.0016, norm: l1}\n"); }

Recording Swing(std::uint64_t seed, double noise = 1e-3) {
  MechanismRun run;
  run.angle = {1.4 + 0.1 * static_cast<double>(seed % 5)};
  run.rate = {0.0};
  run.duration = 6;
  run.noise = noise;
  run.seed = seed;
  return RecordMechanism(Pendulum(), run, "swing" + std::to_string(seed));
}

MotionProblem Pose(const std::vector<Recording>& recordings, const std::string& paths,
                   const Scene& scene = Pendulum()) {
  const auto family = std::make_shared<const JointedFamily>(scene, ParsePathList(scene, paths));
  std::vector<RecordedTrack> recorded;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    recorded.push_back({static_cast<int>(i), recordings[i],
                        MakeJointTrack(family->scene(), family->model(), family->mechanism(), recordings[i])});
  return {family, std::move(recorded)};
}

/// Derivatives of the residuals by finite differences of `at`.
template <class Function>
Eigen::VectorXd Difference(const Function& residuals, double step) {
  return (residuals(step) - residuals(-step)) / (2 * step);
}

TEST(MotionProblem, ResidualsAndDerivativesAtTheFit) {
  MotionProblem problem = Pose({Swing(1), Swing(2)}, kThree);
  const Fit fit = problem.Search();
  ASSERT_TRUE(fit.found && fit.converged);
  ASSERT_EQ(fit.point.local[1].size(), 2);
  EXPECT_EQ(problem.channels()[0], "hinge.angle");
  for (int block = 0; block < 2; ++block) {
    ResidualBlock rows;
    ASSERT_TRUE(problem.Evaluate(block, fit.point, true, rows));
    ASSERT_EQ(rows.labels.size(), static_cast<std::size_t>(rows.residuals.size()));
    EXPECT_EQ(rows.labels.back().time, 6);
    EXPECT_EQ(rows.labels.back().channel, 0);
    EXPECT_DOUBLE_EQ(rows.residuals.squaredNorm(), fit.costs[static_cast<std::size_t>(block)]);
    for (int i = 0; i < 5; ++i) {
      const auto moved = [&](double by) {
        FitPoint at = fit.point;
        (i < 3 ? at.values[i] : at.local[static_cast<std::size_t>(block)][i - 3]) += by;
        ResidualBlock out;
        EXPECT_TRUE(problem.Evaluate(block, at, false, out));
        return out.residuals;
      };
      const Eigen::VectorXd found = i < 3 ? rows.by_values.col(i) : rows.by_local.col(i - 3);
      const double size = i < 3 ? 1e-4 * fit.point.values[i] : 1e-6;
      EXPECT_LT((Difference(moved, size) - found).norm(), 1e-3 * found.norm()) << i;
    }
  }
}

/// Parameters that a fit may free later: resistance of the air, a Coulomb torque, a spring, errors of the encoder.
TEST(MotionProblem, DerivativesByEveryCauseOfMisfit) {
  Scene scene = Pendulum();
  scene.Set("joints.hinge.coulomb", {1e-3});
  scene.Set("bodies.rod.drag.linear", {2e-3});
  scene.Set("bodies.rod.drag.quadratic", {3e-3});
  scene.Set("joints.hinge.drive.stiffness", {5e-3});
  scene.Set("observe.scale.hinge.angle", {1.01});
  scene.Set("observe.eccentricity.hinge.angle", {0.01, -0.02});
  scene.Set("observe.offset.hinge.angle", {0.005});
  scene.Set("observe.delay", {2e-3});
  MotionProblem problem =
      Pose({Swing(1)},
           "joints.hinge.coulomb, bodies.rod.drag.*, joints.hinge.drive.stiffness, observe.scale.hinge.angle, "
           "observe.eccentricity.hinge.angle, observe.offset.hinge.angle, observe.delay",
           scene);
  const FitPoint at{problem.parameters().start(), {Eigen::Vector2d(1.4, 0.3)}};
  ResidualBlock rows;
  ASSERT_TRUE(problem.Evaluate(0, at, true, rows));
  ASSERT_EQ(rows.by_values.cols(), 9);
  for (int i = 0; i < 9; ++i) {
    const auto moved = [&](double by) {
      FitPoint near = at;
      near.values[i] += by;
      ResidualBlock out;
      EXPECT_TRUE(problem.Evaluate(0, near, false, out));
      return out.residuals;
    };
    const Eigen::VectorXd found = rows.by_values.col(i);
    EXPECT_GT(found.norm(), 1) << i;
    EXPECT_LT((Difference(moved, 1e-3 * std::abs(at.values[i])) - found).norm(), 1e-3 * found.norm()) << i;
  }
}

/// Where one motion does not follow a recording: nodes, and residuals between them.
TEST(MotionProblem, DerivativesBetweenTiedNodes) {
  const Scene scene = Pendulum();
  const JointedFamily family(scene, ParsePathList(scene, kThree));
  JointedFit fit(family, {MakeJointTrack(family.scene(), family.model(), family.mechanism(), Swing(3))});
  fit.tie = 1e-2;
  std::vector<Eigen::VectorXd> nodes = {Eigen::Vector2d(1.7, 0.1), Eigen::Vector2d(-0.9, 4.0),
                                        Eigen::Vector2d(0.8, -3)};
  JointedRows rows;
  ASSERT_TRUE(fit.Evaluate(0, family.start(), nodes, true, rows));
  ASSERT_EQ(rows.residuals.size(), static_cast<Eigen::Index>(fit.tracks[0].observations.size()) + 4);
  for (int i = 0; i < 9; ++i) {
    const auto moved = [&](double by) {
      Eigen::VectorXd values = family.start();
      std::vector<Eigen::VectorXd> at = nodes;
      (i < 3 ? values[i] : at[static_cast<std::size_t>((i - 3) / 2)][(i - 3) % 2]) += by;
      JointedRows out;
      EXPECT_TRUE(fit.Evaluate(0, values, at, false, out));
      return out.residuals;
    };
    const Eigen::VectorXd found = i < 3 ? rows.by_values.col(i) : rows.by_nodes.col(i - 3);
    const double size = i < 3 ? 1e-4 * family.start()[i] : 1e-6;
    EXPECT_LT((Difference(moved, size) - found).norm(), 1e-3 * found.norm()) << i;
  }
}

TEST(MotionProblem, InformationIsThatOfTheFit) {
  MotionProblem problem = Pose({Swing(1), Swing(2)}, kThree);
  const Fit fit = problem.Search();
  const std::optional<ParameterInformation> information = InformationOf(problem, fit.point);
  ASSERT_TRUE(information);
  EXPECT_EQ(information->rank, 3);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(std::sqrt(information->covariance(i, i)) * fit.enlargement[i] / std::sqrt(fit.covariance(i, i)), 1,
                0.02)
        << i;
}

TEST(MotionProblem, HeldParametersStay) {
  MotionProblem problem = Pose({Swing(4)}, kThree);
  const Fit fit = problem.Search();
  FitPoint from = fit.point;
  from.values[1] = 1.8e-3;
  const Fit held = problem.Search({0, 1, 0}, &from);
  ASSERT_TRUE(held.found);
  EXPECT_EQ(held.point.values[1], 1.8e-3);
  EXPECT_LT(held.point.values[0], fit.point.values[0]);  // less viscous friction makes up for it
  EXPECT_GT(held.cost(), fit.cost() + 1);
  const Fit again = problem.Search({}, &held.point);
  EXPECT_NEAR(again.cost(), fit.cost(), 0.02);
}

/// Data drawn at a fit have its motion and its noise; an encoder's are rounded.
TEST(MotionProblem, DrawnDataAreThoseOfTheFit) {
  for (const double noise : {1e-3, -2e-3}) {
    MotionProblem problem = Pose({Swing(5, noise)}, kThree);
    const Fit fit = problem.Search();
    Random random(1);
    const std::unique_ptr<FitProblem> drawn = problem.Draw(fit, random);
    ASSERT_TRUE(drawn);
    ResidualBlock rows;
    ASSERT_TRUE(drawn->Evaluate(0, fit.point, false, rows));
    const double count = static_cast<double>(rows.residuals.size());
    EXPECT_NEAR(rows.residuals.squaredNorm() / count, 1, 4 * std::sqrt(2 / count)) << noise;
    const Fit again = drawn->Search({}, &fit.point);
    ASSERT_TRUE(again.converged);
    EXPECT_NE(again.point.values[1], fit.point.values[1]);
    for (int i = 0; i < 3; ++i)
      EXPECT_LT(std::abs(again.point.values[i] - fit.point.values[i]), 5 * std::sqrt(fit.covariance(i, i))) << i;
  }
}

/// 95 % intervals of the profile contain the truth about that often, and so do those of the bootstrap.
TEST(MotionProblem, ProfileAndBootstrapCover) {
  constexpr int kSeeds = 20;
  const double truth[] = {kViscous, kDry, kInertia};
  int profile_covers = 0, bootstrap_covers = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    MotionProblem problem = Pose({Swing(100 + static_cast<std::uint64_t>(seed))}, kThree);
    const Fit fit = problem.Search();
    ASSERT_TRUE(fit.converged) << seed;
    const int index = seed % 3;
    const EstimatedProfile profile = ProfileParameter(problem, fit, index);
    ASSERT_TRUE(profile.lower && profile.upper) << seed << ": " << profile.words;
    profile_covers += *profile.lower <= truth[index] && truth[index] <= *profile.upper;
    const double deviation = std::sqrt(fit.covariance(index, index));
    EXPECT_NEAR((*profile.upper - *profile.lower) / (2 * 1.96 * deviation), 1, 0.25) << seed;
    const BootstrapResult bootstrap = BootstrapFit(problem, fit, {.repetitions = 20});
    ASSERT_TRUE(bootstrap.enough());
    EXPECT_EQ(bootstrap.failed, 0);
    const double scatter = std::sqrt(bootstrap.covariance(index, index));
    EXPECT_NEAR(std::log(scatter / deviation), 0, 0.7) << seed;
    bootstrap_covers += std::abs(fit.point.values[index] - truth[index]) < 2.09 * scatter;
  }
  EXPECT_GE(profile_covers, 17);
  EXPECT_GE(bootstrap_covers, 16);
}

/// Recordings that were left out are predicted to within their noise by the right model and not by a wrong one.
TEST(MotionProblem, CrossValidation) {
  const std::vector<Recording> recordings = {Swing(1), Swing(2), Swing(3), Swing(4)};
  MotionProblem right = Pose(recordings, kThree);
  const EstimatedCrossValidation good = CrossValidateFit(right, 4);
  ASSERT_EQ(good.recordings.size(), 4u);
  EXPECT_NEAR(good.residual_over_noise.value_or(0), 1, 0.1);
  for (const std::vector<double>& values : good.values) {
    ASSERT_EQ(values.size(), 3u);
    EXPECT_NEAR(values[2], kInertia, 0.01 * kInertia);
  }
  Scene without_friction = Pendulum();
  without_friction.Set("joints.hinge.dry.friction", {0.0});
  const EstimatedCrossValidation bad = CrossValidateFit(Pose(recordings, "joints.hinge.viscous", without_friction), 4);
  EXPECT_GT(bad.residual_over_noise.value_or(0), 3);
}

TEST(MotionProblem, IdentifyReportsAllThree) {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  options.bootstrap = 8;
  options.profiles = {"joints.hinge.dry.friction"};
  options.folds = 2;
  const Estimate estimate = Identify(Pendulum(), {Swing(1), Swing(2)}, kThree, options).estimate;
  EXPECT_TRUE(estimate.converged);
  ASSERT_EQ(estimate.profiles.size(), 1u);
  EXPECT_LT(*estimate.profiles[0].lower, kDry);
  EXPECT_GT(*estimate.profiles[0].upper, kDry);
  ASSERT_TRUE(estimate.cross_validation);
  EXPECT_EQ(estimate.cross_validation->values.size(), 2u);
  EXPECT_GT(estimate.parameters[0].std.value_or(0), 0);
}

}  // namespace
}  // namespace ricochet
