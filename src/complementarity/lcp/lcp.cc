// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/lcp/lcp.h"

#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {
namespace {

using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

// Scales d of LcpResidual.
void Scales(const ConstMatrix& M, std::span<double> d) {
  const Eigen::Index n = M.rows();
  for (Eigen::Index i = 0; i < n; ++i) d[i] = M(i, i) > 0 ? 1 / std::sqrt(M(i, i)) : 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    if (M(i, i) > 0) continue;
    double by_scaled = 0, largest = 0;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double entry = std::max(std::abs(M(i, j)), std::abs(M(j, i)));
      if (M(j, j) > 0) by_scaled = std::max(by_scaled, entry * d[j]);
      largest = std::max(largest, entry);
    }
    d[i] = by_scaled > 0 ? 1 / by_scaled : largest > 0 ? 1 / std::sqrt(largest) : 1;
  }
}

double ScaledW(const ConstMatrix& M, const ConstVector& q, const ConstVector& z, std::span<const double> d,
               Eigen::Index i) {
  double w = q[i];
  for (Eigen::Index j = 0; j < z.size(); ++j) w += M(i, j) * z[j];
  return w * d[i];
}

// Size of the terms of w, scaled.
double TermSize(const ConstMatrix& M, const ConstVector& q, const ConstVector& z, std::span<const double> d) {
  double largest = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    double size = std::abs(q[i]);
    for (Eigen::Index j = 0; j < z.size(); ++j) size += std::abs(M(i, j) * z[j]);
    size *= d[i];
    if (!(size <= largest)) largest = size;
  }
  return largest;
}

}  // namespace

double LcpResidual(const ConstMatrix& M, const ConstVector& q, const ConstVector& z, std::span<double> scratch) {
  Scales(M, scratch);
  const double size = TermSize(M, q, z, scratch);
  if (size == 0) return 0;
  double largest = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double violation = std::abs(std::min(ScaledW(M, q, z, scratch, i), z[i] / scratch[i])) / size;
    if (!(violation <= largest)) largest = violation;
  }
  return largest;
}

double LcpResidual(const LcpProblem& problem, const Eigen::VectorXd& z) {
  std::vector<double> scratch(z.size());
  return LcpResidual(problem.M, problem.q, z, scratch);
}

LcpSolution SolveLemke(const LcpProblem& problem, const LemkeOptions& options) {
  LemkeWorkspace workspace(static_cast<int>(problem.q.size()));
  LcpSolution solution;
  solution.z.resize(problem.q.size());
  solution.summary = SolveLemke(problem.M, problem.q, workspace, solution.z, options);
  solution.w = problem.M * solution.z + problem.q;
  return solution;
}

LcpDerivative DifferentiateLcp(const LcpProblem& problem, const Eigen::VectorXd& z, double tolerance) {
  const Eigen::Index size = z.size();
  LcpDerivative derivative;
  derivative.dz_dq.setZero(size, size);

  std::vector<double> scales(size);
  Scales(problem.M, scales);
  const double limit = tolerance * TermSize(problem.M, problem.q, z, scales);
  std::vector<Eigen::Index> active;
  for (Eigen::Index i = 0; i < size; ++i) {
    if (z[i] / scales[i] > limit) {
      active.push_back(i);
    } else if (ScaledW(problem.M, problem.q, z, scales, i) <= limit) {
      derivative.strict = false;
    }
  }
  if (active.empty()) return derivative;

  const auto count = static_cast<Eigen::Index>(active.size());
  Eigen::Index rank = 0;
  const Eigen::MatrixXd M = problem.M(active, active);
  derivative.dz_dq(active, active) = -SolveLeastNorm(M, Eigen::MatrixXd::Identity(count, count), 0, &rank);
  derivative.regular = rank == count;
  return derivative;
}

}  // namespace ricochet
