// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/mlcp.h"

#include <gtest/gtest.h>

#include "tests/support/allocation_count.h"
#include "tests/support/random_mlcp.h"

namespace ricochet {
namespace {

TEST(Mlcp, ResidualOfTenThousandProblems) {
  RandomVectors random(11);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  double worst = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    MakeRandomMlcp(random, MlcpKind(trial), problem);
    SolveMlcp(problem, {}, {}, workspace, solution);
    ASSERT_EQ(solution.status, MlcpStatus::kSolved) << trial;
    worst = std::max(worst, MlcpResidual(problem, solution.x, solution.z));
  }
  EXPECT_LE(worst, 1e-10);
}

// Contacts together with dry bounds that depend on multipliers, the kind on which Lemke's method can end on a ray.
TEST(Mlcp, BoundsThatDependOnMultipliersTogetherWithContacts) {
  RandomVectors random(7);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  for (int trial = 0; trial < 2000; ++trial) {
    const int bodies = 1 + trial % 3;
    MakeRandomMlcp(random, {.bodies = bodies, .dry = 1 + trial % bodies, .contacts = 1 + trial % 3, .planted = true},
                   problem);
    SolveMlcp(problem, {}, {}, workspace, solution);
    ASSERT_EQ(solution.status, MlcpStatus::kSolved) << trial;
    ASSERT_LE(MlcpResidual(problem, solution.x, solution.z), 1e-10) << trial;
  }
}

// A body jammed between contacts: impulses of 1e5 N s against velocities of 0.1 m/s.
TEST(Mlcp, JammedBodiesAreSolvedAccurately) {
  RandomVectors random(15);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  int jammed = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    MakeRandomMlcp(random, {.bodies = 1, .loop = false, .dry = 1, .contacts = 3}, problem);
    SolveMlcp(problem, {}, {}, workspace, solution);
    ASSERT_EQ(solution.status, MlcpStatus::kSolved) << trial;
    jammed += solution.z.maxCoeff() > 1e3;
    ASSERT_LE(MlcpResidual(problem, solution.x, solution.z), 1e-10) << trial;
  }
  EXPECT_GT(jammed, 10);
}

TEST(Mlcp, TheResidualSeesWhatIsWrong) {
  RandomVectors random(12);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  MakeRandomMlcp(random, {}, problem);
  SolveMlcp(problem, {}, {}, workspace, solution);
  Eigen::VectorXd x = solution.x, z = solution.z;
  x[2] += 1e-3;
  EXPECT_GT(MlcpResidual(problem, x, z), 1e-6);
  z[0] = -1e-3;
  EXPECT_GT(MlcpResidual(problem, solution.x, z), 1e-6);
}

TEST(Mlcp, ARightGuessNeedsOneSetAndNoAllocation) {
  RandomVectors random(13);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  int one_set = 0;
  constexpr int kProblems = 50;
  for (int trial = 0; trial < kProblems; ++trial) {
    MakeRandomMlcp(random, {.bodies = 5, .loop = true, .dry = 5, .contacts = 0}, problem);
    SolveMlcp(problem, {}, {}, workspace, solution);
    const std::vector<char> guess = solution.active;
    SolveMlcp(problem, guess, {}, workspace, solution);
    const testing::AllocationCount count;
    SolveMlcp(problem, guess, {}, workspace, solution);
    EXPECT_EQ(count.allocations(), 0);
    one_set += solution.exchanges == 1 && !solution.lemke;
  }
  EXPECT_EQ(one_set, kProblems);
}

// Sizes that go up and down: memory is kept.
TEST(Mlcp, ProblemsOfOtherSizesAllocateNothingOnceTheLargestWasSeen) {
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  const auto solve = [&](bool counted) {
    RandomVectors random(16);
    long allocations = 0;
    for (int trial = 0; trial < 60; ++trial) {
      MakeRandomMlcp(random, {.bodies = 3, .loop = true, .dry = trial % 4, .contacts = 3 - trial % 4}, problem);
      const testing::AllocationCount count;
      SolveMlcp(problem, {}, {}, workspace, solution);
      allocations += count.allocations();
    }
    if (counted) {
      EXPECT_EQ(allocations, 0);
    }
  };
  solve(false);
  solve(true);
}

TEST(Mlcp, TheActiveSystemGivesDerivatives) {
  // Spook D.1: along a change of a and b the solution moves linearly while the active set stays.
  RandomVectors random(14);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    MlcpProblem problem;
    MlcpWorkspace workspace;
    MlcpSolution at, moved;
    const RandomMlcpOptions kind = MlcpKind(trial + 1);
    // Planted problems of this kind need not have a solution when they are moved.
    if (kind.planted && kind.dry > 0 && kind.contacts > 0) continue;
    MakeRandomMlcp(random, kind, problem);
    SolveMlcp(problem, {}, {}, workspace, at);
    Eigen::VectorXd dx = Eigen::VectorXd::NullaryExpr(problem.a.size(), [&] { return random.Uniform(-1, 1); });
    Eigen::VectorXd dz = Eigen::VectorXd::NullaryExpr(problem.b.size(), [&] { return random.Uniform(-1, 1); });
    // Bounds of friction have no constant part: with a negative one an open contact has no solution.
    for (int i = 0; i < problem.complementary_count(); ++i) {
      if (problem.C[i].count == 0) dz[i] = 0;
    }
    const double t = 1e-7;
    const Eigen::VectorXd a = problem.a, b = problem.b;
    problem.a += t * dx;
    problem.b += t * dz;
    MlcpWorkspace other;
    SolveMlcp(problem, at.active, {}, other, moved);
    problem.a = a;
    problem.b = b;
    if (moved.status != MlcpStatus::kSolved || moved.active != at.active || at.lemke) continue;
    ASSERT_TRUE(SolveActive(problem, at.active, workspace, dx, dz));
    // A jammed body: what is left of the residual (1e-10) is no longer small against the difference.
    if (dx.cwiseAbs().maxCoeff() > 1e4) continue;
    EXPECT_LE(((moved.x - at.x) / t - dx).cwiseAbs().maxCoeff(), 1e-5 * (1 + dx.cwiseAbs().maxCoeff()));
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

}  // namespace
}  // namespace ricochet
