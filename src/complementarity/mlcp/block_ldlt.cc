// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/block_ldlt.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "complementarity/mlcp/block_kernels.h"

namespace ricochet {

namespace {

using Block = BlockLdlt::Block;
using BlockVector = BlockLdlt::BlockVector;
constexpr int kBlock = BlockLdlt::kBlock;

/// Dense LDL^T in place: unit lower triangle and pivots of `sign` * a on the diagonal. False when a pivot is not
/// positive beyond the rounding of `scale`, the largest numbers that entered its diagonal.
bool FactorizePivot(Block& a, double sign, const BlockVector& scale, BlockVector& inverse) {
  if (sign < 0) a = -a;
  for (int j = 0; j < kBlock; ++j) {
    const double d = a(j, j);
    if (!(d > 1e-14 * scale[j]) || !std::isfinite(d)) return false;
    const double inv = 1.0 / d;
    inverse[j] = inv;
    // Column k of what is left loses a(k, j) / d times column j, which then becomes the column of L.
    for (int k = j + 1; k < kBlock; ++k) {
      const double factor = a(k, j) * inv;
      for (int i = k; i < kBlock; ++i) a(i, k) -= factor * a(i, j);
    }
    for (int i = j + 1; i < kBlock; ++i) a(i, j) *= inv;
  }
  return true;
}

/// y := y P^-1, column by column: with P = F D F^T first Z F^T = y, then y F = Z D^-1.
void DivideByPivot(const Block& f, const BlockVector& inverse, double sign, Block& y) {
  for (int j = 1; j < kBlock; ++j) {
    for (int k = 0; k < j; ++k) y.col(j) -= f(j, k) * y.col(k);
  }
  for (int j = kBlock - 1; j >= 0; --j) {
    y.col(j) *= sign * inverse[j];
    for (int k = j + 1; k < kBlock; ++k) y.col(j) -= f(k, j) * y.col(k);
  }
}

}  // namespace

void BlockLdlt::Analyze(const Graph& graph) {
  const int n = static_cast<int>(graph.dual.size());
  edges_ = graph.edges;
  diagonal_.assign(n, Block::Zero());
  edge_.assign(edges_.size(), Block::Zero());
  sign_.resize(n);
  for (int i = 0; i < n; ++i) sign_[i] = graph.dual[i] ? -1.0 : 1.0;

  // Elimination on the graph: pick, connect the neighbors with each other, remove.
  std::vector<std::set<int>> neighbors(n);
  for (const auto& [a, b] : edges_) {
    neighbors[a].insert(b);
    neighbors[b].insert(a);
  }
  std::vector<char> eligible(n), done(n, 0);
  for (int i = 0; i < n; ++i) {
    const auto primal = [&](int j) { return !graph.dual[j]; };
    // A dual node without primal neighbor (both its bodies are fixed) has only its own block.
    eligible[i] = !graph.dual[i] || std::none_of(neighbors[i].begin(), neighbors[i].end(), primal);
  }
  std::set<std::pair<int, int>> queue;  // degree, minus index
  for (int i = 0; i < n; ++i) {
    if (eligible[i]) queue.insert({static_cast<int>(neighbors[i].size()), -i});
  }
  position_of_.assign(n, -1);
  node_at_.clear();
  std::vector<std::vector<int>> structure;  // nodes below the diagonal, per position
  while (!queue.empty()) {
    const int node = -queue.begin()->second;
    queue.erase(queue.begin());
    done[node] = 1;
    position_of_[node] = static_cast<int>(node_at_.size());
    node_at_.push_back(node);
    const std::vector<int> adjacent(neighbors[node].begin(), neighbors[node].end());
    structure.push_back(adjacent);
    for (const int a : adjacent) {
      queue.erase({static_cast<int>(neighbors[a].size()), -a});
      neighbors[a].erase(node);
      for (const int b : adjacent) {
        if (b != a) neighbors[a].insert(b);
      }
      if (!graph.dual[node]) eligible[a] = 1;
    }
    for (const int a : adjacent) {
      if (eligible[a]) queue.insert({static_cast<int>(neighbors[a].size()), -a});
    }
  }

  column_.assign(1, 0);
  row_.clear();
  for (int j = 0; j < n; ++j) {
    std::vector<int> rows;
    for (const int node : structure[j]) rows.push_back(position_of_[node]);
    std::sort(rows.begin(), rows.end());
    row_.insert(row_.end(), rows.begin(), rows.end());
    column_.push_back(static_cast<int>(row_.size()));
  }
  const auto slot = [&](int row, int column) { return FindSlot(row, column); };
  edge_slot_.clear();
  edge_transposed_.clear();
  for (const auto& [a, b] : edges_) {
    const int i = position_of_[a], j = position_of_[b];
    edge_slot_.push_back(i > j ? slot(i, j) : slot(j, i));
    edge_transposed_.push_back(i < j);
  }
  fill_.clear();
  for (int s = 0; s < static_cast<int>(row_.size()); ++s) {
    if (std::find(edge_slot_.begin(), edge_slot_.end(), s) == edge_slot_.end()) fill_.push_back(s);
  }
  update_.clear();
  update_start_.assign(1, 0);
  for (int j = 0; j < n; ++j) {
    for (int s = column_[j]; s < column_[j + 1]; ++s) {
      for (int t = s; t < column_[j + 1]; ++t) update_.push_back(s == t ? -1 - row_[t] : slot(row_[t], row_[s]));
    }
    update_start_.push_back(static_cast<int>(update_.size()));
  }
  pivot_.assign(n, Block::Zero());
  inverse_.assign(n, Block::Zero());
  scale_.assign(n, BlockVector::Zero());
  lower_.assign(row_.size(), Block::Zero());
  scaled_.assign(row_.size(), Block::Zero());
  right_side_.setZero(kBlock * n);
  residual_.setZero(kBlock * n);
  failed_node_ = -1;
}

int BlockLdlt::FindSlot(int row, int column) const {
  const auto begin = row_.begin() + column_[column], end = row_.begin() + column_[column + 1];
  return static_cast<int>(std::lower_bound(begin, end, row) - row_.begin());
}

void BlockLdlt::SetZero() {
  for (Block& b : diagonal_) b.setZero();
  for (Block& b : edge_) b.setZero();
}

/// Right-looking: A_ik -= L_ij A_kj^T for all pairs of rows i >= k >= first of column j.
void BlockLdlt::Update(int j, int first) {
  const int end = column_[j + 1];
  int u = update_start_[j];
  for (int s = column_[j]; s < end; ++s) {
    if (row_[s] < first) {
      u += end - s;
      continue;
    }
    const int i = row_[s];
    block_kernels::SubtractProductTransposed(scaled_[s], lower_[s], pivot_[i]);
    scale_[i] = scale_[i].cwiseMax(pivot_[i].diagonal().cwiseAbs());
    ++u;
    for (int t = s + 1; t < end; ++t, ++u) {
      block_kernels::SubtractProductTransposed(scaled_[t], lower_[s], lower_[update_[u]]);
    }
  }
}

bool BlockLdlt::Factorize(int first) {
  const int n = node_count();
  failed_node_ = -1;
  for (int j = first; j < n; ++j) {
    pivot_[j] = diagonal_[node_at_[j]];
    scale_[j] = pivot_[j].diagonal().cwiseAbs();
  }
  const int first_slot = column_[first];
  for (const int slot : fill_) {
    if (slot >= first_slot) lower_[slot].setZero();
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    if (edge_slot_[e] < first_slot) continue;
    if (edge_transposed_[e]) {
      lower_[edge_slot_[e]] = edge_[e].transpose();
    } else {
      lower_[edge_slot_[e]] = edge_[e];
    }
  }
  for (int j = 0; j < first; ++j) Update(j, first);
  // L_ij = A_ij P_j^-1.
  BlockVector inverse;
  for (int j = first; j < n; ++j) {
    const double sign = sign_[node_at_[j]];
    if (!FactorizePivot(pivot_[j], sign, scale_[j], inverse)) {
      failed_node_ = node_at_[j];
      return false;
    }
    // Products with the inverse would lose the pivots of rows that nearly repeat each other; solutions are refined.
    for (int s = column_[j]; s < column_[j + 1]; ++s) {
      scaled_[s] = lower_[s];
      DivideByPivot(pivot_[j], inverse, sign, scaled_[s]);
    }
    inverse_[j].setIdentity();
    DivideByPivot(pivot_[j], inverse, sign, inverse_[j]);
    Update(j, first);
  }
  return true;
}

void BlockLdlt::Substitute(Eigen::Ref<Eigen::VectorXd> x) const {
  const int n = node_count();
  double* const data = x.data();
  for (int j = 0; j < n; ++j) {
    const double* const xj = data + kBlock * node_at_[j];
    for (int s = column_[j]; s < column_[j + 1]; ++s) {
      block_kernels::At(data, node_at_[row_[s]]) -= block_kernels::Times(scaled_[s], xj);
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    auto at = block_kernels::At(data, node_at_[j]);
    BlockVector xj = block_kernels::Times(inverse_[j], at.data());
    for (int s = column_[j]; s < column_[j + 1]; ++s) {
      xj -= block_kernels::TransposedTimes(scaled_[s], data + kBlock * node_at_[row_[s]]);
    }
    at = xj;
  }
}

void BlockLdlt::Solve(Eigen::Ref<Eigen::VectorXd> x, bool refine, double enough) {
  if (!refine) {
    Substitute(x);
    return;
  }
  right_side_ = x;
  Substitute(x);
  const double floor = enough * right_side_.cwiseAbs().maxCoeff();
  double last = std::numeric_limits<double>::infinity();
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {
    Multiply(x, residual_);
    residual_ = right_side_ - residual_;
    const double size = residual_.cwiseAbs().maxCoeff();
    if (!(size > floor) || !(size < 0.5 * last)) break;
    last = size;
    Substitute(residual_);
    x += residual_;
  }
}

void BlockLdlt::Multiply(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> y) const {
  const double* const from = x.data();
  double* const to = y.data();
  for (int i = 0; i < node_count(); ++i) {
    block_kernels::At(to, i) = block_kernels::Times(diagonal_[i], from + kBlock * i);
  }
  for (size_t e = 0; e < edges_.size(); ++e) {
    const auto [a, b] = edges_[e];
    block_kernels::At(to, a) += block_kernels::Times(edge_[e], from + kBlock * b);
    block_kernels::At(to, b) += block_kernels::TransposedTimes(edge_[e], from + kBlock * a);
  }
}

}  // namespace ricochet
