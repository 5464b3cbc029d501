// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/dry_chain.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ricochet {

namespace {

/// a := a^-1 by Gauss and Jordan with pivots by column, in place. Without a pivot the result is not finite.
void InvertBlock(BlockLdlt::Block& a) {
  constexpr int kBlock = BlockLdlt::kBlock;
  std::array<int, kBlock> exchanged{};
  for (int k = 0; k < kBlock; ++k) {
    int pivot = k;
    for (int i = k + 1; i < kBlock; ++i) {
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    }
    exchanged[k] = pivot;
    for (int j = 0; pivot != k && j < kBlock; ++j) std::swap(a(k, j), a(pivot, j));
    const double inverse = 1.0 / a(k, k);
    const BlockLdlt::BlockVector column = a.col(k);
    for (int j = 0; j < kBlock; ++j) {
      if (j == k) continue;
      const double factor = a(k, j) * inverse;
      a.col(j) -= factor * column;
      a(k, j) = factor;
    }
    a.col(k) = -inverse * column;
    a(k, k) = inverse;
  }
  for (int k = kBlock - 1; k >= 0; --k) {
    if (exchanged[k] != k) a.col(k).swap(a.col(exchanged[k]));
  }
}

}  // namespace

void BlockLu::Load(const BlockLdlt& K) {
  K_ = &K;
  const int n = K.node_count();
  pivot_.resize(n);
  for (int j = 0; j < n; ++j) pivot_[j] = K.Diagonal(K.order()[j]);
  for (auto* blocks : {&lower_, &upper_, &scaled_}) blocks->resize(K.factor_blocks());
  for (auto* blocks : {&lower_, &upper_}) {
    for (Block& block : *blocks) block.setZero();
  }
  for (int e = 0; e < K.edge_count(); ++e) {
    const int slot = K.SlotOfEdge(e);
    (K.IsTransposed(e) ? upper_ : lower_)[slot] += K.Edge(e);
    (K.IsTransposed(e) ? lower_ : upper_)[slot] += K.Edge(e).transpose();
  }
}

BlockLu::Block& BlockLu::At(int row, int column) {
  const int i = K_->position(row), j = K_->position(column);
  return i > j ? lower_[K_->FindSlot(i, j)] : upper_[K_->FindSlot(j, i)];
}

bool BlockLu::Factorize() {
  const int n = K_->node_count();
  for (int j = 0; j < n; ++j) {
    InvertBlock(pivot_[j]);
    if (!pivot_[j].allFinite()) return false;
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) scaled_[s].noalias() = lower_[s].lazyProduct(pivot_[j]);
    const int* update = K_->Updates(j);
    for (int s = begin; s < end; ++s) {
      for (int t = s; t < end; ++t, ++update) {
        if (*update < 0) {
          pivot_[-1 - *update].noalias() -= scaled_[s].lazyProduct(upper_[s]);
          continue;
        }
        // Rows s < t: the block below the diagonal is (t, s).
        lower_[*update].noalias() -= scaled_[t].lazyProduct(upper_[s]);
        upper_[*update].noalias() -= scaled_[s].lazyProduct(upper_[t]);
      }
    }
  }
  return true;
}

void BlockLu::Solve(Eigen::Ref<Eigen::VectorXd> x) const {
  const int n = K_->node_count();
  const auto segment = [&](int position) { return x.segment<BlockLdlt::kBlock>(6 * K_->order()[position]); };
  for (int j = 0; j < n; ++j) {
    const BlockVector xj = segment(j);
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) segment(K_->RowOfSlot(s)).noalias() -= scaled_[s].lazyProduct(xj);
  }
  for (int j = n - 1; j >= 0; --j) {
    BlockVector xj = segment(j);
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) {
      const BlockVector xi = segment(K_->RowOfSlot(s));
      xj.noalias() -= upper_[s].lazyProduct(xi);
    }
    segment(j).noalias() = pivot_[j].lazyProduct(xj);
  }
}

bool DryChain::Fits(const MlcpProblem& problem, std::span<const int> nodes) {
  if (nodes.empty() || problem.complementary_count() != 3 * static_cast<int>(nodes.size())) return false;
  return std::all_of(nodes.begin(), nodes.end(), [&](int node) {
    const auto& diagonal = problem.K.Diagonal(node);
    return diagonal.row(kSpare).head<kSpare>().isZero(0) && diagonal(kSpare, kSpare) == -1;
  });
}

bool DryChain::Factorize(const MlcpProblem& problem, std::span<const int> nodes, std::span<const DryMode> modes) {
  nodes_.assign(nodes.begin(), nodes.end());
  modes_.assign(modes.begin(), modes.end());
  lu_.Load(problem.K);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const BlockSparseVector &row = problem.C[3 * k], &bound = problem.N[3 * k + 2];
    for (int i = 0; i < row.count; ++i) {
      if (modes[k] == DryMode::kSticks) {
        lu_.At(nodes[k], row.node[i]).row(kSpare) += row.value[i].transpose();
        lu_.At(row.node[i], nodes[k]).col(kSpare) += row.value[i];
      } else if (bound.count > 0) {
        const double sign = modes[k] == DryMode::kForward ? 1 : -1;
        lu_.At(row.node[i], nodes[k]).noalias() += (sign * row.value[i]) * bound.value[0].transpose();
      }
    }
    if (modes[k] == DryMode::kSticks) lu_.Diagonal(nodes[k])(kSpare, kSpare) = 0;
  }
  return lu_.Factorize();
}

void DryChain::Solve(const MlcpProblem& problem, Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z) {
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const BlockSparseVector& row = problem.C[3 * k];
    if (modes_[k] == DryMode::kSticks) {
      x[6 * nodes_[k] + kSpare] = -z[3 * k];
    } else {
      row.AddTo(modes_[k] == DryMode::kForward ? -z[3 * k + 2] : z[3 * k + 2], x);
    }
  }
  lu_.Solve(x);
  for (size_t k = 0; k < nodes_.size(); ++k) {
    const BlockSparseVector &row = problem.C[3 * k], &bound = problem.N[3 * k + 2];
    double* const t = &z[3 * k];
    const double b_forward = t[1], b_backward = t[0], b_bound = t[2];
    t[0] = t[1] = t[2] = 0;
    if (modes_[k] == DryMode::kSticks) {
      double& spare = x[6 * nodes_[k] + kSpare];
      t[0] = -spare;
      spare = 0;
      continue;
    }
    const double impulse = bound.Dot(x) + b_bound, rate = row.Dot(x);
    if (modes_[k] == DryMode::kForward) {
      t[1] = impulse;
      t[2] = rate - b_forward;
    } else {
      t[0] = impulse;
      t[2] = -rate - b_backward;
    }
  }
}

double DryChain::Improve(const MlcpProblem& problem, Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z) {
  // What is left: a + C z - K x, and of each joint its active rows.
  dx_.resize(x.size());
  problem.K.Multiply(x, dx_);
  dx_ = problem.a - dx_;
  dz_ = problem.b;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if (z[i] != 0) problem.C[i].AddTo(z[i], dx_);
    dz_[i] += problem.N[i].Dot(x);
  }
  for (const MlcpEntry& entry : problem.P) dz_[entry.row] += entry.value * z[entry.column];
  Solve(problem, dx_, dz_);
  x += dx_;
  z += dz_;
  double change = 0, largest = 0;
  for (size_t i = 0; i < 3 * nodes_.size(); ++i) {
    if (i % 3 == 2) continue;
    change = std::max(change, std::abs(dz_[i]));
    largest = std::max(largest, std::abs(z[i]));
  }
  return largest > 0 ? change / largest : 0;
}

}  // namespace ricochet
