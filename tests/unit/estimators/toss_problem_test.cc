// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_problem.h"

#include <gtest/gtest.h>

#include <cmath>

#include "inference/fit_bootstrap.h"
#include "reproduce/toss_campaign.h"
#include "ricochet/parameter.h"
#include "tests/support/box_world.h"

namespace ricochet {
namespace {

const JongeneelBox& Box() { return JongeneelBoxes()[2]; }

SpatialFamily Family() {
  const Scene scene = TossScene(Box(), Box().friction, Box().restitution);
  return {scene, ParsePathList(scene, "contact.friction,contact.restitution")};
}

std::vector<Recording> Tosses(int count, bool drops) {
  CampaignOptions options;
  options.tosses = count;
  options.drops = drops;
  return MakeCampaign(Box(), options);
}

double Rms(const Eigen::VectorXd& residuals) {
  return std::sqrt(residuals.squaredNorm() / static_cast<double>(residuals.size()));
}

const Eigen::Vector2d& Truth() {
  static const Eigen::Vector2d values(Box().friction, Box().restitution);
  return values;
}

TEST(ImpactProblem, ResidualsAtTheTruthAreNoise) {
  const SpatialFamily family = Family();
  TossSet set(family, Tosses(4, true), {});
  set.KeepThoseWithImpacts();
  ASSERT_GE(set.used().size(), 3u);
  const ImpactProblem problem(family, set, 0);
  EXPECT_FALSE(problem.HasDerivatives());
  ResidualBlock block;
  for (int k = 0; k < problem.blocks(); ++k) {
    ASSERT_TRUE(problem.Evaluate(k, {Truth(), {}}, false, block));
    EXPECT_EQ(
        block.residuals.size(),
        6 * static_cast<Eigen::Index>(set.tosses()[static_cast<std::size_t>(set.used()[static_cast<std::size_t>(k)])]
                                          .impacts.impacts.size()));
    EXPECT_EQ(block.labels.size(), static_cast<std::size_t>(block.residuals.size()));
    EXPECT_LT(Rms(block.residuals), 2);
    EXPECT_FALSE(problem.Evaluate(k, {Truth(), {}}, true, block)) << "the motion jumps";
  }
}

// A toss that a subset names twice counts twice, and what is held stays.
TEST(ImpactProblem, SubsetsAndHeldParameters) {
  const SpatialFamily family = Family();
  TossSet set(family, Tosses(3, true), {});
  set.KeepThoseWithImpacts();
  ImpactProblem problem(family, set, 0);
  ASSERT_GE(problem.blocks(), 2);
  const FitPoint truth{Truth(), {}};
  const Fit whole = problem.Search({1, 1}, &truth);
  EXPECT_TRUE(whole.point.values.isApprox(Truth(), 1e-12));
  const std::unique_ptr<FitProblem> part = problem.Subset({0, 0, 1});
  ASSERT_EQ(part->blocks(), 3);
  EXPECT_EQ(part->recording(1), problem.recording(0));
  const Fit counted = part->Search({1, 1}, &truth);
  EXPECT_NEAR(counted.cost(), 2 * whole.costs[0] + whole.costs[1], 1e-9 * std::abs(whole.cost()));
  FitPoint beside = truth;
  beside.values[0] += 0.02;
  const Fit held = problem.Search({1, 0}, &beside);
  EXPECT_NEAR(held.point.values[0], beside.values[0], 1e-12);
  EXPECT_GE(held.cost(), problem.Search({}, &truth).cost());
}

TEST(TossCostProblem, CostsPerTossAreJudgedByTheirScatter) {
  const SpatialFamily family = Family();
  TossCostProblem problem(family, TossSet(family, Tosses(3, false), {}), 0);
  EXPECT_EQ(problem.cost_kind(), CostKind::kCost);
  const FitPoint truth{Truth(), {}};
  const Fit fit = problem.Search({1, 1}, &truth);
  ASSERT_EQ(fit.costs.size(), 3u);
  FitPoint wrong = truth;
  wrong.values[0] += 0.2;
  EXPECT_GT(problem.Search({1, 1}, &wrong).cost(), 3 * fit.cost());
  EXPECT_EQ(problem.Range(0).first, 0);
  ResidualBlock block;
  ASSERT_TRUE(problem.Evaluate(0, truth, false, block));
  EXPECT_EQ(block.labels.size(), static_cast<std::size_t>(block.residuals.size()));
  Random random(0);
  EXPECT_EQ(problem.Draw(fit, random), nullptr);
  EXPECT_EQ(BootstrapKind(problem, fit), "a bootstrap over recordings");
}

/// Statements of three tosses about two parameters.
TossLikelihoodResult ThreeStatements() {
  TossLikelihoodResult found;
  for (const double friction : {0.40, 0.41, 0.43}) {
    TossStatement one;
    one.params = Eigen::Vector2d(friction, 0.25);
    one.deviation = {0.01, 0.02};
    found.statements.push_back(one);
    found.moved.push_back(Eigen::Matrix<double, 12, 1>::Zero());
    found.frames.push_back(20);
  }
  found.params = CombineTosses(found.statements);
  found.covariance = Eigen::Vector2d(1e-4, 1e-4).asDiagonal();
  return found;
}

// What tosses say is combined again, about the values that are not held; deviances rise by what the covariance says.
TEST(TossLikelihoodProblem, CombinesWhatTossesSay) {
  const SpatialFamily family = Family();
  TossLikelihoodProblem problem(family, TossSet(family, Tosses(3, false), {}), 0);
  const TossLikelihoodResult found = ThreeStatements();
  const Fit fit = problem.Take(found);
  FitPoint beside = fit.point;
  beside.values[0] += 0.001;
  const Fit held = problem.Search({1, 0}, &beside);
  EXPECT_EQ(held.point.values[0], beside.values[0]);
  EXPECT_DOUBLE_EQ(held.point.values[1], fit.point.values[1]);
  EXPECT_NEAR((held.cost() - fit.cost()) / std::pow(fit.enlargement[0], 2), 1e-6 / 1e-4, 1e-4);
  const Fit last = problem.Subset({2, 2, 2})->Search({}, &fit.point);
  EXPECT_NEAR(last.point.values[0], 0.43, 1e-12);
  EXPECT_EQ(problem.FreedomOfRecordings(), 1);
}

// With everything held the starts are fitted, and the residuals are the noise.
TEST(TossLikelihoodProblem, FitsStartsWithEverythingHeld) {
  const SpatialFamily family = Family();
  TossLikelihoodProblem problem(family, TossSet(family, Tosses(2, false), {}), 0);
  const FitPoint truth{Truth(), {}};
  const Fit fit = problem.Search({1, 1}, &truth);
  EXPECT_EQ(fit.point.values, truth.values);
  ASSERT_EQ(fit.point.local.size(), 2u);
  for (int k = 0; k < 2; ++k) {
    ResidualBlock block;
    ASSERT_TRUE(problem.Evaluate(k, fit.point, false, block));
    EXPECT_NEAR(Rms(block.residuals), 1, 0.3);
  }
}

/// Tosses of an independent simulator, which has steps of its own.
std::vector<Recording> IndependentTosses(int count) {
  testing::BoxWorld world;
  for (int i = 0; i < 3; ++i) world.size[i] = Box().size[i], world.inertia[i] = Box().inertia[i] / Box().mass;
  world.friction = Box().friction;
  world.restitution = Box().restitution;
  std::vector<Recording> out;
  for (int k = 0; k < count; ++k) {
    testing::BoxState start;
    start.position = {0, 0, 0.3};
    start.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.4 + 0.3 * k, Eigen::Vector3d(1, k, 0.5).normalized()));
    start.velocity = {1.5, 0.2 * k, 0};
    start.spin = {2.0 - k, 1, -1};
    out.push_back(testing::RecordBox(world, testing::SimulateBox(world, start, 360, 1, 0.02), {},
                                     static_cast<std::uint64_t>(k), "toss.csv"));
  }
  return out;
}

// The scene's step is not part of the fit: with everything held at the truth, starts explain tosses of another
// simulator down to their noise, through what can be predicted of them.
TEST(TossLikelihoodProblem, FollowsAnIndependentSimulator) {
  const SpatialFamily family = Family();
  const TossSet grid(family, IndependentTosses(2), {});
  const FitPoint truth{Truth(), {}};
  TossLikelihoodProblem problem(family, grid.Located(), 0);
  const Fit fit = problem.Search({1, 1}, &truth);
  for (int k = 0; k < 2; ++k) {
    ResidualBlock block;
    ASSERT_TRUE(problem.Evaluate(k, fit.point, false, block));
    const PreparedToss& toss = grid.tosses()[static_cast<std::size_t>(k)];
    EXPECT_LT(Rms(block.residuals), 1.2) << k;
    EXPECT_GT(static_cast<double>(block.residuals.size()), 0.7 * 6 * (toss.end - toss.start)) << k;
  }
}

// Secants say how residuals change over one standard deviation of a parameter, starts following.
TEST(TossLikelihoodProblem, HasSecants) {
  const SpatialFamily family = Family();
  TossLikelihoodProblem problem(family, TossSet(family, IndependentTosses(1), {}).Located(), 0);
  const FitPoint truth{Truth(), {}};
  const Fit fit = problem.Search({1, 1}, &truth);
  ASSERT_TRUE(problem.HasDerivatives());
  ResidualBlock block;
  ASSERT_TRUE(problem.Evaluate(0, fit.point, true, block));
  EXPECT_EQ(block.by_local.cols(), 12);
  EXPECT_EQ(block.by_values.cols(), 2);
  EXPECT_EQ(block.by_values.rows(), block.residuals.size());
  for (int j = 0; j < 2; ++j) EXPECT_GT(block.by_values.col(j).norm(), 0) << j;
  const std::unique_ptr<FitProblem> larger = problem.With(ParsePathList(family.scene(), "gravity.magnitude"));
  ASSERT_TRUE(larger);
  FitPoint point = fit.point;
  point.values.conservativeResize(3);
  point.values[2] = larger->parameters().start()[2];
  ResidualBlock same;
  ASSERT_TRUE(larger->Evaluate(0, point, false, same));
  EXPECT_LT((same.residuals - block.residuals).cwiseAbs().maxCoeff(), 1e-6);
}

}  // namespace
}  // namespace ricochet
