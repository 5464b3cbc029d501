// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/held_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/threads.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kImitated = 1e-6;  // part of a column's square that must be left behind the others
constexpr double kEstimatedRank = 1e-9;
constexpr double kLeastVariance = 1e-4;  // of residuals over their noise: exact data say nothing about chance

/// Columns of all parameters and the residuals of all blocks, local unknowns eliminated; `rows` counts what they leave.
/// None when a motion cannot be computed.
std::optional<Eigen::MatrixXd> ColumnsAt(const FitProblem& problem, const FitPoint& at, int& rows) {
  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(problem.blocks()));
  std::vector<int> counts(parts.size(), -1);
  ParallelFor(problem.blocks(), [&](int k) {
    ResidualBlock block;
    if (!problem.Evaluate(k, at, true, block)) return;
    Eigen::MatrixXd columns(block.by_values.rows(), block.by_values.cols() + 1);
    columns << block.by_values, block.residuals;
    counts[static_cast<std::size_t>(k)] = static_cast<int>(columns.rows() - block.by_local.cols());
    parts[static_cast<std::size_t>(k)] = EliminateLocal(block.by_local, columns);
  });
  rows = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (counts[k] < 0 || !parts[k].allFinite()) return std::nullopt;
    rows += counts[k];
  }
  return StackRows(parts, problem.parameters().size() + 1);
}

}  // namespace

std::vector<HeldTest> TestHeld(const FitProblem& problem, const Fit& fit, const std::vector<HeldGroup>& groups) {
  std::vector<HeldTest> tests;
  if (!problem.HasDerivatives() || groups.empty()) return tests;
  std::vector<SelectedParameter> more;
  for (const HeldGroup& group : groups) more.insert(more.end(), group.parameters.begin(), group.parameters.end());
  const std::unique_ptr<FitProblem> larger = problem.With(more);
  if (!larger) return tests;
  const int p = problem.parameters().size(), all = larger->parameters().size();
  FitPoint at = fit.point;
  at.values.conservativeResize(all);
  at.values.tail(all - p) = larger->parameters().start().tail(all - p);
  int rows = 0;
  const std::optional<Eigen::MatrixXd> columns = ColumnsAt(*larger, at, rows);
  if (!columns) return tests;

  // Estimated parameters that the data do not identify stay where they are.
  std::vector<int> free;
  for (int i = 0; i < p; ++i)
    if ((fit.held.empty() || !fit.held[static_cast<std::size_t>(i)]) && columns->col(i).squaredNorm() > 0)
      free.push_back(i);
  const Eigen::MatrixXd estimated = (*columns)(Eigen::all, free);
  int first = p;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const int k = static_cast<int>(groups[g].parameters.size());
    std::vector<int> own;
    for (int i = 0; i < k; ++i) own.push_back(first + i);
    first += k;
    const Eigen::MatrixXd by_group = (*columns)(Eigen::all, own);
    const Eigen::VectorXd size = by_group.colwise().norm();
    if (!(size.maxCoeff() > 0)) continue;
    const Eigen::VectorXd unit = size.unaryExpr([](double s) { return s > 0 ? 1 / s : 0; });
    Eigen::MatrixXd rest(by_group.rows(), k + 1);
    rest << by_group * unit.asDiagonal(), columns->col(all);
    if (!free.empty()) rest = BehindColumns(estimated, rest, kEstimatedRank);
    const double squares = rest.col(k).squaredNorm();
    // Directions of the group that something else imitates, or that have no effect, are left out.
    const SymmetricEigen eigen = EigenOfSymmetric(rest.leftCols(k).transpose() * rest.leftCols(k));
    const Eigen::VectorXd b = rest.leftCols(k).transpose() * rest.col(k);
    Eigen::VectorXd step = Eigen::VectorXd::Zero(k), variance = Eigen::VectorXd::Zero(k);
    double gain = 0;
    int tested = 0;
    for (Eigen::Index e = 0; e < k; ++e) {
      if (!(eigen.values[e] > kImitated)) continue;
      const Eigen::VectorXd direction = unit.cwiseProduct(eigen.vectors.col(e));
      const double along = eigen.vectors.col(e).dot(b);
      step -= direction * (along / eigen.values[e]);
      variance += direction.cwiseAbs2() / eigen.values[e];
      gain += along * along / eigen.values[e];
      ++tested;
    }
    const double freedom = rows - static_cast<double>(free.size()) - tested;
    if (tested == 0 || freedom < 1 || !(gain > 0)) continue;
    HeldTest test;
    test.group = static_cast<int>(g);
    test.gain = gain;
    const double left = std::max(squares - gain, kLeastVariance * freedom);
    test.p_value = TailOfF((gain / tested) / (left / freedom), tested, freedom);
    test.residual = std::sqrt(std::min(1.0, left / squares));
    test.value = at.values(own) + step;
    test.std = (variance * (left / freedom)).cwiseSqrt();
    test.shift = Eigen::VectorXd::Zero(p);
    if (!free.empty()) test.shift(free) = SolveLeastNormVector(estimated, -by_group * step);
    const Eigen::VectorXd lower = larger->parameters().lower()(own), upper = larger->parameters().upper()(own);
    if ((test.value.array() < lower.array()).any() || (test.value.array() > upper.array()).any()) continue;
    tests.push_back(std::move(test));
  }
  std::stable_sort(tests.begin(), tests.end(), [](const HeldTest& a, const HeldTest& b) {
    return a.p_value != b.p_value ? a.p_value < b.p_value : a.gain > b.gain;
  });
  return tests;
}

}  // namespace ricochet
