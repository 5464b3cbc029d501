// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/block_matrix.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ricochet {
namespace {

using Block = BlockMatrix::Block;

/// PA = LU in place, LAPACK's layout.
bool FactorBlock(Block& A, Eigen::Matrix<int, 6, 1>& pivots) {
  for (int j = 0; j < 6; ++j) {
    int best = j;
    for (int i = j + 1; i < 6; ++i)
      if (std::abs(A(i, j)) > std::abs(A(best, j))) best = i;
    pivots[j] = best;
    if (!(std::abs(A(best, j)) > 0)) return false;
    if (best != j) A.row(j).swap(A.row(best));
    const double inverse = 1 / A(j, j);
    for (int i = j + 1; i < 6; ++i) A(i, j) *= inverse;
    for (int c = j + 1; c < 6; ++c)
      for (int i = j + 1; i < 6; ++i) A(i, c) -= A(i, j) * A(j, c);
  }
  return true;
}

template <class Derived>
void SolveBlock(const Block& LU, const Eigen::Matrix<int, 6, 1>& pivots, Eigen::MatrixBase<Derived>& X) {
  for (int j = 0; j < 6; ++j)
    if (pivots[j] != j) X.row(j).swap(X.row(pivots[j]));
  for (int c = 0; c < X.cols(); ++c) {
    for (int j = 0; j < 6; ++j)
      for (int i = j + 1; i < 6; ++i) X(i, c) -= LU(i, j) * X(j, c);
    for (int j = 5; j >= 0; --j) {
      X(j, c) /= LU(j, j);
      for (int i = 0; i < j; ++i) X(i, c) -= LU(i, j) * X(j, c);
    }
  }
}

}  // namespace

void BlockMatrix::Analyze(int rows, std::span<const std::pair<int, int>> pairs) {
  rows_ = rows;
  adjacency_.resize(rows);
  later_.resize(rows);
  for (int i = 0; i < rows; ++i) {
    adjacency_[i].clear();
    later_[i].clear();
  }
  for (const auto& [i, j] : pairs) {
    adjacency_[i].push_back(j);
    adjacency_[j].push_back(i);
  }
  for (std::vector<int>& list : adjacency_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  eliminated_.assign(rows, 0);
  order_.clear();
  int next_block = rows;
  for (int step = 0; step < rows; ++step) {
    // The row with the fewest neighbors left; the first of equals.
    int best = -1;
    for (int i = 0; i < rows; ++i)
      if (!eliminated_[i] && (best < 0 || adjacency_[i].size() < adjacency_[best].size())) best = i;
    eliminated_[best] = 1;
    order_.push_back(best);
    for (int neighbor : adjacency_[best]) {
      later_[best].push_back({neighbor, next_block, next_block + 1});
      next_block += 2;
      std::vector<int>& list = adjacency_[neighbor];
      list.erase(std::lower_bound(list.begin(), list.end(), best));
    }
    // Fill: neighbors of the row become neighbors of each other.
    for (int a : adjacency_[best])
      for (int b : adjacency_[best]) {
        if (a == b) continue;
        std::vector<int>& list = adjacency_[a];
        const auto place = std::lower_bound(list.begin(), list.end(), b);
        if (place == list.end() || *place != b) list.insert(place, b);
      }
  }
  position_.resize(rows);
  for (int k = 0; k < rows; ++k) position_[order_[k]] = k;
  blocks_.resize(next_block);
  pivots_.resize(rows);
}

void BlockMatrix::SetIdentity() {
  for (int i = 0; i < rows_; ++i) blocks_[i].setIdentity();
  for (std::size_t k = rows_; k < blocks_.size(); ++k) blocks_[k].setZero();
}

BlockMatrix::Block& BlockMatrix::At(int i, int j) {
  if (i == j) return blocks_[i];
  const bool upper = position_[i] < position_[j];
  const int first = upper ? i : j, second = upper ? j : i;
  for (const Neighbor& n : later_[first])
    if (n.row == second) return blocks_[upper ? n.upper : n.lower];
  assert(false && "block outside the pattern");
  return blocks_[i];
}

bool BlockMatrix::Factor() {
  for (int row : order_) {
    if (!FactorBlock(blocks_[row], pivots_[row])) return false;
    // U(row, c) <- D^-1 A(row, c); A(a, c) -= A(a, row) U(row, c).
    for (const Neighbor& c : later_[row]) SolveBlock(blocks_[row], pivots_[row], blocks_[c.upper]);
    for (const Neighbor& a : later_[row])
      for (const Neighbor& c : later_[row]) At(a.row, c.row).noalias() -= blocks_[a.lower] * blocks_[c.upper];
  }
  return true;
}

void BlockMatrix::Solve(std::span<Vector6d> x) const {
  for (int row : order_) {
    SolveBlock(blocks_[row], pivots_[row], x[row]);
    for (const Neighbor& a : later_[row]) x[a.row].noalias() -= blocks_[a.lower] * x[row];
  }
  for (int k = rows_ - 1; k >= 0; --k) {
    const int row = order_[k];
    for (const Neighbor& c : later_[row]) x[row].noalias() -= blocks_[c.upper] * x[c.row];
  }
}

}  // namespace ricochet
