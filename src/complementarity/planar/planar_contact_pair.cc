// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "complementarity/planar/planar_contact_solvers.h"

namespace ricochet::planar_contact_internal {
namespace {

using Pair = std::array<ContactMode, 2>;

// The 16 combinations by the sum of their ranks, then by the first contact's place in kModePreference.
constexpr std::array<Pair, 16> OrderPairs() {
  std::array<Pair, 16> pairs{};
  int count = 0;
  for (int sum = 0; sum <= 4; ++sum) {
    for (const ContactMode first : kModePreference) {
      for (const ContactMode second : kModePreference) {
        if (ModeRank(first) + ModeRank(second) == sum) pairs[count++] = {first, second};
      }
    }
  }
  return pairs;
}
constexpr std::array<Pair, 16> kPairs = OrderPairs();

// A rough solution may be wrong by this part of its terms, and its pivots must exceed it, or the exact one decides.
constexpr double kRough = 1e-7;

// The problem scaled to unit size of each contact's diagonal; the cone does not change as both rows have one factor.
struct ScaledPair {
  double A[4][4];
  double b[4];
  double mu[2];
  double weight[2];  // square of the scale: impulses in N s are scale times these
};

ScaledPair Scale(const PlanarContactProblem& problem) {
  ScaledPair scaled;
  double scale[2];
  for (int i = 0; i < 2; ++i) {
    const double size = std::max(problem.A(2 * i, 2 * i), problem.A(2 * i + 1, 2 * i + 1));
    scaled.weight[i] = size > 0 ? 1.0 / size : 1.0;
    scale[i] = std::sqrt(scaled.weight[i]);
    scaled.mu[i] = problem.friction[i];
  }
  const double factor[3] = {scale[0] * scale[0], scale[0] * scale[1], scale[1] * scale[1]};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) scaled.A[i][j] = problem.A(i, j) * factor[i / 2 + j / 2];
    scaled.b[i] = problem.b[i] * scale[i / 2];
  }
  return scaled;
}

// Eliminates in K x = y, k unknowns of k + 1 columns with y the last, without pivoting. The number of good pivots.
template <int k, int columns>
[[gnu::always_inline]] inline int Eliminate(double (&K)[4][columns]) {
  for (int p = 0; p < k; ++p) {
    if (!(std::abs(K[p][p]) > kRough)) return p;
    const double inverse = 1.0 / K[p][p];
    for (int i = p + 1; i < k; ++i) {
      const double factor = K[i][p] * inverse;
      for (int j = p + 1; j < columns; ++j) K[i][j] -= factor * K[p][j];
    }
    K[p][p] = inverse;
  }
  return k;
}

// Solves the first `rank` rows for column `column`, with pivots inverted by Eliminate.
template <int rank, int columns>
[[gnu::always_inline]] inline void Substitute(const double (&K)[4][columns], int column, double (&x)[4]) {
  for (int i = rank - 1; i >= 0; --i) {
    double sum = K[i][column];
    for (int j = i + 1; j < rank; ++j) sum -= K[i][j] * x[j];
    x[i] = sum * K[i][i];
  }
}

// False if the modes are surely not a solution.
template <ContactMode first, ContactMode second>
bool MayHold(const ScaledPair& problem) {
  constexpr Pair kModes = {first, second};
  constexpr int kUnknowns = 4 - ModeRank(first) - ModeRank(second);
  if ((first == ContactMode::kStick && problem.mu[0] == 0) || (second == ContactMode::kStick && problem.mu[1] == 0)) {
    return false;
  }

  double c[4] = {0, 0, 0, 0};
  if constexpr (kUnknowns > 0) {
    // Normal unknowns first: they depend least on each other.
    int row[4] = {}, k = 0;
    for (int i = 0; i < 2; ++i) {
      if (kModes[i] != ContactMode::kFree) row[k++] = 2 * i;
    }
    for (int i = 0; i < 2; ++i) {
      if (kModes[i] == ContactMode::kStick) row[k++] = 2 * i + 1;
    }
    double K[4][kUnknowns + 1];
    for (int i = 0; i < kUnknowns; ++i) {
      for (int j = 0; j < kUnknowns; ++j) {
        K[i][j] = problem.A[row[i]][row[j]];
        const int sign = SlipSign(kModes[row[j] / 2]);
        if (sign != 0) K[i][j] -= sign * problem.mu[row[j] / 2] * problem.A[row[i]][row[j] + 1];
      }
      K[i][kUnknowns] = -problem.b[row[i]];
    }
    double x[4] = {0, 0, 0, 0};
    const int rank = Eliminate<kUnknowns>(K);
    if (rank == kUnknowns) {
      Substitute<kUnknowns>(K, kUnknowns, x);
    } else if (kUnknowns == 4 && rank == 3) {
      // One body has three velocities: the last row must follow from the others, and the smallest impulses are taken.
      const double size =
          std::abs(problem.b[3]) + std::abs(problem.b[0]) + std::abs(problem.b[1]) + std::abs(problem.b[2]);
      if (std::abs(K[3][kUnknowns]) > std::sqrt(kRough) * size) return false;
      double null[4] = {0, 0, 0, 0};
      Substitute<3>(K, 4, x);
      Substitute<3>(K, 3, null);
      null[3] = -1;
      double along = 0, length = 0;
      for (int j = 0; j < 4; ++j) {
        const double weight = problem.weight[row[j] / 2];
        along += weight * null[j] * x[j];
        length += weight * null[j] * null[j];
      }
      for (int j = 0; j < 4; ++j) x[j] -= along / length * null[j];
    } else {
      return true;
    }
    for (int j = 0; j < kUnknowns; ++j) {
      c[row[j]] = x[j];
      const int sign = SlipSign(kModes[row[j] / 2]);
      if (sign != 0) c[row[j] + 1] = -sign * problem.mu[row[j] / 2] * x[j];
    }
  }

  const double slack = kRough * (std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) + std::abs(c[3]));
  for (int i = 0; i < 2; ++i) {
    if (c[2 * i] < -slack) return false;
    if (kModes[i] == ContactMode::kStick) {
      if (std::abs(c[2 * i + 1]) > problem.mu[i] * c[2 * i] + slack) return false;
      continue;
    }
    // Normal velocity of a free contact, slip of a sliding one.
    const int r = kModes[i] == ContactMode::kFree ? 2 * i : 2 * i + 1;
    double w = problem.b[r];
    for (int j = 0; j < 4; ++j) w += problem.A[r][j] * c[j];
    if (kModes[i] == ContactMode::kSlideNegative) w = -w;
    if (w < -(slack + kRough * std::abs(problem.b[r]))) return false;
  }
  return true;
}

using Test = bool (*)(const ScaledPair&);
template <size_t... index>
constexpr std::array<Test, 16> MakeTests(std::index_sequence<index...>) {
  return {MayHold<kPairs[index][0], kPairs[index][1]>...};
}
constexpr std::array<Test, 16> kTests = MakeTests(std::make_index_sequence<16>());

}  // namespace

void EnumerateTwo(const PlanarContactProblem& problem, PlanarContactWorkspace& ws, BestModes& best) {
  const ScaledPair scaled = Scale(problem);
  for (size_t i = 0; i < kPairs.size(); ++i) {
    if (!kTests[i](scaled)) continue;
    ws.candidate[0] = kPairs[i][0];
    ws.candidate[1] = kPairs[i][1];
    if (best.Try()) return;
  }
  // The rough test is for speed only.
  if (!(best.residual() <= kRough)) EnumerateAll(problem, ws, best);
}

}  // namespace ricochet::planar_contact_internal
