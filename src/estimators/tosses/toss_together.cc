// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_together.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/threads.h"
#include "estimators/tosses/toss_secants.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kSpread = 0.03;         // of a parameter's size, by which the start may be off
constexpr double kFollowedSquares = 12;  // of a row that is followed: twice its expectation
constexpr double kAbove = 4;             // standard deviations of chi^2 from which it is asked which rows are followed
constexpr double kPrior = 1e-4;          // weight of the flight's fit: its rows are compared too

/// Rows up to the one behind which the motion does not follow: those that make sum_i (allowance - squares) largest.
int FollowedRows(const Eigen::VectorXd& residuals) {
  double sum = 0, best = 0;
  int rows = 0;
  for (int i = 0; 6 * i < residuals.size(); ++i) {
    sum += kFollowedSquares - residuals.segment<6>(6 * i).squaredNorm();
    if (sum > best) best = sum, rows = i + 1;
  }
  return rows;
}

/// One toss at the answer.
struct JudgedToss {
  int rows = 0, freedom = 1;
  double ratio = 0, followed = 0;
  // Of the linear problem, the start eliminated.
  Eigen::MatrixXd information;
  Eigen::VectorXd slope, slope_of_step;  // the latter: of what half the step changes
};

JudgedToss JudgeToss(const SpatialFamily& family, const TossSet& set, const CommonTossFit& fit, std::size_t k) {
  const int p = family.size();
  const PreparedToss& toss = set.tosses()[static_cast<std::size_t>(set.used()[k])];
  const int all = toss.end - toss.start + 1, flight = toss.arc_last - toss.start;
  JudgedToss out{.information = Eigen::MatrixXd::Zero(p, p),
                 .slope = Eigen::VectorXd::Zero(p),
                 .slope_of_step = Eigen::VectorXd::Zero(p)};
  TossPoint at{set.used()[k], fit.params, fit.moved[k], all};
  Eigen::VectorXd residuals;
  RowsOf(family, set, at, residuals);
  out.rows = static_cast<int>(residuals.size() / 6);
  const auto judge = [&] {
    const auto head = residuals.head(6 * out.rows);
    out.freedom = std::max(1, static_cast<int>((head.array() != 0).count()) - 12);
    out.ratio = out.rows > 0 ? head.squaredNorm() / out.freedom : std::numeric_limits<double>::infinity();
  };
  judge();
  if (out.rows < all || out.ratio > 1 + kAbove * std::sqrt(2.0 / out.freedom)) {
    out.rows = std::min(out.rows, std::max(FollowedRows(residuals), flight + 1));
    judge();
  }
  out.followed = static_cast<double>(std::max(0, out.rows - flight)) / std::max(1, all - flight);
  at.frames = out.rows;
  Eigen::MatrixXd jacobian;
  if (out.rows == 0 ||
      !SecantsOf(family, set, at, static_cast<int>(set.used().size()), residuals, jacobian))
    return out;
  const auto by_start = jacobian.leftCols<12>();
  const auto by_values = jacobian.rightCols(p);
  Eigen::MatrixXd of_start = by_start.transpose() * by_start;
  of_start.diagonal().array() += kPrior;
  const Eigen::MatrixXd response = SolveSymmetric(of_start, by_start.transpose() * by_values);
  const Eigen::MatrixXd left = by_values - by_start * response;
  out.information = left.transpose() * left;
  out.slope = left.transpose() * residuals;
  if (Eigen::VectorXd halved; ResidualsOf(family, set.Located(0.5 * kLocatedStep), at, halved))
    out.slope_of_step = left.transpose() * (halved - residuals);
  return out;
}

/// What the toss says by itself.
TossStatement StatementOf(const JudgedToss& toss, const Eigen::VectorXd& params) {
  TossStatement out;
  out.params = params;
  out.deviation.assign(static_cast<std::size_t>(params.size()), std::numeric_limits<double>::infinity());
  out.quality = toss.followed * std::min(1.0, 4 / (1 + toss.ratio * toss.ratio));
  const Eigen::MatrixXd inverse = PseudoInverse(toss.information);
  const Eigen::VectorXd step = -inverse * toss.slope;
  for (Eigen::Index j = 0; j < params.size(); ++j) {
    if (!(toss.information(j, j) > 0)) continue;
    out.deviation[static_cast<std::size_t>(j)] = std::sqrt(inverse(j, j) * std::max(1.0, toss.ratio));
    out.params[j] += step[j];
  }
  return out;
}

/// By how much the statements of tosses scatter about the common values beyond what each claims; at least 1.
Eigen::VectorXd ScatterOf(const std::vector<TossStatement>& statements, const Eigen::VectorXd& params) {
  Eigen::VectorXd out = Eigen::VectorXd::Ones(params.size());
  for (Eigen::Index j = 0; j < params.size(); ++j) {
    double sum = 0;
    int count = 0;
    for (const TossStatement& one : statements) {
      const double deviation = one.deviation[static_cast<std::size_t>(j)];
      if (!(deviation > 0) || !std::isfinite(deviation)) continue;
      sum += std::pow((one.params[j] - params[j]) / deviation, 2);
      ++count;
    }
    if (count > 1) out[j] = std::sqrt(std::max(1.0, sum / (count - 1)));
  }
  return out;
}

}  // namespace

TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 const std::vector<char>& held, std::uint64_t seed) {
  const int p = family.size(), count = static_cast<int>(set.used().size());
  TossLikelihoodOptions options;
  options.seed = seed;
  options.held = held;
  CommonTossFit fit = FitTossesTogether(family, set, start, kSpread * family.scale(), options);
  std::vector<JudgedToss> judged(static_cast<std::size_t>(count));
  ParallelFor(count, [&](int k) {
    judged[static_cast<std::size_t>(k)] = JudgeToss(family, set, fit, static_cast<std::size_t>(k));
  });
  TossLikelihoodResult out;
  out.params = fit.params;
  out.trace = std::move(fit.trace);
  out.moved = std::move(fit.moved);
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p);
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(p), of_step = Eigen::VectorXd::Zero(p);
  for (const JudgedToss& toss : judged) {
    const double weight = 1 / std::max(1.0, toss.ratio);
    information += weight * toss.information;
    slope += weight * toss.slope;
    of_step += weight * toss.slope_of_step;
    out.ratio.push_back(toss.ratio);
    out.freedom.push_back(toss.freedom);
    out.frames.push_back(toss.rows);
    out.followed.push_back(toss.followed);
    if (std::isfinite(toss.ratio)) out.chi2 += toss.ratio * toss.freedom;
    out.statements.push_back(StatementOf(toss, out.params));
    out.alone.push_back(out.statements.back().params);
  }
  out.covariance = PseudoInverse(information);
  // What half the step would change, and what the search has left.
  const Eigen::VectorXd moves = out.covariance * of_step, left = out.covariance * slope;
  const Eigen::VectorXd scatter = ScatterOf(out.statements, out.params);
  out.covariance = scatter.asDiagonal() * out.covariance * scatter.asDiagonal();
  out.covariance += moves * moves.transpose() + left * left.transpose();
  for (int j = 0; j < p; ++j)
    if (!(information(j, j) > 0)) out.covariance(j, j) = std::numeric_limits<double>::infinity();
  out.least_variance = out.covariance.diagonal();
  return out;
}

}  // namespace ricochet
