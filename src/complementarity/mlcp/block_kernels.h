// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Products of 6 x 6 blocks and their vectors, written so that a column stays in registers (three packets of two). The
// same products through Eigen's expressions are taken apart into calls that are not inlined.
#pragma once

#include <Eigen/Core>

namespace ricochet::block_kernels {

inline constexpr int kBlock = 6;
using Block = Eigen::Matrix<double, kBlock, kBlock>;
using BlockVector = Eigen::Matrix<double, kBlock, 1>;

/// C := A B.
[[gnu::always_inline]] inline void Multiply(const Block& A, const Block& B, Block& C) {
  for (int j = 0; j < kBlock; ++j) {
    BlockVector sum = B(0, j) * A.col(0);
    for (int k = 1; k < kBlock; ++k) sum += B(k, j) * A.col(k);
    C.col(j) = sum;
  }
}

/// C -= A B.
[[gnu::always_inline]] inline void SubtractProduct(const Block& A, const Block& B, Block& C) {
  for (int j = 0; j < kBlock; ++j) {
    BlockVector sum = C.col(j);
    for (int k = 0; k < kBlock; ++k) sum -= B(k, j) * A.col(k);
    C.col(j) = sum;
  }
}

/// C -= A B^T.
[[gnu::always_inline]] inline void SubtractProductTransposed(const Block& A, const Block& B, Block& C) {
  for (int j = 0; j < kBlock; ++j) {
    BlockVector sum = C.col(j);
    for (int k = 0; k < kBlock; ++k) sum -= B(j, k) * A.col(k);
    C.col(j) = sum;
  }
}

/// A x. `x` and what is returned are six numbers in a row.
[[gnu::always_inline]] inline BlockVector Times(const Block& A, const double* x) {
  BlockVector sum = x[0] * A.col(0);
  for (int k = 1; k < kBlock; ++k) sum += x[k] * A.col(k);
  return sum;
}

/// A^T x.
[[gnu::always_inline]] inline BlockVector TransposedTimes(const Block& A, const double* x) {
  BlockVector sum;
  for (int k = 0; k < kBlock; ++k) {
    const double* const a = A.data() + kBlock * k;
    sum[k] = (a[0] * x[0] + a[2] * x[2] + a[4] * x[4]) + (a[1] * x[1] + a[3] * x[3] + a[5] * x[5]);
  }
  return sum;
}

[[gnu::always_inline]] inline Eigen::Map<BlockVector> At(double* x, int node) {
  return Eigen::Map<BlockVector>(x + kBlock * node);
}

}  // namespace ricochet::block_kernels
