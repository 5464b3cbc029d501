// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/chain_least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "core/random.h"

namespace ricochet {
namespace {

/// A random chain of one state of three with a border of two, as [D B; B' C].
struct Arrow {
  std::vector<ChainBlock> chain;
  ChainBorder border;
  Eigen::MatrixXd whole;
};

Arrow MakeArrow(std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd rows(9, 6);
  for (double& each : rows.reshaped()) each = random.Normal();
  const Eigen::MatrixXd products = rows.transpose() * rows;
  return {{{products.topLeftCorner(3, 3), {}, products.block(0, 3, 3, 2), products.block(0, 5, 3, 1)}},
          {products.block(3, 3, 2, 2), products.block(3, 5, 2, 1)},
          products};
}

TEST(ChainLeastSquares, AStateFollowsItsParametersAsTheWholeSystemSays) {
  Arrow arrow = MakeArrow(1);
  const Eigen::MatrixXd response = arrow.whole.topLeftCorner(3, 3).inverse() * arrow.whole.block(0, 3, 3, 2);
  ASSERT_TRUE(EliminateChain(arrow.chain, arrow.border));
  EXPECT_LT((FollowsBorder(arrow.chain.front()) - response).norm(), 1e-10 * response.norm());
  const Eigen::VectorXd c = SolveBorder(arrow.border, {}, {});
  std::vector<Eigen::VectorXd> steps;
  SubstituteChain(arrow.chain, c, steps);
  Eigen::VectorXd solution(5);
  solution << steps.front(), c;
  EXPECT_LT((arrow.whole.topLeftCorner(5, 5) * solution + arrow.whole.block(0, 5, 5, 1)).norm(), 1e-9);
}

TEST(ChainLeastSquares, DrawsOfAStateHaveTheCovarianceThatItsParametersLeave) {
  Arrow arrow = MakeArrow(2);
  const Eigen::MatrixXd covariance = arrow.whole.topLeftCorner(3, 3).inverse();
  ASSERT_TRUE(EliminateChain(arrow.chain, arrow.border));
  Eigen::MatrixXd root(3, 3);
  for (int k = 0; k < 3; ++k) root.col(k) = DrawState(arrow.chain.front(), Eigen::Vector3d::Unit(k));
  EXPECT_LT((root * root.transpose() - covariance).norm(), 1e-10 * covariance.norm());
}

}  // namespace
}  // namespace ricochet
