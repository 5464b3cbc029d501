// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Normal equations with a border, in their structures against the dense solution.
#include "optimize/bordered_band.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <vector>

#include "core/random.h"
#include "optimize/chain_least_squares.h"

namespace ricochet {
namespace {

/// Rows a x + b of unknowns that are coupled over `width` neighbors, and of p common ones.
struct Rows {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  BorderedBand band;
};

Rows RandomRows(int n, int width, int p, int rows) {
  Random random(5, 0);
  Rows out;
  out.band.Reset(n, width, p);
  out.a = Eigen::MatrixXd::Zero(rows, n + p);
  out.b.resize(rows);
  for (int r = 0; r < rows; ++r) {
    const int first = r % (n - width);
    std::vector<int> index;
    std::vector<double> derivative;
    for (int i = 0; i <= width; ++i) index.push_back(first + i);
    for (int i = 0; i < p; ++i) index.push_back(n + i);
    for (const int i : index) {
      derivative.push_back(random.Normal());
      out.a(r, i) = derivative.back();
    }
    out.b[r] = random.Normal();
    out.band.AddRow(out.b[r], index, derivative);
  }
  return out;
}

TEST(BorderedBand, SolvesLikeADenseLeastSquares) {
  Rows rows = RandomRows(30, 4, 2, 80);
  ASSERT_TRUE(rows.band.Factor());
  const Eigen::VectorXd x = rows.band.Solve();
  EXPECT_LT((rows.a.transpose() * (rows.a * x + rows.b)).norm(), 1e-9);
}

TEST(BorderedBand, DampsInTheGivenUnits) {
  Rows rows = RandomRows(30, 4, 2, 80);
  const Eigen::VectorXd scale = Eigen::VectorXd::LinSpaced(32, 0.5, 2);
  ASSERT_TRUE(rows.band.Factor(0.3, scale));
  Eigen::MatrixXd h = rows.a.transpose() * rows.a;
  h.diagonal() += 0.3 * scale;
  const Eigen::VectorXd dense = -h.lu().solve(rows.a.transpose() * rows.b);
  EXPECT_LT((rows.band.Solve() - dense).norm(), 1e-10);
}

TEST(BorderedBand, SchurComplementIsTheInformationOfTheCommonOnes) {
  const int n = 30, p = 3;
  Rows rows = RandomRows(n, 4, p, 90);
  ASSERT_TRUE(rows.band.Factor());
  const Eigen::MatrixXd covariance = (rows.a.transpose() * rows.a).inverse();
  EXPECT_LT((rows.band.schur_inverse() - covariance.bottomRightCorner(p, p)).norm(), 1e-9 * covariance.norm());
  EXPECT_LT((rows.band.schur() * covariance.bottomRightCorner(p, p) - Eigen::MatrixXd::Identity(p, p)).norm(), 1e-9);
}

TEST(BorderedBand, ACommonUnknownWithoutEffectStays) {
  BorderedBand band;
  band.Reset(2, 1, 1);
  const int index[] = {0, 1};
  const double one[] = {1, 0}, other[] = {1, 1};
  band.AddRow(-1, index, one);
  band.AddRow(-3, index, other);
  ASSERT_TRUE(band.Factor());
  const Eigen::VectorXd x = band.Solve();
  EXPECT_NEAR(x[0], 1, 1e-12);
  EXPECT_NEAR(x[1], 2, 1e-12);
  EXPECT_EQ(x[2], 0);
}

TEST(BorderedBand, ReportsAMatrixThatIsNotPositiveDefinite) {
  BorderedBand band;
  band.Reset(2, 1, 0);
  const int index[] = {0};
  const double one[] = {1};
  band.AddRow(1, index, one);
  EXPECT_FALSE(band.Factor());
  EXPECT_TRUE(band.Factor(1, Eigen::VectorXd::Ones(2)));
}

TEST(ChainLeastSquares, SolvesLikeTheBand) {
  // States of two unknowns, coupled to the next: a band of half-width 3.
  const int states = 8, m = 2, n = states * m, p = 2;
  Random random(7, 0);
  BorderedBand band;
  band.Reset(n, 2 * m - 1, p);
  std::vector<ChainBlock> chain(static_cast<std::size_t>(states));
  ChainBorder border{Eigen::MatrixXd::Zero(p, p), Eigen::VectorXd::Zero(p)};
  for (ChainBlock& block : chain)
    block = {Eigen::MatrixXd::Zero(m, m), Eigen::MatrixXd::Zero(m, m), Eigen::MatrixXd::Zero(m, p),
             Eigen::VectorXd::Zero(m)};
  for (int k = 0; k + 1 < states; ++k)
    for (int row = 0; row < 4; ++row) {
      Eigen::RowVectorXd j(2 * m + p);
      std::vector<int> index;
      std::vector<double> derivative;
      for (int i = 0; i < 2 * m + p; ++i) {
        j[i] = random.Normal();
        index.push_back(i < 2 * m ? m * k + i : n + i - 2 * m);
        derivative.push_back(j[i]);
      }
      const double r = random.Normal();
      band.AddRow(r, index, derivative);
      const Eigen::MatrixXd here = j.head(m), next = j.segment(m, m), common = j.tail(p);
      ChainBlock &a = chain[static_cast<std::size_t>(k)], &b = chain[static_cast<std::size_t>(k) + 1];
      a.D += here.transpose() * here;
      a.B += here.transpose() * common;
      a.g += r * here.transpose();
      a.L += next.transpose() * here;
      b.D += next.transpose() * next;
      b.B += next.transpose() * common;
      b.g += r * next.transpose();
      border.C += common.transpose() * common;
      border.h += r * common.transpose();
    }
  ASSERT_TRUE(band.Factor());
  const Eigen::VectorXd x = band.Solve();
  ASSERT_TRUE(EliminateChain(chain, border));
  EXPECT_LT((border.C - band.schur()).norm(), 1e-10 * band.schur().norm());
  const Eigen::VectorXd c = -border.C.lu().solve(border.h);
  EXPECT_LT((c - x.tail(p)).norm(), 1e-10);
  std::vector<Eigen::VectorXd> steps;
  SubstituteChain(chain, c, steps);
  for (int k = 0; k < states; ++k) EXPECT_LT((steps[static_cast<std::size_t>(k)] - x.segment(m * k, m)).norm(), 1e-10);
}

TEST(ChainLeastSquares, BorderStopsAtItsBounds) {
  // min 1/2 (c0 - 3)^2 + 1/2 (c0 + c1 - 4)^2: at (3, 1); with c0 <= 1 the other one makes up for it: (1, 3).
  ChainBorder border{(Eigen::Matrix2d() << 2, 1, 1, 1).finished(), Eigen::Vector2d(-7, -4)};
  const Eigen::Vector2d lower(-10, -10), upper(10, 10), low(1, 10);
  EXPECT_LT((SolveBorder(border, lower, upper) - Eigen::Vector2d(3, 1)).norm(), 1e-12);
  EXPECT_LT((SolveBorder(border, lower, low) - Eigen::Vector2d(1, 3)).norm(), 1e-12);
  // Held at 0, c1 alone: 4.
  EXPECT_LT((SolveBorder(border, lower, upper, {1, 0}) - Eigen::Vector2d(0, 4)).norm(), 1e-12);
}

}  // namespace
}  // namespace ricochet
