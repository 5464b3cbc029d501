// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "complementarity/planar_contact_solvers.h"

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
};

ScaledPair Scale(const PlanarContactProblem& problem) {
  ScaledPair scaled;
  double scale[2];
  for (int i = 0; i < 2; ++i) {
    const double size = std::max(problem.A(2 * i, 2 * i), problem.A(2 * i + 1, 2 * i + 1));
    scale[i] = size > 0 ? 1.0 / std::sqrt(size) : 1.0;
    scaled.mu[i] = problem.friction[i];
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) scaled.A[i][j] = problem.A(i, j) * (scale[i / 2] * scale[j / 2]);
    scaled.b[i] = problem.b[i] * scale[i / 2];
  }
  return scaled;
}

// K x = y without pivoting. False if a pivot is too small to tell.
template <int k>
bool Eliminate(double (&K)[4][4], double (&y)[4]) {
  for (int p = 0; p < k; ++p) {
    if (!(std::abs(K[p][p]) > kRough)) return false;
    const double inverse = 1.0 / K[p][p];
    for (int i = p + 1; i < k; ++i) {
      const double factor = K[i][p] * inverse;
      for (int j = p + 1; j < k; ++j) K[i][j] -= factor * K[p][j];
      y[i] -= factor * y[p];
    }
    K[p][p] = inverse;
  }
  for (int i = k - 1; i >= 0; --i) {
    for (int j = i + 1; j < k; ++j) y[i] -= K[i][j] * y[j];
    y[i] *= K[i][i];
  }
  return true;
}

// False if the modes are surely not a solution.
bool MayHold(const ScaledPair& problem, const Pair& modes) {
  double K[4][4], y[4];
  int row[4], slide[4], k = 0;
  // Normal unknowns first: they are the least dependent on each other.
  for (int i = 0; i < 2; ++i) {
    if (modes[i] == ContactMode::kFree) continue;
    row[k] = 2 * i;
    slide[k++] = SlipSign(modes[i]);
  }
  for (int i = 0; i < 2; ++i) {
    if (modes[i] != ContactMode::kStick) continue;
    row[k] = 2 * i + 1;
    slide[k++] = 0;
  }
  for (int j = 0; j < k; ++j) {
    const double slip = -slide[j] * problem.mu[row[j] / 2];
    for (int i = 0; i < k; ++i) {
      K[i][j] = problem.A[row[i]][row[j]];
      if (slide[j] != 0) K[i][j] += slip * problem.A[row[i]][row[j] + 1];
    }
    y[j] = -problem.b[row[j]];
  }
  bool sure = true;
  switch (k) {
    case 1:
      sure = Eliminate<1>(K, y);
      break;
    case 2:
      sure = Eliminate<2>(K, y);
      break;
    case 3:
      sure = Eliminate<3>(K, y);
      break;
    case 4:
      // One body has three velocities: four rows are dependent, and hold only if the last one follows from the others.
      {
        double K3[4][4], y3[4];
        std::copy(&K[0][0], &K[0][0] + 16, &K3[0][0]);
        std::copy(y, y + 4, y3);
        if (!Eliminate<3>(K3, y3)) return true;
        double missing = y[3], size = std::abs(y[3]);
        for (int j = 0; j < 3; ++j) {
          missing -= K[3][j] * y3[j];
          size += std::abs(K[3][j] * y3[j]);
        }
        if (std::abs(missing) <= kRough * size) return true;
        sure = Eliminate<4>(K, y);
        // A singular system that the last row contradicts.
        if (!sure) return false;
      }
      break;
    default:
      break;
  }
  if (!sure) return true;

  double c[4] = {0, 0, 0, 0};
  for (int j = 0; j < k; ++j) {
    c[row[j]] = y[j];
    if (slide[j] != 0) c[row[j] + 1] = -slide[j] * problem.mu[row[j] / 2] * y[j];
  }
  const double size = std::max({std::abs(c[0]), std::abs(c[1]), std::abs(c[2]), std::abs(c[3])});
  for (int i = 0; i < 2; ++i) {
    if (c[2 * i] < -kRough * size) return false;
    if (modes[i] == ContactMode::kStick) {
      if (std::abs(c[2 * i + 1]) > problem.mu[i] * c[2 * i] + kRough * size) return false;
      continue;
    }
    // Normal velocity of a free contact, slip of a sliding one.
    const int r = modes[i] == ContactMode::kFree ? 2 * i : 2 * i + 1;
    double w = problem.b[r], terms = std::abs(w);
    for (int j = 0; j < 4; ++j) {
      w += problem.A[r][j] * c[j];
      terms += std::abs(problem.A[r][j] * c[j]);
    }
    if (modes[i] == ContactMode::kSlideNegative) w = -w;
    if (w < -kRough * terms) return false;
  }
  return true;
}

}  // namespace

void EnumerateTwo(const PlanarContactProblem& problem, PlanarContactWorkspace& ws, BestModes& best) {
  const ScaledPair scaled = Scale(problem);
  for (const Pair& modes : kPairs) {
    if ((modes[0] == ContactMode::kStick && scaled.mu[0] == 0) ||
        (modes[1] == ContactMode::kStick && scaled.mu[1] == 0)) {
      continue;
    }
    if (!MayHold(scaled, modes)) continue;
    ws.candidate[0] = modes[0];
    ws.candidate[1] = modes[1];
    if (best.Try()) return;
  }
  // The rough test is for speed only.
  if (!(best.residual() <= 1e-9)) EnumerateAll(problem, ws, best);
}

}  // namespace ricochet::planar_contact_internal
