// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/score_scatter.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/threads.h"
#include "math/dense.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr int kRecordings = 6;  // recordings from which on they are the clusters
constexpr int kStretches = 8;   // of each recording otherwise
constexpr double kLocalRank = 1e-10;

/// What the columns of `local` do not imitate, row by row.
Eigen::MatrixXd WithoutLocal(const Eigen::MatrixXd& local, const Eigen::MatrixXd& rest) {
  if (local.cols() == 0) return rest;
  const Eigen::MatrixXd basis = OrthonormalBasis(local, kLocalRank);
  return rest - basis * (basis.transpose() * rest);
}

}  // namespace

std::optional<Eigen::MatrixXd> ScatterCovariance(const FitProblem& problem, const Fit& fit) {
  if (!problem.HasDerivatives()) return std::nullopt;
  const int p = problem.parameters().size(), blocks = problem.blocks(),
            stretches = blocks >= kRecordings ? 1 : kStretches;
  std::vector<Eigen::MatrixXd> informations(static_cast<std::size_t>(blocks)), pulls(informations.size());
  ParallelFor(blocks, [&](int k) {
    ResidualBlock block;
    if (!problem.Evaluate(k, fit.point, true, block)) return;
    Eigen::MatrixXd columns(block.by_values.rows(), p + 1);
    columns << block.by_values, block.residuals;
    columns = WithoutLocal(block.by_local, columns);
    const Eigen::Index n = columns.rows();
    Eigen::MatrixXd& pull = pulls[static_cast<std::size_t>(k)];
    pull.resize(p, stretches);
    for (Eigen::Index s = 0; s < stretches; ++s) {
      const Eigen::Index from = n * s / stretches, to = n * (s + 1) / stretches;
      pull.col(s) = columns.block(from, 0, to - from, p).transpose() * columns.block(from, p, to - from, 1);
    }
    informations[static_cast<std::size_t>(k)] = columns.leftCols(p).transpose() * columns.leftCols(p);
  });
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(p, p), scatter = Eigen::MatrixXd::Zero(p, p);
  for (std::size_t k = 0; k < pulls.size(); ++k) {
    if (pulls[k].size() == 0 || !pulls[k].allFinite() || !informations[k].allFinite()) return std::nullopt;
    information += informations[k];
    scatter += pulls[k] * pulls[k].transpose();
  }
  const int clusters = blocks * stretches;
  if (clusters <= p + 1) return std::nullopt;
  // Scaled, so that units do not decide what is identified.
  const Eigen::VectorXd unit = information.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 0; });
  const Eigen::MatrixXd inverse =
      unit.asDiagonal() * PseudoInverse(unit.asDiagonal() * information * unit.asDiagonal()) * unit.asDiagonal();
  const double student = StudentFactor(clusters - p), correction = clusters / (clusters - 1.0);
  return Eigen::MatrixXd(correction * student * student * inverse * scatter * inverse);
}

}  // namespace ricochet
