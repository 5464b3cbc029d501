// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp.h"

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

double MaxAbs(const Eigen::VectorXd& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

/// Signs of a basic solution; counts those that are wrong and exchanges them in `set`.
int Exchange(const Eigen::VectorXd& z, const Eigen::VectorXd& w, double z_floor, double w_floor,
             std::vector<char>& set) {
  int wrong = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (set[i] ? z[i] < -z_floor : w[i] < -w_floor) {
      set[i] = !set[i];
      ++wrong;
    }
  }
  return wrong;
}

}  // namespace

void MlcpProblem::Resize(int count) {
  C.resize(count);
  N.resize(count);
  mirror.assign(count, -1);
  for (int i = 0; i < count; ++i) {
    C[i].Clear();
    N[i].Clear();
  }
  P.setZero(count, count);
  b.setZero(count);
}

bool MlcpWorkspace::SolveSubset(std::span<const char> active, const Eigen::VectorXd& right_side,
                                Eigen::Ref<Eigen::VectorXd> z) {
  const int total = static_cast<int>(active.size());
  const bool same =
      factorised_set_.size() == active.size() && std::equal(active.begin(), active.end(), factorised_set_.begin());
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
    factorised_set_.clear();
    if (!FactorizeDense(dense_, pivots_, n)) return false;
    factorised_set_.assign(active.begin(), active.end());
  }
  const int n = static_cast<int>(index_.size());
  vector_.resize(n);
  for (int i = 0; i < n; ++i) vector_[i] = -right_side[index_[i]];
  SubstituteDense(dense_, pivots_, n, vector_);
  z.setZero();
  for (int i = 0; i < n; ++i) z[index_[i]] = vector_[i];
  return true;
}

double MlcpResidual(const MlcpProblem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& z) {
  MlcpWorkspace workspace;
  return MlcpResidual(problem, x, z, workspace);
}

double MlcpResidual(const MlcpProblem& problem, const Eigen::VectorXd& x, const Eigen::VectorXd& z,
                    MlcpWorkspace& workspace) {
  const int n = problem.complementary_count();
  Eigen::VectorXd &kx = workspace.kx_, &cz = workspace.cz_, &w = workspace.w_;
  kx.resize(problem.K.size());
  problem.K.Multiply(x, kx);
  cz.setZero(problem.K.size());
  for (int i = 0; i < n; ++i) problem.C[i].AddTo(z[i], cz);
  const double scale = std::max({MaxAbs(kx), MaxAbs(cz), MaxAbs(problem.a), 1e-300});
  kx -= cz + problem.a;
  double residual = MaxAbs(kx) / scale;
  w = problem.b;
  if (n > 0) w.noalias() += problem.P * z;
  for (int i = 0; i < n; ++i) w[i] += problem.N[i].Dot(x);
  const double z_scale = std::max(MaxAbs(z), 1e-300), w_scale = std::max({MaxAbs(w), MaxAbs(problem.b), 1e-300});
  for (int i = 0; i < n; ++i) residual = std::max(residual, std::abs(std::min(z[i] / z_scale, w[i] / w_scale)));
  return residual;
}

bool PrepareMlcp(MlcpProblem& problem, const MlcpOptions& options, MlcpWorkspace& workspace) {
  const int n = problem.complementary_count();
  if (!problem.K.Factorize()) return false;
  workspace.Y.resize(problem.K.size(), n);
  for (int i = 0; i < n; ++i) {
    if (problem.C[i].count == 0) {
      workspace.Y.col(i).setZero();
    } else if (problem.mirror[i] >= 0) {
      workspace.Y.col(i) = -workspace.Y.col(problem.mirror[i]);
    } else {
      workspace.Y.col(i).setZero();
      problem.C[i].AddTo(1.0, workspace.Y.col(i));
      problem.K.Solve(workspace.Y.col(i), options.refine);
    }
  }
  return true;
}

void SolveMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options, MlcpWorkspace& workspace,
               MlcpSolution& solution) {
  if (PrepareMlcp(problem, options, workspace)) {
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

void RefineSolution(MlcpProblem& problem, MlcpWorkspace& workspace, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  Eigen::VectorXd &dx = workspace.kx_, &dz = workspace.cz_, &w = workspace.w_;
  for (int round = 0; round < 2; ++round) {
    const double before = MlcpResidual(problem, solution.x, solution.z, workspace);
    if (before <= 1e-13) return;
    // MlcpResidual leaves K x - a - C z in kx_ and w in w_.
    dx = -dx;
    dz = w;
    if (!SolveActive(problem, solution.active, workspace, dx, dz)) return;
    workspace.x_refined_ = solution.x + dx;
    workspace.z_refined_ = (solution.z + dz).cwiseMax(0.0);
    if (!(MlcpResidual(problem, workspace.x_refined_, workspace.z_refined_, workspace) < before)) return;
    solution.x = workspace.x_refined_;
    solution.z = workspace.z_refined_;
    for (int i = 0; i < n; ++i) solution.w[i] = solution.active[i] ? 0.0 : std::max(0.0, w[i]);
  }
}

bool SolvePreparedMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options,
                       MlcpWorkspace& workspace, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  workspace.x0 = problem.a;
  problem.K.Solve(workspace.x0, options.refine);
  workspace.M = problem.P;
  workspace.q = problem.b;
  for (int i = 0; i < n; ++i) {
    if (problem.N[i].count == 0) continue;
    for (int j = 0; j < n; ++j) {
      if (problem.C[j].count > 0) workspace.M(i, j) += problem.N[i].Dot(workspace.Y.col(j));
    }
    workspace.q[i] += problem.N[i].Dot(workspace.x0);
  }
  workspace.factorised_set_.clear();

  // Active sets from the guess on: solve, exchange wrong signs, until none is wrong or it does not settle.
  solution.status = MlcpStatus::kSolved;
  solution.lemke = false;
  solution.exchanges = 0;
  solution.z.setZero(n);
  solution.w = workspace.q;
  auto& set = workspace.set_;
  set.assign(n, 0);
  if (static_cast<int>(guess.size()) == n) std::copy(guess.begin(), guess.end(), set.begin());
  bool solved = n == 0;
  const double q_scale = MaxAbs(workspace.q);
  for (int trial = 0; !solved && trial < options.maximum_exchanges; ++trial) {
    if (!workspace.SolveSubset(set, workspace.q, solution.z)) break;
    solution.w.noalias() = workspace.M * solution.z;
    solution.w += workspace.q;
    for (int i = 0; i < n; ++i) {
      if (set[i]) solution.w[i] = 0;
    }
    solved =
        Exchange(solution.z, solution.w, options.tolerance * MaxAbs(solution.z), options.tolerance * q_scale, set) == 0;
    ++solution.exchanges;
  }
  if (!solved) {
    solution.lemke = true;
    workspace.lemke_.Reserve(n);
    // A ray says nothing for such M; rows scaled by positive factors have the same solutions and another path.
    // A basis that is off by more than rounding gives way to a better one.
    constexpr int kPaths = 8;
    double least = 1e-9;
    workspace.z_refined_ = solution.z;
    for (int path = 0; path < kPaths && !(solved && least <= 1e-12); ++path) {
      workspace.M_path_ = workspace.M;
      workspace.q_path_ = workspace.q;
      for (int i = 0; path > 0 && i < n; ++i) {
        const double factor = std::ldexp(1.0, 4 * ((i * (2 * path + 1) + path) % 5) - 8);
        workspace.M_path_.row(i) *= factor;
        workspace.q_path_[i] *= factor;
      }
      SolveLemke(workspace.M_path_, workspace.q_path_, workspace.lemke_, solution.z);
      solution.w.noalias() = workspace.M * solution.z;
      solution.w += workspace.q;
      const double violation = -solution.w.minCoeff() / std::max(q_scale, MaxAbs(solution.w));
      if (solution.z.minCoeff() >= 0 && violation <= least) {
        solved = true;
        least = violation;
        workspace.z_refined_ = solution.z;
      }
    }
    solution.z = workspace.z_refined_;
    solution.w.noalias() = workspace.M * solution.z;
    solution.w += workspace.q;
    for (int i = 0; i < n; ++i) set[i] = solution.z[i] > 0;
    if (!solved) solution.status = MlcpStatus::kRay;
  }
  solution.z = solution.z.cwiseMax(0.0);
  solution.w = solution.w.cwiseMax(0.0);
  solution.active.assign(set.begin(), set.end());
  solution.x = workspace.x0;
  if (n > 0) solution.x.noalias() += workspace.Y * solution.z;
  if (solved && n > 0) RefineSolution(problem, workspace, solution);
  return solved;
}

bool SolveActive(MlcpProblem& problem, std::span<const char> active, MlcpWorkspace& workspace,
                 Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z) {
  problem.K.Solve(x, false);
  Eigen::VectorXd& q = workspace.reduced_;
  q = z;
  for (int i = 0; i < problem.complementary_count(); ++i) q[i] += problem.N[i].Dot(x);
  if (!workspace.SolveSubset(active, q, z)) return false;
  for (int i = 0; i < problem.complementary_count(); ++i) {
    if (z[i] != 0) x += z[i] * workspace.Y.col(i);
  }
  return true;
}

}  // namespace ricochet
