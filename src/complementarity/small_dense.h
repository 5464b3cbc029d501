// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Linear systems of a few unknowns in plain arrays, for inner loops: no allocation, no library calls.
#pragma once

#include <cmath>
#include <utility>

namespace ricochet {

/// Gauss elimination with row exchanges on the n x (n + 1) array S; the solution is left in the last column. False when
/// a pivot is zero or not a number.
template <int Width>
bool EliminateRows(double (*S)[Width], int n) {
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
template <int Width>
bool EliminateScaledRows(double (*S)[Width], int n) {
  for (int i = 0; i < n; ++i) {
    double size = 0;
    for (int k = 0; k < n; ++k) size = std::fmax(size, std::abs(S[i][k]));
    if (!(size > 0)) return false;
    for (int k = 0; k <= n; ++k) S[i][k] /= size;
  }
  return EliminateRows<Width>(S, n);
}

}  // namespace ricochet
