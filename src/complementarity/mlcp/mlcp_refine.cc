// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Accuracy of solutions of mlcp.h: refinement with the problem's own numbers.
#include <algorithm>
#include <cmath>

#include "complementarity/mlcp/mlcp.h"
#include "math/vector.h"

namespace ricochet {

namespace {

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

}  // namespace

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

double RefineSolution(MlcpProblem& problem, const MlcpOptions& options, MlcpWorkspace& ws, MlcpSolution& solution) {
  const int n = problem.complementary_count();
  double best = MlcpResidual(problem, solution.x, solution.z, ws);
  // Takes what is in x_refined_ and z_refined_ if it is better; returns its residual.
  const auto accept = [&](const std::vector<char>& set) {
    const double residual = MlcpResidual(problem, ws.x_refined_, ws.z_refined_, ws);
    if (!(residual < best)) return residual;
    best = residual;
    solution.x = ws.x_refined_;
    solution.z = ws.z_refined_;
    solution.active.assign(set.begin(), set.end());
    for (int i = 0; i < n; ++i) solution.w[i] = set[i] ? 0.0 : std::max(0.0, ws.w_[i]);
    return residual;
  };
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds && best > 1e-13; ++round) {
    // MlcpResidual leaves K x - a - C z in kx_ and w in w_.
    const double before = best;
    ws.kx_ = -ws.kx_;
    ws.dz_ = ws.w_;
    if (!SolveActive(problem, solution.active, ws, ws.kx_, ws.dz_)) break;
    ws.x_refined_ = solution.x + ws.kx_;
    ws.z_refined_ = (solution.z + ws.dz_).cwiseMax(0.0);
    ws.polished_set_.assign(solution.active.begin(), solution.active.end());
    if (!(accept(ws.polished_set_) < before)) break;
  }
  if (best <= options.accuracy) return best;

  // Principal pivoting with the accurate solutions of SolveAugmented: the worst sign is exchanged until none is wrong.
  constexpr int kExchanges = 30;
  ws.polished_set_.assign(solution.active.begin(), solution.active.end());
  for (int trial = 0; trial < kExchanges; ++trial) {
    if (!ws.SolveAugmented(problem, ws.polished_set_)) break;
    ws.polished_z_ = ws.z_refined_;
    ws.z_refined_ = ws.z_refined_.cwiseMax(0.0);
    if (accept(ws.polished_set_) <= options.accuracy) break;
    const double z_scale = std::max(MaxAbs(ws.polished_z_), 1e-300);
    int worst = -1;
    double violation = 1e-14;
    for (int i = 0; i < n; ++i) {
      const double here = ws.polished_set_[i] ? -ws.polished_z_[i] / z_scale : -ws.w_[i] / ws.w_scale_[i];
      if (here > violation) {
        violation = here;
        worst = i;
      }
    }
    if (worst < 0) break;
    ws.polished_set_[worst] = !ws.polished_set_[worst];
  }
  return best;
}

}  // namespace ricochet
