// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_island.h"

#include <gtest/gtest.h>

#include "complementarity/friction_bodies/friction_contact_solver.h"
#include "core/random.h"

namespace ricochet {
namespace {

/// Three contacts between two bodies and one of each with a surface.
FrictionContactProblem RandomIsland(std::uint64_t seed) {
  Random r(seed);
  FrictionContactProblem problem;
  problem.body_count = 2;
  for (int b = 0; b < 2; ++b) {
    Vector6d& v = problem.free_velocity.emplace_back();
    for (double& x : v) x = r.Uniform(-1, 1);
  }
  for (int i = 0; i < 5; ++i) {
    FrictionContact& c = problem.contacts.emplace_back();
    c.body = i == 4 ? 1 : 0;
    c.other = i < 3 ? 1 : -1;
    c.mu = r.Uniform(0.1, 0.6);
    for (double& x : c.rows.reshaped()) x = r.Uniform(-1, 1);
    for (double& x : c.other_rows.reshaped()) x = r.Uniform(-1, 1);
    c.bias = Eigen::Vector3d(0, 0, r.Uniform(-1, 0));
  }
  return problem;
}

/// Calls `check(seed, problem, solution)` for the islands of seeds 1 to `count` that are solved; returns their number.
template <class Check>
int ForSolvedIslands(std::uint64_t count, const Check& check) {
  FrictionContactWorkspace workspace;
  FrictionContactSolution solution;
  int solved = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const FrictionContactProblem problem = RandomIsland(seed);
    SolveFrictionContact(problem, {}, workspace, solution);
    if (!solution.converged) continue;
    check(seed, problem, solution);
    ++solved;
  }
  return solved;
}

TEST(FrictionContactIsland, PolishesDisturbedImpulsesBackToTheSolution) {
  int sliding = 0;
  const int solved = ForSolvedIslands(300, [&](std::uint64_t seed, const auto& problem, const auto& solution) {
    FrictionContactSolution disturbed = solution;
    Random r(1000 + seed);
    for (Eigen::Vector3d& P : disturbed.impulse) P *= 1 + r.Uniform(-0.01, 0.01);
    disturbed.residual = FrictionContactResidual(problem, disturbed.impulse, disturbed.velocity);
    IslandContact island;
    island.Begin(problem, 1e-11);
    ASSERT_TRUE(island.Polish(disturbed)) << seed;
    EXPECT_LE(FrictionContactResidual(problem, disturbed.impulse, disturbed.velocity), 2e-11) << seed;
    EXPECT_EQ(disturbed.mode, solution.mode) << seed;
    for (int b = 0; b < 2; ++b)
      EXPECT_LE((disturbed.velocity[b] - solution.velocity[b]).cwiseAbs().maxCoeff(), 1e-8) << seed;
    for (const FrictionMode mode : disturbed.mode) sliding += mode == FrictionMode::kSlide;
  });
  EXPECT_GE(solved, 290);
  EXPECT_GE(sliding, 100);
}

TEST(FrictionContactIsland, FollowsThePathFromNoImpulses) {
  int reached = 0;
  const int solved = ForSolvedIslands(100, [&](std::uint64_t seed, const auto& problem, const auto& solution) {
    FrictionContactSolution cold = solution;
    cold.impulse.assign(problem.contacts.size(), Eigen::Vector3d::Zero());
    cold.mode.assign(problem.contacts.size(), FrictionMode::kOpen);
    cold.velocity = problem.free_velocity;
    cold.residual = 1;
    IslandContact island;
    island.Begin(problem, 1e-11);
    if (!island.Follow(false, cold)) return;
    ++reached;
    EXPECT_LE(FrictionContactResidual(problem, cold.impulse, cold.velocity), 2e-11) << seed;
  });
  EXPECT_GE(reached, 0.9 * solved);
}

}  // namespace
}  // namespace ricochet
