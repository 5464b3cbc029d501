// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/mlcp.h"
#include "math/vector.h"

#include <algorithm>
#include <cmath>

namespace ricochet {

namespace {

/// Dense LU with partial pivoting of the n x n row-major matrix in `m`, applied to `x`. False when singular.
bool FactorizeDense(std::span<double> m, std::span<int> pivots, int n) {
  for (int j = 0; j < n; ++j) {
    int p = j;
    for (int i = j + 1; i < n; ++i) {
      if (std::abs(m[i * n + j]) > std::abs(m[p * n + j])) p = i;
    }
    pivots[j] = p;
    double largest = 0;
    for (int k = 0; k < n; ++k) {
      std::swap(m[j * n + k], m[p * n + k]);
      if (k >= j) largest = std::max(largest, std::abs(m[j * n + k]));
    }
    const double pivot = m[j * n + j];
    if (!(std::abs(pivot) > 1e-14 * largest) || !std::isfinite(pivot)) return false;
    for (int i = j + 1; i < n; ++i) {
      const double f = m[i * n + j] / pivot;
      m[i * n + j] = f;
      if (f == 0) continue;
      for (int k = j + 1; k < n; ++k) m[i * n + k] -= f * m[j * n + k];
    }
  }
  return true;
}

void SubstituteDense(std::span<const double> m, std::span<const int> pivots, int n, std::span<double> x) {
  for (int j = 0; j < n; ++j) std::swap(x[j], x[pivots[j]]);
  for (int i = 1; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= m[i * n + k] * x[k];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= m[i * n + k] * x[k];
    x[i] /= m[i * n + i];
  }
}

constexpr double kRounding = 1e-4;  // of the terms of a row of w, see MlcpResidual

}  // namespace

void MlcpProblem::Resize(int count) {
  C.resize(count);
  N.resize(count);
  mirror.assign(count, -1);
  group.assign(count, -1);
  for (int i = 0; i < count; ++i) {
    C[i].Clear();
    N[i].Clear();
  }
  P.clear();
  b.setZero(count);
}

bool MlcpWorkspace::SolveSubset(std::span<const char> active, const ConstVector& right_side, Vector z) {
  const int total = static_cast<int>(active.size());
  const bool same =
      factorized_set_.size() == active.size() && std::equal(active.begin(), active.end(), factorized_set_.begin());
  if (!same) {
    index_.clear();
    for (int i = 0; i < total; ++i) {
      if (active[i]) index_.push_back(i);
    }
    const int n = static_cast<int>(index_.size());
    dense_.resize(static_cast<size_t>(n) * n);
    pivots_.resize(n);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k) dense_[i * n + k] = M(index_[i], index_[k]);
    }
    factorized_set_.clear();
    if (!FactorizeDense(dense_, pivots_, n)) return false;
    factorized_set_.assign(active.begin(), active.end());
  }
  const int n = static_cast<int>(index_.size());
  vector_.resize(n);
  for (int i = 0; i < n; ++i) vector_[i] = -right_side[index_[i]];
  SubstituteDense(dense_, pivots_, n, vector_);
  z.setZero();
  for (int i = 0; i < n; ++i) z[index_[i]] = vector_[i];
  return true;
}

double MlcpResidual(const MlcpProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& x,
                    const Eigen::Ref<const Eigen::VectorXd>& z) {
  MlcpWorkspace workspace;
  return MlcpResidual(problem, x, z, workspace);
}

double MlcpResidual(const MlcpProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& x,
                    const Eigen::Ref<const Eigen::VectorXd>& z, MlcpWorkspace& workspace) {
  const int n = problem.complementary_count();
  Eigen::VectorXd &kx = workspace.kx_, &cz = workspace.cz_;
  GrowingVector& w = workspace.w_;
  kx.resize(problem.K.size());
  problem.K.Multiply(x, kx);
  cz.setZero(problem.K.size());
  for (int i = 0; i < n; ++i) problem.C[i].AddTo(z[i], cz);
  const double scale = std::max({MaxAbs(kx), MaxAbs(cz), MaxAbs(problem.a), 1e-300});
  kx -= cz + problem.a;
  double residual = MaxAbs(kx) / scale;
  // Of each row its terms too: where they cancel (a joint at rest on its limit), w is their rounding, no measure of
  // itself.
  GrowingVector& terms = workspace.w_scale_;
  w = problem.b;
  terms = problem.b.cwiseAbs();
  for (const MlcpEntry& entry : problem.P) {
    const double term = entry.value * z[entry.column];
    w[entry.row] += term;
    terms[entry.row] += std::abs(term);
  }
  for (int i = 0; i < n; ++i) {
    w[i] += problem.N[i].Dot(x);
    terms[i] += problem.N[i].DotAbs(x);
  }
  const double z_scale = std::max(MaxAbs(z), 1e-300), w_scale = std::max({MaxAbs(w), MaxAbs(problem.b), 1e-300});
  terms = (kRounding * terms).cwiseMax(w_scale);
  for (int i = 0; i < n; ++i) residual = std::max(residual, std::abs(std::min(z[i] / z_scale, w[i] / terms[i])));
  return residual;
}

bool PrepareMlcp(MlcpProblem& problem, MlcpWorkspace& workspace) {
  workspace.has_columns_ = false;
  return problem.K.Factorize();
}

void MlcpWorkspace::SolveColumns(MlcpProblem& problem, bool refine) {
  if (has_columns_) return;
  has_columns_ = true;
  const int n = problem.complementary_count();
  Y.resize(problem.K.size(), n);
  for (int i = 0; i < n; ++i) {
    if (problem.C[i].count == 0) {
      Y.col(i).setZero();
    } else if (problem.mirror[i] >= 0) {
      Y.col(i) = -Y.col(problem.mirror[i]);
    } else {
      Y.col(i).setZero();
      problem.C[i].AddTo(1.0, Y.col(i));
      problem.K.Solve(Y.col(i), refine);
    }
  }
}

void SolveMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options, MlcpWorkspace& workspace,
               MlcpSolution& solution) {
  if (PrepareMlcp(problem, workspace)) {
    SolvePreparedMlcp(problem, guess, options, workspace, solution);
    return;
  }
  const int n = problem.complementary_count();
  solution.status = MlcpStatus::kSingular;
  solution.x.setZero(problem.K.size());
  solution.z.setZero(n);
  solution.w.setZero(n);
  solution.active.assign(n, 0);
}

/// Signs of the basic solution of `set_`: exchanges those that are wrong, or the worst alone, and returns how many are
/// wrong. Of the unknowns of one group only the worst joins: more of them could depend on each other.
int MlcpWorkspace::Exchange(const MlcpProblem& problem, const MlcpSolution& solution, double tolerance,
                            bool only_worst) {
  const int n = problem.complementary_count();
  const double z_scale = std::max(MaxAbs(solution.z), 1e-300), w_scale = std::max(MaxAbs(q), 1e-300);
  last_set_ = set_;
  const auto violation = [&](int i) { return last_set_[i] ? -solution.z[i] / z_scale : -solution.w[i] / w_scale; };
  group_worst_.assign(n, -1);
  int wrong = 0, worst = -1;
  double largest = tolerance;
  for (int i = 0; i < n; ++i) {
    const double here = violation(i);
    if (!(here > tolerance)) continue;
    ++wrong;
    if (here > largest) {
      largest = here;
      worst = i;
    }
    if (set_[i] || problem.group[i] < 0) continue;
    int& first = group_worst_[problem.group[i]];
    if (first < 0 || here > violation(first)) first = i;
  }
  if (wrong == 0) return 0;
  if (only_worst) {
    set_[worst] = !set_[worst];
    return wrong;
  }
  for (int i = 0; i < n; ++i) {
    if (!(violation(i) > tolerance)) continue;
    if (!set_[i] && problem.group[i] >= 0 && group_worst_[problem.group[i]] != i) continue;
    set_[i] = !set_[i];
  }
  return wrong;
}

bool MlcpWorkspace::TryActiveSets(const MlcpProblem& problem, int most, double tolerance, MlcpSolution& solution) {
  // All wrong signs at once to begin with; one by one where that leads to a singular block, and in the second half.
  bool only_worst = false;
  for (int trial = 0; trial < most; ++trial) {
    if (!SolveSubset(set_, q, solution.z)) {
      if (trial == 0 || only_worst) return false;
      only_worst = true;
      set_ = last_set_;
      if (!SolveSubset(set_, q, solution.z)) return false;
    }
    only_worst = only_worst || 2 * trial > most;
    solution.w.noalias() = M * solution.z;
    solution.w += q;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      if (set_[i]) solution.w[i] = 0;
    }
    ++solution.exchanges;
    if (Exchange(problem, solution, tolerance, only_worst) == 0) return true;
  }
  return false;
}

double MlcpWorkspace::Complete(MlcpProblem& problem, const MlcpOptions& options, MlcpSolution& solution) {
  solution.z = solution.z.cwiseMax(0.0);
  solution.w = solution.w.cwiseMax(0.0);
  solution.active.assign(set_.begin(), set_.end());
  solution.x = x0;
  if (q.size() == 0) return 0;
  solution.x.noalias() += Y * solution.z;
  return RefineSolution(problem, options, *this, solution);
}

/// K^-1 a, M and q.
void MlcpWorkspace::Reduce(MlcpProblem& problem, bool refine) {
  const int n = problem.complementary_count();
  x0 = problem.a;
  // Alone, x0 is the solution; with complementary unknowns M and q are differences of large numbers.
  problem.K.Solve(x0, refine, n == 0 ? 1e-13 : 1e-15);
  SolveColumns(problem, refine);
  M.setZero(n, n);
  for (const MlcpEntry& entry : problem.P) M(entry.row, entry.column) += entry.value;
  q = problem.b;
  for (int i = 0; i < n; ++i) {
    if (problem.N[i].count == 0) continue;
    for (int j = 0; j < n; ++j) {
      if (problem.C[j].count > 0) M(i, j) += problem.N[i].Dot(Y.col(j));
    }
    q[i] += problem.N[i].Dot(x0);
  }
  factorized_set_.clear();
}

bool SolvePreparedMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options,
                       MlcpWorkspace& workspace, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  workspace.Reduce(problem, options.refine);
  solution.status = MlcpStatus::kSolved;
  solution.lemke = false;
  solution.exchanges = 0;
  solution.z.setZero(n);
  solution.w = workspace.q;
  auto& set = workspace.set_;
  set.assign(n, 0);
  if (static_cast<int>(guess.size()) == n) std::copy(guess.begin(), guess.end(), set.begin());
  bool solved = n == 0 || workspace.TryActiveSets(problem, options.maximum_exchanges, options.tolerance, solution);
  if (!solved) {
    solution.lemke = true;
    solved = workspace.TryLemke(solution);
  }
  // Where no path ended in a solution, the best basis met may be next to one.
  const double reached = workspace.Complete(problem, options, solution);
  solved = solved || reached <= 1e-10 || workspace.TryManyStarts(problem, options, solution);
  if (!solved) solution.status = MlcpStatus::kRay;
  return solved;
}

bool SolveActive(MlcpProblem& problem, std::span<const char> active, MlcpWorkspace& workspace,
                 Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z) {
  problem.K.Solve(x, false);
  GrowingVector& q = workspace.reduced_;
  q = z;
  for (int i = 0; i < problem.complementary_count(); ++i) q[i] += problem.N[i].Dot(x);
  if (!workspace.SolveSubset(active, q, z)) return false;
  for (int i = 0; i < problem.complementary_count(); ++i) {
    if (z[i] != 0) x += z[i] * workspace.Y.col(i);
  }
  return true;
}

}  // namespace ricochet
