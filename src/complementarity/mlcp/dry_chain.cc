// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mlcp/dry_chain.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "complementarity/mlcp/block_kernels.h"

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

void BlockLu::Load(const BlockLdlt& K, int first) {
  K_ = &K;
  const int n = K.node_count();
  pivot_.resize(n);
  for (int j = first; j < n; ++j) pivot_[j] = K.Diagonal(K.order()[j]);
  const int slot_count = K.factor_blocks(), first_slot = first < n ? K.ColumnSlots(first).first : slot_count;
  for (auto* blocks : {&lower_, &upper_}) blocks->resize(slot_count);
  for (const int slot : K.fill()) {
    if (slot < first_slot) continue;
    lower_[slot].setZero();
    upper_[slot].setZero();
  }
  for (int e = 0; e < K.edge_count(); ++e) {
    const int slot = K.SlotOfEdge(e);
    if (slot < first_slot) continue;
    (K.IsTransposed(e) ? upper_ : lower_)[slot] = K.Edge(e);
    (K.IsTransposed(e) ? lower_ : upper_)[slot] = K.Edge(e).transpose();
  }
}

BlockLu::Block& BlockLu::At(int row, int column) {
  const int i = K_->position(row), j = K_->position(column);
  return i > j ? lower_[K_->FindSlot(i, j)] : upper_[K_->FindSlot(j, i)];
}

/// What column j takes from the blocks after it, at positions `first` and later.
void BlockLu::Update(int j, int first) {
  const auto [begin, end] = K_->ColumnSlots(j);
  const int* update = K_->Updates(j);
  for (int s = begin; s < end; ++s) {
    if (K_->RowOfSlot(s) < first) {
      update += end - s;
      continue;
    }
    block_kernels::SubtractProduct(lower_[s], upper_[s], pivot_[-1 - *update++]);
    for (int t = s + 1; t < end; ++t, ++update) {
      // Rows s < t: the block below the diagonal is (t, s).
      block_kernels::SubtractProduct(lower_[t], upper_[s], lower_[*update]);
      block_kernels::SubtractProduct(lower_[s], upper_[t], upper_[*update]);
    }
  }
}

bool BlockLu::Factorize(int first) {
  const int n = K_->node_count();
  for (int j = 0; j < first; ++j) Update(j, first);
  for (int j = first; j < n; ++j) {
    InvertBlock(pivot_[j]);
    if (!pivot_[j].allFinite()) return false;
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) {
      const Block block = lower_[s];
      block_kernels::Multiply(block, pivot_[j], lower_[s]);
    }
    Update(j, first);
  }
  return true;
}

void BlockLu::Solve(Eigen::Ref<Eigen::VectorXd> x) const {
  const int n = K_->node_count();
  double* const data = x.data();
  const auto at = [&](int position) { return block_kernels::At(data, K_->order()[position]); };
  for (int j = 0; j < n; ++j) {
    const double* const xj = at(j).data();
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) at(K_->RowOfSlot(s)) -= block_kernels::Times(lower_[s], xj);
  }
  for (int j = n - 1; j >= 0; --j) {
    BlockVector xj = at(j);
    const auto [begin, end] = K_->ColumnSlots(j);
    for (int s = begin; s < end; ++s) xj -= block_kernels::Times(upper_[s], at(K_->RowOfSlot(s)).data());
    at(j) = block_kernels::Times(pivot_[j], xj.data());
  }
}

bool DryChain::Fits(const MlcpProblem& problem, std::span<const int> nodes) {
  if (nodes.empty() || problem.complementary_count() != 3 * static_cast<int>(nodes.size())) return false;
  return std::all_of(nodes.begin(), nodes.end(), [&](int node) {
    const auto& diagonal = problem.K.Diagonal(node);
    return diagonal.row(kSpare).head<kSpare>().isZero(0) && diagonal(kSpare, kSpare) == -1;
  });
}

bool DryChain::Factorize(const MlcpProblem& problem, std::span<const int> nodes, std::span<const DryMode> modes,
                         bool again) {
  const BlockLdlt& K = problem.K;
  const auto bound_of = [&](size_t k) -> BlockLdlt::BlockVector {
    const BlockSparseVector& bound = problem.N[3 * k + 2];
    if (modes[k] == DryMode::kSticks || bound.count == 0) return BlockLdlt::BlockVector::Zero();
    return static_cast<double>(modes[k]) * bound.value[0];
  };
  const auto position_of = [&](size_t k) {
    const BlockSparseVector& row = problem.C[3 * k];
    int position = K.position(nodes[k]);
    for (int i = 0; i < row.count; ++i) position = std::min(position, K.position(row.node[i]));
    return position;
  };
  int first = again && modes_.size() == nodes.size() ? K.node_count() : 0;
  bounds_.resize(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const BlockLdlt::BlockVector bound = bound_of(k);
    if (first > 0) {
      const bool sticks = modes[k] == DryMode::kSticks, stuck = modes_[k] == DryMode::kSticks;
      if (sticks != stuck || bound != bounds_[k]) first = std::min(first, position_of(k));
    }
    bounds_[k] = bound;
  }
  nodes_.assign(nodes.begin(), nodes.end());
  modes_.assign(modes.begin(), modes.end());
  lu_.Load(K, first);
  for (size_t k = 0; k < nodes.size(); ++k) {
    const BlockSparseVector& row = problem.C[3 * k];
    const int joint = K.position(nodes[k]);
    for (int i = 0; i < row.count; ++i) {
      if (std::min(joint, K.position(row.node[i])) < first) continue;
      if (modes[k] == DryMode::kSticks) {
        lu_.At(nodes[k], row.node[i]).row(kSpare) += row.value[i].transpose();
        lu_.At(row.node[i], nodes[k]).col(kSpare) += row.value[i];
      } else {
        lu_.At(row.node[i], nodes[k]).noalias() += row.value[i] * bounds_[k].transpose();
      }
    }
    if (modes[k] == DryMode::kSticks && joint >= first) lu_.Diagonal(nodes[k])(kSpare, kSpare) = 0;
  }
  return lu_.Factorize(first);
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
