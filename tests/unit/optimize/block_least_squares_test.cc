// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Blocks with common parameters against the same problem solved as one dense system.
#include "optimize/block_least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "core/context.h"
#include "core/random.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr int kRows = 20;

/// Decays y = a_k exp(-c_0 t) + b_k + c_1 t: a_k, b_k per block, c common.
class Decays : public BlockResiduals {
 public:
  Decays(int count, double noise) {
    Random random(3);
    for (int k = 0; k < count; ++k) {
      Eigen::VectorXd y(kRows);
      for (int i = 0; i < kRows; ++i)
        y[i] = (1 + 0.2 * k) * std::exp(-1.5 * Time(i)) + 0.1 * k + 0.3 * Time(i) + noise * random.Normal();
      data_.push_back(y);
    }
  }
  static double Time(int i) { return 0.1 * i; }
  int blocks() const override { return static_cast<int>(data_.size()); }
  int local_size(int) const override { return 2; }
  int common_size() const override { return 2; }
  bool SetCommon(const Eigen::VectorXd& common) override {
    common_ = common;
    return common[0] < 50;
  }
  bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& r, Eigen::MatrixXd* j) override {
    r.resize(kRows);
    if (j) j->resize(kRows, 4);
    for (int i = 0; i < kRows; ++i) {
      const double e = std::exp(-common_[0] * Time(i));
      r[i] = local[0] * e + local[1] + common_[1] * Time(i) - data_[static_cast<std::size_t>(block)][i];
      if (j) j->row(i) << e, 1, -Time(i) * local[0] * e, Time(i);
    }
    return true;
  }

 private:
  std::vector<Eigen::VectorXd> data_;
  Eigen::VectorXd common_;
};

BlockPoint Start(const BlockResiduals& problem) {
  BlockPoint point{Eigen::Vector2d(0.4, 0.0), {}};
  for (int k = 0; k < problem.blocks(); ++k) point.local.emplace_back(Eigen::Vector2d(0.5, 0.0));
  return point;
}

/// All blocks as one vector: locals first, then common.
bool AsOne(Decays& problem, const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
  problem.SetCommon(x.tail(2));
  r.resize(kRows * problem.blocks());
  if (j) j->setZero(r.size(), x.size());
  for (int k = 0; k < problem.blocks(); ++k) {
    Eigen::VectorXd part;
    Eigen::MatrixXd block;
    problem.Evaluate(k, x.segment(2 * k, 2), part, &block);
    r.segment(kRows * k, kRows) = part;
    if (!j) continue;
    j->block(kRows * k, 2 * k, kRows, 2) = block.leftCols(2);
    j->block(kRows * k, x.size() - 2, kRows, 2) = block.rightCols(2);
  }
  return true;
}

TEST(BlockLeastSquares, AgreesWithTheDenseSolver) {
  Decays problem(6, 0.01);
  BlockPoint point = Start(problem);
  const LeastSquaresSummary summary = MinimizeBlocks(problem, {.cost_tolerance = 1e-13}, point);
  EXPECT_TRUE(summary.converged()) << summary.message;

  // The same as one dense problem.
  const int n = 2 * problem.blocks() + 2;
  const auto dense = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
    return AsOne(problem, x, r, j);
  };
  Eigen::VectorXd x(n);
  for (int k = 0; k < problem.blocks(); ++k) x.segment(2 * k, 2) = Eigen::Vector2d(0.5, 0.0);
  x.tail(2) = Eigen::Vector2d(0.4, 0.0);
  LeastSquaresOptions options;
  options.cost_tolerance = 1e-13;
  const LeastSquaresSummary reference = MinimizeLeastSquares(dense, options, x);
  EXPECT_NEAR(summary.cost, reference.cost, 1e-12);
  EXPECT_LT((point.common - x.tail(2)).norm(), 1e-6);

  // Covariance of the common ones: the corner of the inverse of the whole information.
  Eigen::VectorXd r;
  Eigen::MatrixXd j;
  dense(x, r, &j);
  const Eigen::MatrixXd all = (j.transpose() * j).inverse(), full = all.bottomRightCorner(2, 2);
  std::vector<Eigen::MatrixXd> parts;
  std::vector<BlockJacobian> jacobians;
  problem.SetCommon(point.common);
  for (int k = 0; k < problem.blocks(); ++k) {
    problem.Evaluate(k, point.local[static_cast<std::size_t>(k)], r, &j);
    parts.push_back(EliminateLocal(j.leftCols(2), j.rightCols(2)));
    jacobians.push_back({j.leftCols(2), j.rightCols(2)});
  }
  const Eigen::MatrixXd reduced = StackRows(parts, 2);
  const Eigen::MatrixXd covariance = (reduced.transpose() * reduced).inverse();
  EXPECT_LT((covariance - full).norm(), 1e-6 * full.norm());

  // The same from the arrow, and that of local parameters: alone, and with what follows from the common ones.
  const ArrowInformation arrow = AnalyzeArrow(jacobians, Eigen::Vector2d::Ones(), 1e-7);
  EXPECT_LT((arrow.common.covariance - full).norm(), 1e-6 * full.norm());
  for (std::size_t k = 0; k < jacobians.size(); ++k) {
    const Eigen::MatrixXd& follow = arrow.follow[k];
    const Eigen::MatrixXd local = arrow.local[k].covariance + follow * arrow.common.covariance * follow.transpose();
    const Eigen::MatrixXd expected = all.block<2, 2>(2 * static_cast<int>(k), 2 * static_cast<int>(k));
    EXPECT_LT((local - expected).norm(), 1e-6 * expected.norm()) << k;
  }
}

TEST(BlockLeastSquares, WhatLocalParametersImitateIsNotIdentifiable) {
  // The effect of c_0 is a combination of local effects; c_1 has one of its own.
  const Eigen::MatrixXd by_local = Eigen::MatrixXd::Random(12, 3);
  Eigen::MatrixXd by_common(12, 2);
  by_common << by_local * Eigen::Vector3d(0.3, -2, 1), Eigen::VectorXd::LinSpaced(12, -1, 1);
  const ParameterInformation both = AnalyzeArrow({{by_local, by_common}}, Eigen::Vector2d::Ones(), 1e-7).common;
  EXPECT_EQ(both.rank, 1);
  EXPECT_FALSE(both.determined[0]);
  EXPECT_TRUE(both.determined[1]);
  // Alone it is not identifiable either: what rounding leaves is no effect.
  EXPECT_EQ(AnalyzeArrow({{by_local, by_common.leftCols(1)}}, Eigen::VectorXd::Ones(1), 1e-7).common.rank, 0);
}

TEST(BlockLeastSquares, KeepsBoundsOfLocalParametersAsTheDenseSolver) {
  // Amplitudes are 1, 1.2, 1.4, 1.6, offsets 0, 0.1, 0.2, 0.3: bounds bind some of both.
  Decays problem(4, 0.01);
  const Eigen::Vector2d lower(0.9, 0.05), upper(1.1, 0.25);
  BlockPoint point = Start(problem);
  BlockLeastSquaresOptions options{.cost_tolerance = 1e-14};
  options.local_lower.assign(4, lower);
  options.local_upper.assign(4, upper);
  EXPECT_TRUE(MinimizeBlocks(problem, options, point).converged());

  LeastSquaresOptions bounds;
  bounds.cost_tolerance = 1e-14;
  bounds.lower = Eigen::VectorXd::Constant(10, -INFINITY);
  bounds.upper = Eigen::VectorXd::Constant(10, INFINITY);
  Eigen::VectorXd x(10);
  x.tail(2) = Eigen::Vector2d(0.4, 0.0);
  for (int k = 0; k < 4; ++k) {
    bounds.lower.segment(2 * k, 2) = lower;
    bounds.upper.segment(2 * k, 2) = upper;
    x.segment(2 * k, 2) = Eigen::Vector2d(0.5, 0.0);
  }
  MinimizeLeastSquares(
      [&](const Eigen::VectorXd& at, Eigen::VectorXd& r, Eigen::MatrixXd* j) { return AsOne(problem, at, r, j); },
      bounds, x);
  int bound = 0;
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 2; ++i) {
      const double value = point.local[static_cast<std::size_t>(k)][i];
      EXPECT_NEAR(value, x[2 * k + i], 1e-6);
      bound += value == lower[i] || value == upper[i];
    }
  EXPECT_GT(bound, 1);
  EXPECT_LT((point.common - x.tail(2)).norm(), 1e-6);
}

TEST(BlockLeastSquares, EndsWhereNothingMoves) {
  Decays problem(4, 0.0);
  BlockPoint point = Start(problem);
  const LeastSquaresSummary summary =
      MinimizeBlocks(problem, {.cost_tolerance = 0, .step_tolerance = 1e-10, .scale = Eigen::Vector2d(1, 1)}, point);
  EXPECT_TRUE(summary.converged());
  EXPECT_LT(summary.iterations, 20);
  EXPECT_NEAR(point.common[0], 1.5, 1e-9);
}

TEST(BlockLeastSquares, KeepsBoundsAndHeldParameters) {
  Decays problem(4, 0.0);
  BlockPoint point = Start(problem);
  BlockLeastSquaresOptions options;
  options.lower = Eigen::Vector2d(0, 0);
  options.upper = Eigen::Vector2d(1.2, 1);
  MinimizeBlocks(problem, options, point);
  EXPECT_EQ(point.common[0], 1.2);
  EXPECT_GT(point.common[1], 0);

  point = Start(problem);
  point.common[1] = 0.3;
  options = {.cost_tolerance = 1e-14};
  options.held = {0, 1};
  MinimizeBlocks(problem, options, point);
  EXPECT_EQ(point.common[1], 0.3);
  EXPECT_NEAR(point.common[0], 1.5, 1e-6);
  EXPECT_NEAR(point.local[3][0], 1.6, 1e-6);
}

/// The same on a chart that couples both common parameters at second order and keeps the first one positive.
class DecaysOnAChart final : public Decays {
 public:
  using Decays::Decays;
  Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const override {
    return Eigen::Vector2d(common[0] * std::exp(step[0] / common[0]), common[1] + step[1] + 0.1 * step[0] * step[0]);
  }
  bool SetCommon(const Eigen::VectorXd& common) override {
    least = std::min(least, common[0]);
    return Decays::SetCommon(common);
  }
  double least = INFINITY;
};

TEST(BlockLeastSquares, MovesCommonParametersOnTheirChart) {
  DecaysOnAChart problem(4, 0.0);
  BlockPoint point = Start(problem);
  point.common[0] = 6;  // from where a straight step leads below zero
  MinimizeBlocks(problem, {.cost_tolerance = 1e-14}, point);
  EXPECT_NEAR(point.common[0], 1.5, 1e-6);
  EXPECT_NEAR(point.common[1], 0.3, 1e-6);
  EXPECT_GT(problem.least, 0);

  // What is held stays, although the chart would move it.
  point = Start(problem);
  point.common[1] = 0.3;
  MinimizeBlocks(problem, {.cost_tolerance = 1e-14, .held = {0, 1}}, point);
  EXPECT_EQ(point.common[1], 0.3);
  EXPECT_NEAR(point.common[0], 1.5, 1e-6);
}

TEST(BlockLeastSquares, ResultDoesNotDependOnTheNumberOfThreads) {
  Eigen::VectorXd first;
  for (const int threads : {1, 2, 4}) {
    const ContextScope scope({.threads = threads});
    Decays problem(9, 0.02);
    BlockPoint point = Start(problem);
    MinimizeBlocks(problem, {.huber = 1.5}, point);
    Eigen::VectorXd all = point.common;
    for (const Eigen::VectorXd& local : point.local) {
      all.conservativeResize(all.size() + 2);
      all.tail(2) = local;
    }
    if (first.size() == 0) first = all;
    EXPECT_EQ(first, all) << threads;
  }
}

}  // namespace
}  // namespace ricochet
