// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/block_ldlt.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/support/allocation_count.h"
#include "tests/support/random_mlcp.h"

namespace ricochet {
namespace {

Eigen::MatrixXd Dense(const BlockLdlt& K) {
  Eigen::MatrixXd out(K.size(), K.size());
  Eigen::VectorXd column(K.size());
  for (int i = 0; i < K.size(); ++i) {
    K.Multiply(Eigen::VectorXd::Unit(K.size(), i), column);
    out.col(i) = column;
  }
  return out;
}

TEST(BlockLdlt, SolvesChainsAndLoopsAsADenseSolverDoes) {
  RandomVectors random(1);
  for (int trial = 0; trial < 60; ++trial) {
    MlcpProblem problem;
    MakeRandomMlcp(random, {.bodies = 1 + trial % 8, .loop = trial % 8 > 2 && trial % 2, .dry = 0, .contacts = 0},
                   problem);
    ASSERT_TRUE(problem.K.Factorize());
    const Eigen::MatrixXd K = Dense(problem.K);
    EXPECT_LE((K - K.transpose()).cwiseAbs().maxCoeff(), 1e-15 * K.cwiseAbs().maxCoeff());
    Eigen::VectorXd x = problem.a;
    problem.K.Solve(x);
    EXPECT_LE((K * x - problem.a).cwiseAbs().maxCoeff(),
              1e-13 * (1 + K.cwiseAbs().maxCoeff() * x.cwiseAbs().maxCoeff()));
  }
}

TEST(BlockLdlt, AChainHasNoFillAndItsFactorGrowsLinearly) {
  RandomVectors random(2);
  for (const int n : {10, 100}) {
    MlcpProblem problem;
    MakeRandomMlcp(random, {.bodies = n, .loop = false, .dry = 0, .contacts = 0}, problem);
    EXPECT_EQ(problem.K.factor_blocks(), 2 * n - 1) << "one block per edge";
    EXPECT_EQ(problem.K.order().front(), n - 1) << "from the tip";
  }
}

TEST(BlockLdlt, AStarHasNoFillEither) {
  // One hub and many bodies around it: eliminating the bodies and their joints first leaves the hub.
  BlockLdlt::Graph graph;
  const int arms = 20;
  graph.dual.assign(1 + arms, 0);
  graph.dual.resize(1 + 2 * arms, 1);
  for (int i = 0; i < arms; ++i) {
    graph.edges.push_back({1 + arms + i, 1 + i});
    graph.edges.push_back({1 + arms + i, 0});
  }
  BlockLdlt K;
  K.Analyze(graph);
  EXPECT_EQ(K.factor_blocks(), 2 * arms);
}

TEST(BlockLdlt, RigidJointsAreAllowedAndRepeatedOnesAreNamed) {
  BlockLdlt::Graph graph{.dual = {0, 1, 1}, .edges = {{1, 0}, {2, 0}}};
  BlockLdlt K;
  K.Analyze(graph);
  K.Diagonal(0).setIdentity();
  for (const int joint : {1, 2}) {
    K.Diagonal(joint).setZero();
    K.Diagonal(joint).diagonal().tail<3>().setConstant(-1);  // three rigid rows, three padded
    K.Edge(joint - 1).setZero();
    K.Edge(joint - 1).topLeftCorner<3, 3>().setIdentity();
  }
  EXPECT_FALSE(K.Factorize());
  EXPECT_GE(K.failed_node(), 1);
  K.Diagonal(2).diagonal().head<3>().setConstant(-1e-6);
  EXPECT_TRUE(K.Factorize());
}

TEST(BlockLdlt, FactorizingAndSolvingAllocateNothing) {
  RandomVectors random(3);
  MlcpProblem problem;
  MakeRandomMlcp(random, {.bodies = 5, .loop = true, .dry = 0, .contacts = 0}, problem);
  Eigen::VectorXd x = problem.a;
  problem.K.Factorize();
  problem.K.Solve(x);
  const testing::AllocationCount count;
  problem.K.Factorize();
  problem.K.Solve(x);
  EXPECT_EQ(count.allocations(), 0);
}

}  // namespace
}  // namespace ricochet
