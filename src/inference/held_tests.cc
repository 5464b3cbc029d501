// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/held_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/threads.h"
#include "math/dense.h"
#include "math/statistics.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kImitated = 1e-9;  // part of a column's square that must be left behind the others
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

/// What freeing a group would gain: `rest` are its columns and `residuals` those behind the estimated parameters,
/// `size` the norms of its columns before. Directions that something else imitates, or that have no effect, are left
/// out.
void MeasureGain(const Eigen::MatrixXd& rest, const Eigen::VectorXd& residuals, const Eigen::VectorXd& size,
                 const Eigen::VectorXd& start, int freedom, HeldTest& test) {
  const Eigen::Index k = rest.cols();
  const Eigen::VectorXd unit = size.unaryExpr([](double s) { return s > 0 ? 1 / s : 0; });
  const Eigen::MatrixXd scaled = rest * unit.asDiagonal();
  const SymmetricEigen eigen = EigenOfSymmetric(scaled.transpose() * scaled);
  const Eigen::VectorXd b = scaled.transpose() * residuals;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(k), variance = Eigen::VectorXd::Zero(k);
  int tested = 0;
  for (Eigen::Index e = 0; e < k; ++e) {
    if (!(eigen.values[e] > kImitated)) continue;
    const Eigen::VectorXd direction = unit.cwiseProduct(eigen.vectors.col(e));
    const double along = eigen.vectors.col(e).dot(b);
    step -= direction * (along / eigen.values[e]);
    variance += direction.cwiseAbs2() / eigen.values[e];
    test.gain += along * along / eigen.values[e];
    ++tested;
  }
  test.value = start + step;
  const double left_freedom = freedom - tested, squares = residuals.squaredNorm();
  if (tested == 0 || left_freedom < 1 || !(test.gain > 0)) {
    test.std = Eigen::VectorXd::Constant(k, std::numeric_limits<double>::infinity());
    return;
  }
  test.possible = true;
  const double left = std::max(squares - test.gain, kLeastVariance * left_freedom);
  test.p_value = TailOfF((test.gain / tested) / (left / left_freedom), tested, left_freedom);
  test.residual = std::sqrt(std::min(1.0, left / squares));
  test.std = (variance * (left / left_freedom)).cwiseSqrt();
}

/// What plausible errors of the group would change along the directions about which the data say nothing.
void MeasureAssumption(const Eigen::MatrixXd& rest, const Eigen::VectorXd& residuals, const Eigen::MatrixXd& follow,
                       const HeldGroup& group, int freedom, HeldTest& test) {
  const Eigen::Map<const Eigen::VectorXd> plausible(group.plausible.data(),
                                                    static_cast<Eigen::Index>(group.plausible.size()));
  const Eigen::MatrixXd scaled = rest * plausible.asDiagonal(), moved = follow * plausible.asDiagonal();
  const double noise = std::max(residuals.squaredNorm() / std::max(1, freedom), kLeastVariance);
  const SymmetricEigen eigen = EigenOfSymmetric(scaled.transpose() * scaled / noise);
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(follow.rows());
  for (Eigen::Index e = 0; e < eigen.values.size(); ++e)
    if (!(eigen.values[e] > 1)) squares += (moved * eigen.vectors.col(e)).cwiseAbs2();
  test.assumed = squares.cwiseSqrt();
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
  const Eigen::MatrixXd estimated = (*columns)(Eigen::all, free), held = columns->middleCols(p, all - p);
  Eigen::MatrixXd behind = columns->rightCols(all - p + 1), follow = Eigen::MatrixXd::Zero(p, all - p);
  if (!free.empty()) {
    behind = BehindColumns(estimated, behind, kEstimatedRank);
    follow(free, Eigen::all) = -SolveLeastNorm(estimated, held);
  }
  const int freedom = rows - static_cast<int>(free.size());
  int first = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const int k = static_cast<int>(groups[g].parameters.size()), from = std::exchange(first, first + k);
    const Eigen::VectorXd size = held.middleCols(from, k).colwise().norm();
    if (!(size.maxCoeff() > 0)) continue;
    HeldTest& test = tests.emplace_back();
    test.group = static_cast<int>(g);
    const Eigen::VectorXd start = at.values.segment(p + from, k);
    MeasureGain(behind.middleCols(from, k), behind.rightCols(1), size, start, freedom, test);
    test.shift = follow.middleCols(from, k) * (test.value - start);
    test.possible = test.possible &&
                    (test.value.array() >= larger->parameters().lower().segment(p + from, k).array()).all() &&
                    (test.value.array() <= larger->parameters().upper().segment(p + from, k).array()).all();
    MeasureAssumption(behind.middleCols(from, k), behind.rightCols(1), follow.middleCols(from, k), groups[g], freedom,
                      test);
  }
  std::stable_sort(tests.begin(), tests.end(), [](const HeldTest& a, const HeldTest& b) {
    if (a.possible != b.possible) return a.possible;
    return a.p_value != b.p_value ? a.p_value < b.p_value : a.gain > b.gain;
  });
  return tests;
}

}  // namespace ricochet
