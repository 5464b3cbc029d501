// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Linear systems of a few unknowns in plain arrays, for inner loops: no allocation, no library calls.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace ricochet {

/// Rows of an array whose size is known when it is used; S[i][k] as for a plain array.
class GrowingRows {
 public:
  /// Room for `n` rows of `n` + 1 entries.
  void Resize(int n) {
    width_ = n + 1;
    data_.resize(static_cast<std::size_t>(n) * width_);
  }
  double* operator[](int row) { return data_.data() + static_cast<std::size_t>(row) * width_; }

 private:
  std::size_t width_ = 0;
  std::vector<double> data_;
};

/// Gauss elimination with row exchanges on the n x (n + 1) array S (a plain array or GrowingRows); the solution is left
/// in the last column. False when a pivot is zero or not a number.
template <typename Rows>
bool EliminateRows(Rows& S, int n) {
  for (int j = 0; j < n; ++j) {
    int best = j;
    for (int i = j + 1; i < n; ++i)
      if (std::abs(S[i][j]) > std::abs(S[best][j])) best = i;
    if (!(std::abs(S[best][j]) > 0)) return false;
    if (best != j)
      for (int k = j; k <= n; ++k) std::swap(S[j][k], S[best][k]);
    const double inverse = 1 / S[j][j];
    for (int i = j + 1; i < n; ++i) {
      const double factor = S[i][j] * inverse;
      for (int k = j + 1; k <= n; ++k) S[i][k] -= factor * S[j][k];
    }
  }
  for (int j = n - 1; j >= 0; --j) {
    for (int k = j + 1; k < n; ++k) S[j][n] -= S[j][k] * S[k][n];
    S[j][n] /= S[j][j];
  }
  return true;
}

/// The same with every row first divided by its largest entry.
template <typename Rows>
bool EliminateScaledRows(Rows& S, int n) {
  for (int i = 0; i < n; ++i) {
    double size = 0;
    for (int k = 0; k < n; ++k) size = std::fmax(size, std::abs(S[i][k]));
    if (!(size > 0)) return false;
    for (int k = 0; k <= n; ++k) S[i][k] /= size;
  }
  return EliminateRows(S, n);
}

// Products in three dimensions, spelled out: the compiler schedules them better than the library's.

inline Eigen::Vector3d Cross3(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Eigen::Vector3d Times3(const Eigen::Matrix3d& A, const Eigen::Vector3d& x) {
  return {A(0, 0) * x[0] + A(0, 1) * x[1] + A(0, 2) * x[2], A(1, 0) * x[0] + A(1, 1) * x[1] + A(1, 2) * x[2],
          A(2, 0) * x[0] + A(2, 1) * x[1] + A(2, 2) * x[2]};
}

/// A^-1 by cofactors; false when the determinant is 0.
inline bool Invert3(const Eigen::Matrix3d& A, Eigen::Matrix3d& inverse) {
  const double c00 = A(1, 1) * A(2, 2) - A(1, 2) * A(2, 1), c01 = A(1, 2) * A(2, 0) - A(1, 0) * A(2, 2),
               c02 = A(1, 0) * A(2, 1) - A(1, 1) * A(2, 0);
  const double determinant = A(0, 0) * c00 + A(0, 1) * c01 + A(0, 2) * c02;
  if (!(std::abs(determinant) > 0)) return false;
  const double d = 1 / determinant;
  inverse << c00 * d, (A(0, 2) * A(2, 1) - A(0, 1) * A(2, 2)) * d, (A(0, 1) * A(1, 2) - A(0, 2) * A(1, 1)) * d,  //
      c01 * d, (A(0, 0) * A(2, 2) - A(0, 2) * A(2, 0)) * d, (A(0, 2) * A(1, 0) - A(0, 0) * A(1, 2)) * d,         //
      c02 * d, (A(0, 1) * A(2, 0) - A(0, 0) * A(2, 1)) * d, (A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0)) * d;
  return true;
}

}  // namespace ricochet
