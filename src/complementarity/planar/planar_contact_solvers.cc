// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/planar/planar_contact_solvers.h"

#include <algorithm>
#include <cmath>

namespace ricochet::planar_contact_internal {
namespace {

// Velocities below this part of their terms count as zero when modes are read off Lemke's solution.
constexpr double kZeroVelocity = 1e-10;

// Impulses that left the cone by rounding are put back into it.
void ProjectOnCone(const Eigen::Ref<const Eigen::VectorXd>& friction, Eigen::Ref<Eigen::VectorXd> c) {
  for (int i = 0; i < friction.size(); ++i) {
    c[2 * i] = std::max(c[2 * i], 0.0);
    const double limit = friction[i] * c[2 * i];
    c[2 * i + 1] = std::clamp(c[2 * i + 1], -limit, limit);
  }
}

struct Velocity {
  double value, size;
};

Velocity ContactVelocity(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c, int row) {
  Velocity w{problem.b[row], std::abs(problem.b[row])};
  for (int j = 0; j < c.size(); ++j) {
    const double term = problem.A(row, j) * c[j];
    w.value += term;
    w.size += std::abs(term);
  }
  return w;
}

// Largest violation of what the modes say, relative to the velocities of each contact. A mode may not hold although the
// impulses put back into the cone are a solution: pulling becomes no impulse at all.
double ModeViolation(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c,
                     std::span<const ContactMode> modes) {
  double largest = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const Velocity wn = ContactVelocity(problem, c, 2 * i), wt = ContactVelocity(problem, c, 2 * i + 1);
    const double scale = std::max(wn.size, wt.size);
    if (scale == 0) continue;
    const double cn = c[2 * i], ct = c[2 * i + 1];
    double violation;
    if (modes[i] == ContactMode::kFree) {
      violation = -wn.value;
    } else {
      violation = std::max(std::abs(wn.value), -cn * problem.A(2 * i, 2 * i));
      if (modes[i] == ContactMode::kStick) {
        const double excess = std::abs(ct) - problem.friction[i] * cn;
        violation = std::max({violation, std::abs(wt.value), excess * problem.A(2 * i + 1, 2 * i + 1)});
      } else {
        violation = std::max(violation, -SlipSign(modes[i]) * wt.value);
      }
    }
    if (!(violation <= largest * scale)) largest = violation / scale;
  }
  return largest;
}

// All contacts that the velocities at c allow to be closed are closed, all that do not slip stick.
void ModesFromVelocities(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c,
                         std::span<ContactMode> modes) {
  for (int i = 0; i < problem.size(); ++i) {
    const Velocity wn = ContactVelocity(problem, c, 2 * i), wt = ContactVelocity(problem, c, 2 * i + 1);
    const double scale = std::max(wn.size, wt.size);
    if (wn.value > kZeroVelocity * scale) {
      modes[i] = ContactMode::kFree;
    } else if (std::abs(wt.value) <= kZeroVelocity * scale && problem.friction[i] > 0) {
      modes[i] = ContactMode::kStick;
    } else {
      modes[i] = wt.value < 0 ? ContactMode::kSlideNegative : ContactMode::kSlidePositive;
    }
  }
}

// The modes that the impulses themselves show.
void ModesFromImpulses(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c,
                       std::span<ContactMode> modes) {
  for (int i = 0; i < problem.size(); ++i) {
    const double cn = c[2 * i], ct = c[2 * i + 1], limit = problem.friction[i] * cn;
    if (cn <= 0) {
      modes[i] = ContactMode::kFree;
    } else if (std::abs(ct) < limit * (1 - kZeroVelocity)) {
      modes[i] = ContactMode::kStick;
    } else if (limit > 0) {
      modes[i] = ct > 0 ? ContactMode::kSlideNegative : ContactMode::kSlidePositive;
    } else {
      const double wt = ContactVelocity(problem, c, 2 * i + 1).value;
      modes[i] = wt < 0 ? ContactMode::kSlideNegative : ContactMode::kSlidePositive;
    }
  }
}

// Opens the contact that pulls most, or else lets that slide whose friction is farthest outside the cone. False if
// there is neither.
bool DropWorst(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c,
               std::span<ContactMode> modes) {
  int pulls = -1, slips = -1;
  double most_pull = 0, most_slip = 0;
  for (int i = 0; i < problem.size(); ++i) {
    const double cn = c[2 * i], ct = c[2 * i + 1];
    if (modes[i] == ContactMode::kFree) continue;
    if (cn < most_pull) most_pull = cn, pulls = i;
    if (modes[i] != ContactMode::kStick) continue;
    const double excess = std::abs(ct) - problem.friction[i] * cn;
    if (excess > most_slip) most_slip = excess, slips = i;
  }
  if (pulls >= 0) {
    modes[pulls] = ContactMode::kFree;
  } else if (slips >= 0) {
    modes[slips] = c[2 * slips + 1] > 0 ? ContactMode::kSlideNegative : ContactMode::kSlidePositive;
  } else {
    return false;
  }
  return true;
}

// The standard LCP (Fazeli eq. 8; Stewart and Trinkle): z = (cn, c+, c-, lambda) with ct = c+ - c-,
//   w = (wn, wt + lambda, -wt + lambda, mu cn - c+ - c-),
// in units in which the largest entries of diag(A) and b are one, so that the same pivots are taken in all units.
// Returns the unit of impulses.
double FillLcp(const PlanarContactProblem& problem, Eigen::Ref<Eigen::MatrixXd> M, Eigen::Ref<Eigen::VectorXd> q) {
  const int n = problem.size();
  const double largest_a = problem.A.diagonal().maxCoeff(), largest_b = problem.b.lpNorm<Eigen::Infinity>();
  const double unit_a = largest_a > 0 ? largest_a : 1, unit_b = largest_b > 0 ? largest_b : 1;
  M.setZero();
  q.setZero();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double nn = problem.A(2 * i, 2 * j) / unit_a, nt = problem.A(2 * i, 2 * j + 1) / unit_a;
      const double tn = problem.A(2 * i + 1, 2 * j) / unit_a, tt = problem.A(2 * i + 1, 2 * j + 1) / unit_a;
      M(i, j) = nn;
      M(i, n + j) = nt;
      M(i, 2 * n + j) = -nt;
      M(n + i, j) = tn;
      M(n + i, n + j) = tt;
      M(n + i, 2 * n + j) = -tt;
      M(2 * n + i, j) = -tn;
      M(2 * n + i, n + j) = -tt;
      M(2 * n + i, 2 * n + j) = tt;
    }
    M(n + i, 3 * n + i) = 1;
    M(2 * n + i, 3 * n + i) = 1;
    M(3 * n + i, i) = problem.friction[i];
    M(3 * n + i, n + i) = -1;
    M(3 * n + i, 2 * n + i) = -1;
    q[i] = problem.b[2 * i] / unit_b;
    q[n + i] = problem.b[2 * i + 1] / unit_b;
    q[2 * n + i] = -problem.b[2 * i + 1] / unit_b;
  }
  return unit_b / unit_a;
}

}  // namespace

bool BestModes::Try() {
  const int n = problem_.size();
  const std::span<const ContactMode> candidate(ws_.candidate.data(), n);
  auto x = ws_.c.head(2 * n);
  const PlanarModeSolve solve = SolvePlanarModes(problem_.A, problem_.b, problem_.friction, candidate, ws_.modes, x);
  ++attempts_;
  const double violation = ModeViolation(problem_, x, candidate);
  if (!(violation < score_)) return false;

  auto projected = ws_.projected.head(2 * n);
  projected = x;
  ProjectOnCone(problem_.friction, projected);
  const double residual = PlanarContactResidual(problem_, projected);
  const double score = std::max(residual, violation);
  if (!(score < score_)) return false;
  score_ = score;
  residual_ = residual;
  redundant_ = solve.singular();
  c_ = projected;
  std::copy(candidate.begin(), candidate.end(), modes_.begin());
  return score <= kAcceptTolerance;
}

void BestModes::Offer(const Eigen::Ref<const Eigen::VectorXd>& c) {
  auto projected = ws_.projected.head(2 * problem_.size());
  projected = c;
  ProjectOnCone(problem_.friction, projected);
  const double residual = PlanarContactResidual(problem_, projected);
  if (!(residual < score_)) return;
  score_ = residual_ = residual;
  redundant_ = false;
  c_ = projected;
  ModesFromImpulses(problem_, c_, modes_);
}

void EnumerateAll(const PlanarContactProblem& problem, PlanarContactWorkspace& ws, BestModes& best) {
  const int n = problem.size();
  const int combinations = 1 << (2 * n);
  for (int sum = 0; sum <= 2 * n; ++sum) {
    for (int code = 0; code < combinations; ++code) {
      int rank = 0;
      bool possible = true;
      for (int i = 0; i < n; ++i) {
        const ContactMode mode = kModePreference[(code >> 2 * (n - 1 - i)) & 3];
        ws.candidate[i] = mode;
        rank += ModeRank(mode);
        if (mode == ContactMode::kStick && problem.friction[i] == 0) possible = false;
      }
      if (rank == sum && possible && best.Try()) return;
    }
  }
}

int SolveByLemke(const PlanarContactProblem& problem, PlanarContactWorkspace& ws, BestModes& best) {
  const int n = problem.size();
  auto M = ws.M.topLeftCorner(4 * n, 4 * n);
  auto q = ws.q.head(4 * n);
  auto z = ws.z.head(4 * n);
  const double unit = FillLcp(problem, M, q);
  const LemkeSummary lemke = SolveLemke(M, q, ws.lemke, z);
  auto found = ws.found.head(2 * n);
  for (int i = 0; i < n; ++i) {
    found[2 * i] = z[i] * unit;
    found[2 * i + 1] = (z[n + i] - z[2 * n + i]) * unit;
  }

  // Lemke's solution is a vertex: of redundant contacts it loads as few as it can. Close all that may be closed, spread
  // the load, and drop again those that would pull.
  const std::span<ContactMode> candidate(ws.candidate.data(), n);
  ModesFromVelocities(problem, found, candidate);
  for (int round = 0; round <= 2 * n; ++round) {
    if (best.Try()) return lemke.pivots;
    if (!DropWorst(problem, ws.c.head(2 * n), candidate)) break;
  }
  ModesFromImpulses(problem, found, candidate);
  if (!best.Try()) best.Offer(found);
  return lemke.pivots;
}

}  // namespace ricochet::planar_contact_internal
