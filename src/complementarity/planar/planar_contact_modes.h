// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impulses of a planar contact problem (planar_contact.h) whose modes are known: a linear system, and with Jets its
// derivative.
//
// Unknowns x: cn of every contact that is not free, and ct of every one that sticks; ct = -s mu cn where it slides with
// sign s; so c = G x. Equations: wn = 0 of every contact that is not free, wt = 0 of every one that sticks: K x = -r
// with K the chosen rows of A G, r those of b. Solved by elimination with full pivoting, decided on values, so that
// Jets take the same pivots. Solving in Jets is implicit differentiation at a fixed active set.
//
// Singular K of rank p (redundant contacts): p independent rows are kept (the others are combinations of them at a
// solution: check the residual), and of all x that satisfy them the one with the smallest |c| is taken,
//
//   rows kept, columns permuted:  U1 x1 + U2 x2 = y,   W = U1^-1 U2,   x1 = U1^-1 y - W x2,
//   (Q2 + W' Q1 W) x2 = W' Q1 U1^-1 y,                 Q = G' G, diagonal.
//
// The kept rows hold exactly to first order too, so derivatives of the velocities are right whatever impulses are
// chosen, as long as the dropped rows stay combinations of the kept ones.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "complementarity/planar/contact_mode.h"
#include "math/jet.h"

namespace ricochet {

/// A pivot below this fraction of the largest counts as zero (rows and columns are scaled to unit diagonal first).
inline constexpr double kModeRankTolerance = 1e-12;

/// A power of two near 1 / sqrt(x); 1 for x = 0.
inline double InverseRootPowerOfTwo(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return std::ldexp(1.0, -(exponent >> 1));
}

/// Scratch of SolvePlanarModes; grows to the largest problem seen.
template <class T>
struct PlanarModeWorkspace {
  std::vector<T> K, y, x, W, S;
  std::vector<T> slip;        // per unknown: ct / cn of a sliding contact, else 0
  std::vector<double> scale;  // per unknown
  std::vector<int> row, contact, column;

  void Reserve(int contacts) {
    const size_t k = 2 * static_cast<size_t>(contacts);
    if (y.size() >= k) return;
    for (auto* m : {&K, &W, &S}) m->resize(k * k);
    for (auto* v : {&y, &x, &slip}) v->resize(k);
    scale.resize(k);
    for (auto* v : {&row, &contact, &column}) v->resize(k);
  }
};

struct PlanarModeSolve {
  int unknowns = 0;
  int rank = 0;
  bool singular() const { return rank < unknowns; }
};

namespace mode_internal {

// Solves ws.K x = ws.y of size k (kFixed if that is not Dynamic) into ws.x, whose order is ws.column; the smallest |c|
// if K is singular. Returns the rank.
template <class T, int kFixed>
int SolveSystem(int dynamic_k, PlanarModeWorkspace<T>& ws) {
  const int k = kFixed == Eigen::Dynamic ? dynamic_k : kFixed;
  T* const K = ws.K.data();
  // Forward elimination with full pivoting.
  int rank = 0;
  double largest = 0;
  for (; rank < k; ++rank) {
    int pivot_row = rank, pivot_column = rank;
    double pivot = 0;
    for (int i = rank; i < k; ++i) {
      for (int j = rank; j < k; ++j) {
        const double size = std::abs(ValueOf(K[i * k + j]));
        if (size > pivot) pivot = size, pivot_row = i, pivot_column = j;
      }
    }
    if (rank == 0) largest = pivot;
    if (!(pivot > kModeRankTolerance * largest)) break;
    if (pivot_row != rank) {
      for (int j = 0; j < k; ++j) std::swap(K[rank * k + j], K[pivot_row * k + j]);
      std::swap(ws.y[rank], ws.y[pivot_row]);
    }
    if (pivot_column != rank) {
      for (int i = 0; i < k; ++i) std::swap(K[i * k + rank], K[i * k + pivot_column]);
      std::swap(ws.column[rank], ws.column[pivot_column]);
    }
    for (int i = rank + 1; i < k; ++i) {
      const T factor = K[i * k + rank] / K[rank * k + rank];
      for (int j = rank + 1; j < k; ++j) K[i * k + j] -= factor * K[rank * k + j];
      ws.y[i] -= factor * ws.y[rank];
    }
  }

  // Basic solution: x1 = U1^-1 y, and W = U1^-1 U2.
  const int rest = k - rank;
  for (int column = -1; column < rest; ++column) {
    for (int i = rank - 1; i >= 0; --i) {
      T sum = column < 0 ? ws.y[i] : K[i * k + rank + column];
      for (int j = i + 1; j < rank; ++j) sum -= K[i * k + j] * (column < 0 ? ws.x[j] : ws.W[j * rest + column]);
      (column < 0 ? ws.x[i] : ws.W[i * rest + column]) = sum / K[i * k + i];
    }
  }

  // Smallest |c|: (Q2 + W' Q1 W) x2 = W' Q1 x1, positive definite, by elimination without pivoting.
  if (rest > 0) {
    const auto weight = [&ws](int place) {
      const int j = ws.column[place];
      return (ws.slip[j] * ws.slip[j] + 1.0) * (ws.scale[j] * ws.scale[j]);
    };
    for (int p = 0; p < rest; ++p) {
      for (int q = 0; q < rest; ++q) {
        T sum = p == q ? weight(rank + p) : T(0);
        for (int i = 0; i < rank; ++i) sum += ws.W[i * rest + p] * weight(i) * ws.W[i * rest + q];
        ws.S[p * rest + q] = sum;
      }
      T sum(0);
      for (int i = 0; i < rank; ++i) sum += ws.W[i * rest + p] * weight(i) * ws.x[i];
      ws.x[rank + p] = sum;
    }
    for (int p = 0; p < rest; ++p) {
      for (int i = p + 1; i < rest; ++i) {
        const T factor = ws.S[i * rest + p] / ws.S[p * rest + p];
        for (int j = p + 1; j < rest; ++j) ws.S[i * rest + j] -= factor * ws.S[p * rest + j];
        ws.x[rank + i] -= factor * ws.x[rank + p];
      }
    }
    for (int p = rest - 1; p >= 0; --p) {
      for (int j = p + 1; j < rest; ++j) ws.x[rank + p] -= ws.S[p * rest + j] * ws.x[rank + j];
      ws.x[rank + p] /= ws.S[p * rest + p];
    }
    for (int i = 0; i < rank; ++i) {
      for (int p = 0; p < rest; ++p) ws.x[i] -= ws.W[i * rest + p] * ws.x[rank + p];
    }
  }
  return rank;
}

}  // namespace mode_internal

/// c (size 2n, written in full) for given modes. `A`, `b`, `friction` are matrices of T, or of double when T is a Jet.
template <class T, class MatrixA, class VectorB, class VectorMu, class VectorC>
PlanarModeSolve SolvePlanarModes(const Eigen::MatrixBase<MatrixA>& A, const Eigen::MatrixBase<VectorB>& b,
                                 const Eigen::MatrixBase<VectorMu>& friction, std::span<const ContactMode> modes,
                                 PlanarModeWorkspace<T>& ws, Eigen::MatrixBase<VectorC>& c) {
  const int n = static_cast<int>(modes.size());
  ws.Reserve(n);
  using std::abs;

  // List the unknowns; an unknown and its equation share their number. Scales are powers of two: no rounding.
  int k = 0;
  for (int i = 0; i < n; ++i) {
    c.derived()[2 * i] = T(0);
    c.derived()[2 * i + 1] = T(0);
    if (modes[i] == ContactMode::kFree) continue;
    const double size = std::max(std::abs(ValueOf(A(2 * i, 2 * i))), std::abs(ValueOf(A(2 * i + 1, 2 * i + 1))));
    const double scale = InverseRootPowerOfTwo(size);
    const int sign = SlipSign(modes[i]);
    for (int t = 0; t < (sign == 0 ? 2 : 1); ++t, ++k) {
      ws.row[k] = 2 * i + t;
      ws.contact[k] = i;
      ws.scale[k] = scale;
      ws.slip[k] = sign == 0 ? T(0) : T(-sign * friction[i]);
    }
  }

  // K = R A G and y = -R b, scaled from both sides.
  T* const K = ws.K.data();
  for (int i = 0; i < k; ++i) {
    for (int j = 0; j < k; ++j) {
      const int column = ws.row[j];
      T entry = A(ws.row[i], column);
      if (SlipSign(modes[ws.contact[j]]) != 0) entry += A(ws.row[i], column + 1) * ws.slip[j];
      K[i * k + j] = entry * (ws.scale[i] * ws.scale[j]);
    }
    ws.y[i] = -b[ws.row[i]] * ws.scale[i];
    ws.column[i] = i;
  }

  // K x = y. Small systems have loops of fixed length.
  int rank = 0;
  if constexpr (std::is_same_v<T, double>) {
    rank = k == 1   ? mode_internal::SolveSystem<T, 1>(k, ws)
           : k == 2 ? mode_internal::SolveSystem<T, 2>(k, ws)
           : k == 3 ? mode_internal::SolveSystem<T, 3>(k, ws)
           : k == 4 ? mode_internal::SolveSystem<T, 4>(k, ws)
                    : mode_internal::SolveSystem<T, Eigen::Dynamic>(k, ws);
  } else {
    rank = mode_internal::SolveSystem<T, Eigen::Dynamic>(k, ws);
  }

  // c = G x.
  for (int place = 0; place < k; ++place) {
    const int j = ws.column[place];
    const T value = ws.x[place] * ws.scale[j];
    c.derived()[ws.row[j]] = value;
    if (SlipSign(modes[ws.contact[j]]) != 0) c.derived()[ws.row[j] + 1] = ws.slip[j] * value;
  }
  return {k, rank};
}

}  // namespace ricochet
