// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/dry_chain.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/support/allocation_count.h"
#include "tests/support/random_mlcp.h"

namespace ricochet {
namespace {

/// Joint nodes of the random problems follow the bodies.
std::vector<int> JointNodes(const RandomMlcpOptions& kind) {
  std::vector<int> nodes;
  for (int d = 0; d < kind.dry; ++d) nodes.push_back(kind.bodies + d);
  return nodes;
}

/// A joint sticks also with both sides and the bound active: then t+ + t- = bound and the rate is 0.
std::vector<DryMode> ModesOf(const MlcpSolution& solution) {
  std::vector<DryMode> modes;
  for (size_t k = 0; k < solution.active.size(); k += 3) {
    const bool both = solution.active[k] && solution.active[k + 1];
    modes.push_back(!solution.active[k + 2] || both ? DryMode::kSticks
                    : solution.active[k]            ? DryMode::kBackward
                                                    : DryMode::kForward);
  }
  return modes;
}

TEST(BlockLu, SolvesWithoutSymmetry) {
  RandomVectors random(61);
  MlcpProblem problem;
  MakeRandomMlcp(random, {.bodies = 5, .loop = true, .dry = 0, .contacts = 0}, problem);
  const int size = problem.K.size();
  BlockLu lu;
  lu.Load(problem.K);
  Eigen::MatrixXd A(size, size);
  Eigen::VectorXd column(size);
  for (int i = 0; i < size; ++i) {
    problem.K.Multiply(Eigen::VectorXd::Unit(size, i), column);
    A.col(i) = column;
  }
  // One-sided changes of an edge and of a pivot that pivoting inside the block must cope with.
  const auto [a, b] = problem.K.EdgeNodes(2);
  const BlockLdlt::Block change = 0.1 * BlockLdlt::Block::NullaryExpr([&] { return random.Uniform(-1, 1); });
  lu.At(b, a) += change;
  A.block<6, 6>(6 * b, 6 * a) += change;
  BlockLdlt::Block pivot = BlockLdlt::Block::Zero();
  for (int i = 0; i < 6; ++i) pivot(i, 5 - i) = 1 + i;
  lu.Diagonal(0) += pivot;
  A.block<6, 6>(0, 0) += pivot;
  ASSERT_TRUE(lu.Factorize());
  const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(size, [&] { return random.Uniform(-1, 1); });
  Eigen::VectorXd x = right;
  lu.Solve(x);
  EXPECT_LE((A * x - right).cwiseAbs().maxCoeff(), 1e-9 * A.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff());
}

TEST(BlockLu, ReportsASingularPivot) {
  RandomVectors random(62);
  MlcpProblem problem;
  MakeRandomMlcp(random, {.bodies = 1, .dry = 0, .contacts = 0}, problem);
  BlockLu lu;
  lu.Load(problem.K);
  lu.Diagonal(0).setZero();
  EXPECT_FALSE(lu.Factorize());
}

TEST(DryChain, SolvesTheModesOfTheGeneralSolver) {
  RandomVectors random(63);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution solution;
  DryChain chain;
  int slides = 0, sticks = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const RandomMlcpOptions kind = {
        .bodies = 2 + trial % 5, .loop = trial % 2 == 1, .dry = 1 + trial % 2, .contacts = 0, .planted = trial % 3 > 0};
    MakeRandomMlcp(random, kind, problem);
    SolveMlcp(problem, {}, {}, workspace, solution);
    ASSERT_EQ(solution.status, MlcpStatus::kSolved) << trial;
    const std::vector<int> nodes = JointNodes(kind);
    const std::vector<DryMode> modes = ModesOf(solution);
    ASSERT_TRUE(DryChain::Fits(problem, nodes));
    ASSERT_TRUE(chain.Factorize(problem, nodes, modes));
    Eigen::VectorXd x = problem.a, z = problem.b;
    chain.Solve(problem, x, z);
    for (int round = 0; round < 3; ++round) chain.Improve(problem, x, z);
    for (size_t k = 0; k < nodes.size(); ++k) {
      (modes[k] == DryMode::kSticks ? sticks : slides) += 1;
      if (z[3 * k] >= 0) continue;
      z[3 * k + 1] = -z[3 * k];
      z[3 * k] = 0;
    }
    EXPECT_LE(MlcpResidual(problem, x, z), 1e-10) << trial;
  }
  EXPECT_GT(slides, 20);
  EXPECT_GT(sticks, 20);
}

// Factors of slightly other bounds lead to the same solution.
TEST(DryChain, ImproveConvergesWithBoundsThatChanged) {
  RandomVectors random(64);
  MlcpProblem problem;
  const RandomMlcpOptions kind = {.bodies = 6, .loop = false, .dry = 3, .contacts = 0, .planted = true};
  MakeRandomMlcp(random, kind, problem);
  const std::vector<int> nodes = JointNodes(kind);
  const std::vector<DryMode> modes(3, DryMode::kForward);
  DryChain chain;
  ASSERT_TRUE(chain.Factorize(problem, nodes, modes));
  Eigen::VectorXd x = problem.a, z = problem.b;
  chain.Solve(problem, x, z);
  for (int k = 0; k < 3; ++k) problem.N[3 * k + 2].value[0] *= 1.02;
  for (int round = 0; round < 20; ++round) chain.Improve(problem, x, z);
  ASSERT_TRUE(chain.Factorize(problem, nodes, modes));
  Eigen::VectorXd x_direct = problem.a, z_direct = problem.b;
  chain.Solve(problem, x_direct, z_direct);
  chain.Improve(problem, x_direct, z_direct);
  EXPECT_LE((x - x_direct).cwiseAbs().maxCoeff(), 1e-9 * (1 + x.cwiseAbs().maxCoeff()));
  const testing::AllocationCount count;
  chain.Factorize(problem, nodes, modes);
  chain.Improve(problem, x, z);
  EXPECT_EQ(count.allocations(), 0);
}

// A contact beside the joints, or a joint that fills its node, is not of this form.
TEST(DryChain, FitsOnlyDryJoints) {
  RandomVectors random(65);
  MlcpProblem problem;
  MakeRandomMlcp(random, {.bodies = 2, .dry = 1, .contacts = 1}, problem);
  EXPECT_FALSE(DryChain::Fits(problem, std::vector<int>{2}));
  MakeRandomMlcp(random, {.bodies = 2, .dry = 1, .contacts = 0}, problem);
  EXPECT_TRUE(DryChain::Fits(problem, std::vector<int>{2}));
  problem.K.Diagonal(2)(5, 5) = -0.5;
  EXPECT_FALSE(DryChain::Fits(problem, std::vector<int>{2}));
}

}  // namespace
}  // namespace ricochet
