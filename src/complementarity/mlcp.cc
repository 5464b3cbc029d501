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

/// LU with complete pivoting of the n x n row-major matrix in `m`, in place. Returns the rank: where no pivot above
/// `floor` is left.
int FactorizeCompletely(std::span<double> m, std::span<int> rows, std::span<int> columns, int n, double floor) {
  for (int i = 0; i < n; ++i) rows[i] = columns[i] = i;
  for (int k = 0; k < n; ++k) {
    int row = k, column = k;
    double largest = 0;
    for (int i = k; i < n; ++i) {
      for (int j = k; j < n; ++j) {
        if (!(std::abs(m[i * n + j]) > largest)) continue;
        largest = std::abs(m[i * n + j]);
        row = i;
        column = j;
      }
    }
    if (!(largest > floor)) return k;
    std::swap(rows[k], rows[row]);
    std::swap(columns[k], columns[column]);
    if (row != k) std::swap_ranges(&m[k * n], &m[k * n] + n, &m[row * n]);
    for (int i = 0; column != k && i < n; ++i) std::swap(m[i * n + k], m[i * n + column]);
    for (int i = k + 1; i < n; ++i) {
      const double f = m[i * n + k] / m[k * n + k];
      m[i * n + k] = f;
      if (f == 0) continue;
      for (int j = k + 1; j < n; ++j) m[i * n + j] -= f * m[k * n + j];
    }
  }
  return n;
}

/// x := solution with those factors that is zero in the unknowns beyond the rank.
void SubstituteCompletely(std::span<const double> m, std::span<const int> rows, std::span<const int> columns, int n,
                          int rank, std::span<double> x, std::span<double> scratch) {
  for (int i = 0; i < n; ++i) scratch[i] = x[rows[i]];
  for (int i = 0; i < rank; ++i) {
    for (int k = 0; k < i; ++k) scratch[i] -= m[i * n + k] * scratch[k];
  }
  for (int i = rank - 1; i >= 0; --i) {
    for (int k = i + 1; k < rank; ++k) scratch[i] -= m[i * n + k] * scratch[k];
    scratch[i] /= m[i * n + i];
  }
  for (int i = 0; i < n; ++i) x[columns[i]] = i < rank ? scratch[i] : 0.0;
}

/// Paths of Lemke's method that are tried, and the factor of row i on one of them (1 on the first).
constexpr int kPaths = 8;
double PathFactor(int path, int i) {
  return path == 0 ? 1.0 : std::ldexp(1.0, 4 * ((i * (2 * path + 1) + path) % 5) - 8);
}

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
  P.clear();
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
  for (const MlcpEntry& entry : problem.P) w[entry.row] += entry.value * z[entry.column];
  for (int i = 0; i < n; ++i) w[i] += problem.N[i].Dot(x);
  const double z_scale = std::max(MaxAbs(z), 1e-300), w_scale = std::max({MaxAbs(w), MaxAbs(problem.b), 1e-300});
  for (int i = 0; i < n; ++i) residual = std::max(residual, std::abs(std::min(z[i] / z_scale, w[i] / w_scale)));
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

/// The equations of an active set for x and z together,
///
///     [ K     -C_A ] [ x   ]   [  a   ]
///     [ N_A   P_AA ] [ z_A ] = [ -b_A ],
///
/// rows scaled to their largest entry, LU with complete pivoting, refined. The result is in x_refined_ and z_refined_.
bool MlcpWorkspace::SolveAugmented(const MlcpProblem& problem, std::span<const char> active) {
  constexpr int kBlock = BlockLdlt::kBlock, kLargest = 600;
  const int size = problem.K.size(), n = problem.complementary_count();
  augmented_index_.assign(n, -1);
  int total = size;
  for (int i = 0; i < n; ++i) {
    if (active[i]) augmented_index_[i] = total++;
  }
  if (total > kLargest) return false;
  const std::vector<int>& place = augmented_index_;
  augmented_.assign(static_cast<size_t>(total) * total, 0.0);
  const auto at = [&](int i, int j) -> double& { return augmented_[static_cast<size_t>(i) * total + j]; };
  const auto add_block = [&](int a, int b, const BlockLdlt::Block& block, bool transposed) {
    for (int i = 0; i < kBlock; ++i) {
      for (int j = 0; j < kBlock; ++j) at(kBlock * a + i, kBlock * b + j) += transposed ? block(j, i) : block(i, j);
    }
  };
  for (int node = 0; node < problem.K.node_count(); ++node) add_block(node, node, problem.K.Diagonal(node), false);
  for (int e = 0; e < problem.K.edge_count(); ++e) {
    const auto [a, b] = problem.K.EdgeNodes(e);
    add_block(a, b, problem.K.Edge(e), false);
    add_block(b, a, problem.K.Edge(e), true);
  }
  augmented_vector_.assign(static_cast<size_t>(4) * total, 0.0);
  double* const right = augmented_vector_.data();
  double* const y = right + total;
  const std::span<double> change(y + total, total), scratch(y + 2 * total, total);
  std::copy(problem.a.begin(), problem.a.end(), right);
  for (int i = 0; i < n; ++i) {
    if (place[i] < 0) continue;
    right[place[i]] = -problem.b[i];
    const BlockSparseVector &column = problem.C[i], &row = problem.N[i];
    for (int r = 0; r < kBlock; ++r) {
      for (int k = 0; k < column.count; ++k) at(kBlock * column.node[k] + r, place[i]) -= column.value[k][r];
      for (int k = 0; k < row.count; ++k) at(place[i], kBlock * row.node[k] + r) += row.value[k][r];
    }
  }
  for (const MlcpEntry& entry : problem.P) {
    if (place[entry.row] >= 0 && place[entry.column] >= 0) at(place[entry.row], place[entry.column]) += entry.value;
  }
  for (int i = 0; i < total; ++i) {
    double largest = 0;
    for (int j = 0; j < total; ++j) largest = std::max(largest, std::abs(at(i, j)));
    const double factor = largest > 0 ? std::exp2(-std::round(std::log2(largest))) : 1.0;
    for (int j = 0; j < total; ++j) at(i, j) *= factor;
    right[i] *= factor;
  }
  augmented_factors_ = augmented_;
  augmented_pivots_.resize(static_cast<size_t>(2) * total);
  const std::span<int> rows(augmented_pivots_.data(), total), columns(augmented_pivots_.data() + total, total);
  const int rank = FactorizeCompletely(augmented_factors_, rows, columns, total, 1e-14);
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < total; ++i) {
      long double sum = right[i];
      for (int j = 0; j < total; ++j) sum -= static_cast<long double>(at(i, j)) * y[j];
      change[i] = static_cast<double>(sum);
    }
    SubstituteCompletely(augmented_factors_, rows, columns, total, rank, change, scratch);
    for (int i = 0; i < total; ++i) y[i] += change[i];
  }
  x_refined_ = Eigen::Map<const Eigen::VectorXd>(y, size);
  z_refined_.setZero(n);
  for (int i = 0; i < n; ++i) {
    if (place[i] >= 0) z_refined_[i] = y[place[i]];
  }
  return true;
}

/// Principal pivoting with the accurate solutions of SolveAugmented: from `polished_set_` on, the worst sign is
/// exchanged until none is wrong. `accept` takes what is in x_refined_ and z_refined_ and returns the residual reached.
template <class Accept>
void MlcpWorkspace::PolishSet(const MlcpProblem& problem, const MlcpOptions& options, const Accept& accept) {
  const int n = problem.complementary_count();
  constexpr int kExchanges = 30;
  for (int trial = 0; trial < kExchanges; ++trial) {
    if (!SolveAugmented(problem, polished_set_)) return;
    polished_z_ = z_refined_;
    z_refined_ = z_refined_.cwiseMax(0.0);
    if (accept(polished_set_) <= options.accuracy) return;
    // accept() leaves w of the set in w_.
    const double z_scale = std::max(MaxAbs(polished_z_), 1e-300);
    const double w_scale = std::max({MaxAbs(w_), MaxAbs(problem.b), 1e-300});
    int worst = -1;
    double violation = 1e-14;
    for (int i = 0; i < n; ++i) {
      const double here = polished_set_[i] ? -polished_z_[i] / z_scale : -w_[i] / w_scale;
      if (here > violation) {
        violation = here;
        worst = i;
      }
    }
    if (worst < 0) return;
    polished_set_[worst] = !polished_set_[worst];
  }
}

double RefineSolution(MlcpProblem& problem, const MlcpOptions& options, MlcpWorkspace& workspace,
                      MlcpSolution& solution) {
  const int n = problem.complementary_count();
  Eigen::VectorXd &dx = workspace.kx_, &dz = workspace.cz_, &w = workspace.w_;
  double best = MlcpResidual(problem, solution.x, solution.z, workspace);
  // Takes what is in x_refined_ and z_refined_ if it is better; returns its residual.
  const auto accept = [&](const std::vector<char>& set) {
    const double residual = MlcpResidual(problem, workspace.x_refined_, workspace.z_refined_, workspace);
    if (!(residual < best)) return residual;
    best = residual;
    solution.x = workspace.x_refined_;
    solution.z = workspace.z_refined_;
    solution.active = set;
    for (int i = 0; i < n; ++i) solution.w[i] = set[i] ? 0.0 : std::max(0.0, w[i]);
    return residual;
  };
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds && best > 1e-13; ++round) {
    // MlcpResidual leaves K x - a - C z in kx_ and w in w_.
    const double before = best;
    dx = -dx;
    dz = w;
    if (!SolveActive(problem, solution.active, workspace, dx, dz)) break;
    workspace.x_refined_ = solution.x + dx;
    workspace.z_refined_ = (solution.z + dz).cwiseMax(0.0);
    if (!(accept(solution.active) < before)) break;
  }
  if (best > options.accuracy) {
    workspace.polished_set_ = solution.active;
    workspace.PolishSet(problem, options, accept);
  }
  return best;
}

/// Active sets from `set_` on: solve, exchange wrong signs, until none is wrong. False when it does not settle.
bool MlcpWorkspace::TryActiveSets(const MlcpOptions& options, MlcpSolution& solution) {
  const double scale = MaxAbs(q);
  for (int trial = 0; trial < options.maximum_exchanges; ++trial) {
    if (!SolveSubset(set_, q, solution.z)) return false;
    solution.w.noalias() = M * solution.z;
    solution.w += q;
    for (size_t i = 0; i < set_.size(); ++i) {
      if (set_[i]) solution.w[i] = 0;
    }
    ++solution.exchanges;
    const double z_floor = options.tolerance * MaxAbs(solution.z);
    if (Exchange(solution.z, solution.w, z_floor, options.tolerance * scale, set_) == 0) return true;
  }
  return false;
}

/// Lemke's method on several paths: a ray says nothing for such M, and rows scaled by positive factors have the same
/// solutions and another path. A basis that is off by more than rounding gives way to a better one.
bool MlcpWorkspace::TryLemke(MlcpSolution& solution) {
  const int n = static_cast<int>(q.size());
  const double scale = MaxAbs(q);
  lemke_.Reserve(n);
  double least = 1e300;
  z_refined_.setZero(n);
  for (int path = 0; path < kPaths && least > 1e-12; ++path) {
    M_path_ = M;
    q_path_ = q;
    for (int i = 0; path > 0 && i < n; ++i) {
      const double factor = PathFactor(path, i);
      M_path_.row(i) *= factor;
      q_path_[i] *= factor;
    }
    const LemkeSummary summary = SolveLemke(M_path_, q_path_, lemke_, solution.z);
    const bool has_basis =
        summary.termination == LemkeTermination::kSolved || summary.termination == LemkeTermination::kInaccurate;
    solution.w.noalias() = M * solution.z;
    solution.w += q;
    const double violation = -solution.w.minCoeff() / std::max(scale, MaxAbs(solution.w));
    if (has_basis && solution.z.minCoeff() >= 0 && violation < least) {
      least = violation;
      z_refined_ = solution.z;
    }
  }
  solution.z = z_refined_;
  solution.w.noalias() = M * solution.z;
  solution.w += q;
  for (int i = 0; i < n; ++i) set_[i] = solution.z[i] > 0;
  return least <= 1e-9;
}

/// Bounds that depend on x, decided one by one. Row i is such a bound when it has N x but no column of C; z of the
/// columns that P takes from it are the impulses it bounds. Sticking: one of these impulses of any sign holds its row;
/// sliding: one of them is at the bound and z_i, of any sign, holds its row. Each combination leaves an LCP of the
/// other unknowns, where Lemke's method is sure again; its set is completed and judged as a whole.
bool MlcpWorkspace::TryBoundModes(const MlcpProblem& problem, const MlcpOptions& options, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  bounds_.clear();
  for (const MlcpEntry& entry : problem.P) {
    if (problem.C[entry.row].count == 0 && problem.N[entry.row].count > 0) {
      bounds_.push_back(entry.row);
      bounds_.push_back(entry.column);
    }
  }
  // Dry joints have two impulses each: entries come in pairs (bound, t+), (bound, t-).
  const int count = static_cast<int>(bounds_.size()) / 4;
  constexpr int kMostBounds = 6;
  if (count == 0 || count > kMostBounds || bounds_.size() % 4 != 0) return false;
  const int combinations = static_cast<int>(std::lround(std::pow(3, count)));
  polished_set_.assign(n, 0);
  for (int c = 0; c < combinations; ++c) {
    // 1: an equation whose unknown is free; 2: unknown is zero; 0: complementary.
    modes_.assign(n, 0);
    for (int k = 0, rest = c; k < count; ++k, rest /= 3) {
      const int bound = bounds_[4 * k], t[2] = {bounds_[4 * k + 1], bounds_[4 * k + 3]};
      modes_[bound] = rest % 3 == 0 ? 2 : 1;
      modes_[t[0]] = rest % 3 == 2 ? 2 : 1;
      modes_[t[1]] = rest % 3 == 2 ? 1 : 2;
    }
    index_.clear();
    for (int i = 0; i < n; ++i) {
      if (modes_[i] == 1) index_.push_back(i);
    }
    const int free_count = static_cast<int>(index_.size());
    for (int i = 0; i < n; ++i) {
      if (modes_[i] == 0) index_.push_back(i);
    }
    const int total = static_cast<int>(index_.size());
    // Eliminates the free unknowns from [M | q], largest pivot first.
    M_path_.resize(total, total + 1);
    for (int i = 0; i < total; ++i) {
      for (int j = 0; j < total; ++j) M_path_(i, j) = M(index_[i], index_[j]);
      M_path_(i, total) = q[index_[i]];
    }
    bool regular = true;
    for (int k = 0; k < free_count && regular; ++k) {
      int pivot = k;
      for (int i = k + 1; i < free_count; ++i) {
        if (std::abs(M_path_(i, k)) > std::abs(M_path_(pivot, k))) pivot = i;
      }
      regular = std::abs(M_path_(pivot, k)) > 1e-14;
      if (!regular) break;
      M_path_.row(k).swap(M_path_.row(pivot));
      for (int i = k + 1; i < total; ++i) {
        M_path_.row(i).tail(total + 1 - k) -= M_path_(i, k) / M_path_(k, k) * M_path_.row(k).tail(total + 1 - k);
      }
    }
    if (!regular) continue;
    const int rest = total - free_count;
    q_path_.resize(rest);
    polished_z_.setZero(rest);
    lemke_.Reserve(rest);
    for (int path = 0; path < kPaths; ++path) {
      for (int i = 0; i < rest; ++i) {
        const double factor = PathFactor(path, i) / (path > 0 ? PathFactor(path - 1, i) : 1.0);
        M_path_.row(free_count + i) *= factor;
        q_path_[i] = M_path_(free_count + i, total);
      }
      const LemkeSummary summary =
          SolveLemke(M_path_.block(free_count, free_count, rest, rest), q_path_, lemke_, polished_z_);
      if (summary.termination == LemkeTermination::kSolved) break;
    }
    for (int i = 0; i < n; ++i) polished_set_[i] = modes_[i] == 1;
    for (int i = 0; i < rest; ++i) polished_set_[index_[free_count + i]] = polished_z_[i] > 0;
    double best = 1e-10;
    bool found = false;
    PolishSet(problem, options, [&](const std::vector<char>& set) {
      const double residual = MlcpResidual(problem, x_refined_, z_refined_, *this);
      if (residual > best) return residual;
      best = residual;
      found = true;
      solution.z = z_refined_;
      solution.w = w_;
      set_ = set;
      return residual;
    });
    if (found) return true;
  }
  return false;
}

bool SolvePreparedMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options,
                       MlcpWorkspace& workspace, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  workspace.x0 = problem.a;
  problem.K.Solve(workspace.x0, options.refine);
  workspace.SolveColumns(problem, options.refine);
  workspace.M.setZero(n, n);
  for (const MlcpEntry& entry : problem.P) workspace.M(entry.row, entry.column) += entry.value;
  workspace.q = problem.b;
  for (int i = 0; i < n; ++i) {
    if (problem.N[i].count == 0) continue;
    for (int j = 0; j < n; ++j) {
      if (problem.C[j].count > 0) workspace.M(i, j) += problem.N[i].Dot(workspace.Y.col(j));
    }
    workspace.q[i] += problem.N[i].Dot(workspace.x0);
  }
  workspace.factorised_set_.clear();

  solution.status = MlcpStatus::kSolved;
  solution.lemke = false;
  solution.exchanges = 0;
  solution.z.setZero(n);
  solution.w = workspace.q;
  auto& set = workspace.set_;
  set.assign(n, 0);
  if (static_cast<int>(guess.size()) == n) std::copy(guess.begin(), guess.end(), set.begin());
  bool solved = n == 0 || workspace.TryActiveSets(options, solution);
  if (!solved) {
    solution.lemke = true;
    solved = workspace.TryLemke(solution) || workspace.TryBoundModes(problem, options, solution);
  }
  solution.z = solution.z.cwiseMax(0.0);
  solution.w = solution.w.cwiseMax(0.0);
  solution.active.assign(set.begin(), set.end());
  solution.x = workspace.x0;
  if (n > 0) solution.x.noalias() += workspace.Y * solution.z;
  if (n > 0) {
    // Where no path ended in a solution, the best basis met may be next to one.
    const double reached = RefineSolution(problem, options, workspace, solution);
    solved = solved || reached <= 1e-10;
  }
  if (!solved) solution.status = MlcpStatus::kRay;
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
