// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/held_tests.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
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

/// What held parameters do that neither local unknowns nor estimated parameters imitate.
struct HeldColumns {
  Eigen::MatrixXd products;  // of their columns and, behind them, the residuals
  Eigen::MatrixXd follow;    // change of the estimated parameters by a unit of each
  Eigen::VectorXd size;      // norms of their columns with the estimated parameters known
  int freedom = 0;           // that the estimated parameters leave
};

/// One block: the triangular factor of the estimated columns, their products with the held ones and the residuals, and
/// the products of those.
struct BlockProducts {
  Eigen::MatrixXd factor, cross, products;
  int rows = -1;  // that the local unknowns leave; -1: the motion cannot be computed
};

/// Of a problem whose parameters are `p` estimated ones, of which the fit held those that are not in `free`, and those
/// to test.
/// Products are enough: an orthonormal basis of the estimated columns comes from their triangular factor.
std::optional<HeldColumns> ColumnsAt(const FitProblem& problem, const FitPoint& at, int p, std::vector<int> free) {
  const Eigen::Index held = problem.parameters().size() - p;
  std::vector<BlockProducts> blocks(static_cast<std::size_t>(problem.blocks()));
  ParallelFor(problem.blocks(), [&](int k) {
    ResidualBlock block;
    if (!problem.Evaluate(k, at, true, block)) return;
    Eigen::MatrixXd columns(block.by_values.rows(), block.by_values.cols() + 1);
    columns << block.by_values, block.residuals;
    BlockProducts& out = blocks[static_cast<std::size_t>(k)];
    out.rows = static_cast<int>(columns.rows() - block.by_local.cols());
    columns = BehindLocal(block.by_local, columns);
    const Eigen::MatrixXd estimated = columns(Eigen::all, free);
    const auto rest = columns.rightCols(held + 1);
    out.factor = estimated.rows() > estimated.cols() ? TriangularFactor(estimated) : estimated;
    out.cross = estimated.transpose() * rest;
    out.products.setZero(held + 1, held + 1);
    out.products.selfadjointView<Eigen::Lower>().rankUpdate(rest.transpose());
  });
  const Eigen::Index count = static_cast<Eigen::Index>(free.size());
  HeldColumns out{Eigen::MatrixXd::Zero(held + 1, held + 1), Eigen::MatrixXd::Zero(p, held), {}, 0};
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(count, held + 1);
  std::vector<Eigen::MatrixXd> factors;
  for (BlockProducts& block : blocks) {
    if (block.rows < 0 || !block.products.allFinite() || !block.cross.allFinite()) return std::nullopt;
    out.freedom += block.rows;
    out.products += block.products;
    cross += block.cross;
    factors.push_back(std::move(block.factor));
  }
  out.products.triangularView<Eigen::StrictlyUpper>() = out.products.transpose();
  out.size = out.products.diagonal().head(held).cwiseSqrt();
  if (count == 0) return out;
  const Eigen::MatrixXd factor = StackRows(factors, count);
  const Eigen::VectorXd norms = factor.colwise().norm().transpose();
  const Eigen::VectorXd unit = norms.unaryExpr([](double n) { return n > 0 ? 1 / n : 0; });
  const SingularDecomposition svd = DecomposeSingular(factor * unit.asDiagonal());
  Eigen::Index rank = 0;
  while (rank < svd.values.size() && svd.values[rank] > kEstimatedRank) ++rank;
  const Eigen::MatrixXd to_basis =
      unit.asDiagonal() * svd.V.leftCols(rank) * svd.values.head(rank).cwiseInverse().asDiagonal();
  const Eigen::MatrixXd along = to_basis.transpose() * cross;
  out.products -= along.transpose() * along;
  out.follow(free, Eigen::all) = -to_basis * along.leftCols(held);
  out.freedom -= static_cast<int>((unit.array() > 0).count());
  return out;
}

/// What freeing a group would gain: `C` are the products of its columns behind the estimated parameters, `b` those with
/// the residuals, whose square is `squares`; `size` the norms of its columns before. Directions that something else
/// imitates, or that have no effect, are left out.
void MeasureGain(const Eigen::MatrixXd& C, const Eigen::VectorXd& b, double squares, const Eigen::VectorXd& size,
                 const Eigen::VectorXd& start, int freedom, HeldTest& test) {
  const Eigen::Index k = C.cols();
  const Eigen::VectorXd unit = size.unaryExpr([](double s) { return s > 0 ? 1 / s : 0; });
  const SymmetricEigen eigen = EigenOfSymmetric(unit.asDiagonal() * C * unit.asDiagonal());
  const Eigen::VectorXd pull = unit.cwiseProduct(b);
  Eigen::VectorXd step = Eigen::VectorXd::Zero(k), variance = Eigen::VectorXd::Zero(k);
  int tested = 0;
  for (Eigen::Index e = 0; e < k; ++e) {
    if (!(eigen.values[e] > kImitated)) continue;
    const Eigen::VectorXd direction = unit.cwiseProduct(eigen.vectors.col(e));
    const double along = eigen.vectors.col(e).dot(pull);
    step -= direction * (along / eigen.values[e]);
    variance += direction.cwiseAbs2() / eigen.values[e];
    test.gain += along * along / eigen.values[e];
    ++tested;
  }
  test.value = start + step;
  const double left_freedom = freedom - tested;
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
void MeasureAssumption(const Eigen::MatrixXd& C, double squares, const Eigen::MatrixXd& follow, const HeldGroup& group,
                       int freedom, HeldTest& test) {
  const Eigen::Map<const Eigen::VectorXd> plausible(group.plausible.data(),
                                                    static_cast<Eigen::Index>(group.plausible.size()));
  const Eigen::MatrixXd moved = follow * plausible.asDiagonal();
  const double noise = std::max(squares / std::max(1, freedom), kLeastVariance);
  const SymmetricEigen eigen = EigenOfSymmetric(plausible.asDiagonal() * C * plausible.asDiagonal() / noise);
  Eigen::VectorXd shifts = Eigen::VectorXd::Zero(follow.rows());
  for (Eigen::Index e = 0; e < eigen.values.size(); ++e)
    if (!(eigen.values[e] > 1)) shifts += (moved * eigen.vectors.col(e)).cwiseAbs2();
  test.assumed = shifts.cwiseSqrt();
}

/// Root mean square of a normal distribution of this mean and standard deviation, cut off below 0.
double SizeAboveZero(double mean, double std) {
  const double ratio = mean / std;
  const double density = std::exp(-0.5 * ratio * ratio) / std::sqrt(2 * std::numbers::pi);
  const double above = 0.5 * std::erfc(-ratio / std::numbers::sqrt2);
  if (!(above > 1e-12)) return 0;
  return std * std::sqrt(std::max(0.0, ratio * ratio + 1 + ratio * density / above));
}

/// What an effect that the scene leaves out may change, of the size that the data do not exclude.
void MeasureUnseen(const Eigen::MatrixXd& follow, const HeldGroup& group, const Eigen::VectorXd& start,
                   const FitPoint& at, const ParameterMap& parameters, HeldTest& test) {
  const Eigen::Index p = follow.rows();
  test.unseen = test.blur = Eigen::VectorXd::Zero(p);
  if (!group.left_out) return;
  for (Eigen::Index c = 0; c < follow.cols(); ++c) {
    const double plausible = group.plausible[static_cast<std::size_t>(c)];
    if (!(plausible > 0)) continue;
    // No estimate may leave its bounds.
    double most = std::numeric_limits<double>::infinity();
    for (Eigen::Index i = 0; i < p; ++i) {
      const double value = at.values[i];
      const double room = follow(i, c) < 0 ? value - parameters.lower()[i] : parameters.upper()[i] - value;
      if (follow(i, c) != 0) most = std::min(most, std::max(0.0, room / std::abs(follow(i, c))));
    }
    if (!std::isfinite(most) && !std::isfinite(test.std[c])) most = plausible;
    const double uniform = most / std::sqrt(12.0), std = std::min(uniform, test.std[c]);
    const double size =
        std::isfinite(test.std[c]) ? std::min(uniform, SizeAboveZero(test.value[c] - start[c], test.std[c])) : uniform;
    for (Eigen::Index i = 0; i < p; ++i) {
      test.unseen[i] = std::hypot(test.unseen[i], follow(i, c) * size);
      test.blur[i] = std::hypot(test.blur[i], follow(i, c) * std);
    }
  }
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
  // Estimated parameters that the data do not identify stay where they are.
  std::vector<int> free;
  for (int i = 0; i < p; ++i)
    if (fit.held.empty() || !fit.held[static_cast<std::size_t>(i)]) free.push_back(i);
  const std::optional<HeldColumns> columns = ColumnsAt(*larger, at, p, free);
  if (!columns) return tests;
  const double squares = columns->products(all - p, all - p);
  int first = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const int k = static_cast<int>(groups[g].parameters.size()), from = std::exchange(first, first + k);
    const Eigen::VectorXd size = columns->size.segment(from, k);
    if (!(size.maxCoeff() > 0)) continue;
    HeldTest& test = tests.emplace_back();
    test.group = static_cast<int>(g);
    const Eigen::VectorXd start = at.values.segment(p + from, k);
    const Eigen::MatrixXd C = columns->products.block(from, from, k, k), follow = columns->follow.middleCols(from, k);
    MeasureGain(C, columns->products.col(all - p).segment(from, k), squares, size, start, columns->freedom, test);
    test.shift = follow * (test.value - start);
    test.possible = test.possible &&
                    (test.value.array() >= larger->parameters().lower().segment(p + from, k).array()).all() &&
                    (test.value.array() <= larger->parameters().upper().segment(p + from, k).array()).all();
    MeasureAssumption(C, squares, follow, groups[g], columns->freedom, test);
    MeasureUnseen(follow, groups[g], start, fit.point, problem.parameters(), test);
  }
  std::stable_sort(tests.begin(), tests.end(), [](const HeldTest& a, const HeldTest& b) {
    if (a.possible != b.possible) return a.possible;
    return a.p_value != b.p_value ? a.p_value < b.p_value : a.gain > b.gain;
  });
  return tests;
}

}  // namespace ricochet
