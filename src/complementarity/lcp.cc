// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/lcp.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

struct RelativeSize {
  double omega, zeta;
};

// W of LcpResidual.
void TermSizes(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
               const Eigen::Ref<const Eigen::VectorXd>& z, std::span<double> sizes) {
  for (Eigen::Index k = 0; k < z.size(); ++k) sizes[k] = std::abs(q[k]);
  for (Eigen::Index j = 0; j < z.size(); ++j) {
    if (z[j] == 0) continue;
    for (Eigen::Index k = 0; k < z.size(); ++k) sizes[k] += std::abs(M(k, j) * z[j]);
  }
}

// omega_i and zeta_i of LcpResidual. A variable that nothing depends on counts in full unless it is zero.
RelativeSize RelativeSizes(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                           const Eigen::Ref<const Eigen::VectorXd>& z, std::span<const double> sizes, Eigen::Index i) {
  double w = q[i];
  for (Eigen::Index j = 0; j < z.size(); ++j) w += M(i, j) * z[j];
  RelativeSize result{sizes[i] > 0 ? w / sizes[i] : w, 0};
  if (z[i] == 0) return result;
  bool used = false;
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    if (M(k, i) == 0) continue;
    used = true;
    const double part = std::abs(M(k, i) * z[i]) / sizes[k];
    if (!(part <= result.zeta)) result.zeta = part;
  }
  if (!used) result.zeta = 1;
  result.zeta = std::copysign(result.zeta, z[i]);
  return result;
}

}  // namespace

double LcpResidual(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                   const Eigen::Ref<const Eigen::VectorXd>& z, std::span<double> scratch) {
  TermSizes(M, q, z, scratch);
  double largest = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const RelativeSize size = RelativeSizes(M, q, z, scratch, i);
    const double violation = std::abs(std::min(size.omega, size.zeta));
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

  std::vector<double> sizes(size);
  TermSizes(problem.M, problem.q, z, sizes);
  std::vector<Eigen::Index> active;
  for (Eigen::Index i = 0; i < size; ++i) {
    const RelativeSize relative = RelativeSizes(problem.M, problem.q, z, sizes, i);
    if (relative.zeta > tolerance) {
      active.push_back(i);
    } else if (relative.omega <= tolerance) {
      derivative.strict = false;
    }
  }
  if (active.empty()) return derivative;

  const auto count = static_cast<Eigen::Index>(active.size());
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(problem.M(active, active));
  derivative.regular = factors.rank() == count;
  derivative.dz_dq(active, active) = -factors.solve(Eigen::MatrixXd::Identity(count, count));
  return derivative;
}

}  // namespace ricochet
