// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/planar_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

// Residual up to which the modes are accepted at once, in the order of preference; some roundings.
constexpr double kAcceptTolerance = 1e-13;

// Puts impulses that left the cone by rounding back into it.
void ProjectOnCone(const PlanarContactProblem& problem, Eigen::Ref<Eigen::VectorXd> c) {
  for (int i = 0; i < problem.size(); ++i) {
    c[2 * i] = std::max(c[2 * i], 0.0);
    const double limit = problem.friction[i] * c[2 * i];
    c[2 * i + 1] = std::clamp(c[2 * i + 1], -limit, limit);
  }
}

PlanarContactSummary Enumerate(const PlanarContactProblem& problem, PlanarContactWorkspace& ws,
                               Eigen::Ref<Eigen::VectorXd> c, std::span<ContactMode> modes,
                               const PlanarContactOptions& options) {
  const int n = problem.size();
  PlanarContactSummary best;
  best.residual = std::numeric_limits<double>::infinity();
  best.method = PlanarContactMethod::kEnumeration;
  int attempts = 0;
  // All combinations by the sum of their places in the order of preference.
  long combinations = 1;
  for (int i = 0; i < n; ++i) combinations *= 4;
  for (int sum = 0; sum <= 3 * n && best.residual > kAcceptTolerance; ++sum) {
    for (long code = 0; code < combinations; ++code) {
      long rest = code;
      int places = 0;
      bool possible = true;
      for (int i = n - 1; i >= 0; --i, rest /= 4) {
        places += static_cast<int>(rest % 4);
        ws.candidate[i] = kModePreference[rest % 4];
        possible = possible && !(problem.friction[i] == 0 && ws.candidate[i] == ContactMode::kStick);
      }
      if (places != sum || !possible) continue;
      ++attempts;
      auto x = ws.c.head(2 * n);
      const PlanarModeSolve solve = SolvePlanarModes(problem.A, problem.b, problem.friction,
                                                     std::span<const ContactMode>(ws.candidate.data(), n), ws.modes, x);
      ProjectOnCone(problem, x);
      const double residual = PlanarContactResidual(problem, x);
      if (residual < best.residual) {
        best.residual = residual;
        best.redundant = solve.singular();
        c = x;
        std::copy_n(ws.candidate.begin(), n, modes.begin());
        if (residual <= kAcceptTolerance) break;
      }
    }
  }
  best.attempts = attempts;
  if (!(best.residual <= options.tolerance)) best.termination = PlanarContactTermination::kFailed;
  return best;
}

}  // namespace

void PlanarContactWorkspace::Reserve(int contacts) {
  if (static_cast<int>(candidate.size()) >= contacts) return;
  modes.Reserve(contacts);
  candidate.resize(contacts);
  best_modes.resize(contacts);
  c.resize(2 * contacts);
  best.resize(2 * contacts);
}

PlanarContactSummary SolvePlanarContacts(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace,
                                         Eigen::Ref<Eigen::VectorXd> c, std::span<ContactMode> modes,
                                         const PlanarContactOptions& options) {
  const int n = problem.size();
  if (n == 0) return {};
  workspace.Reserve(n);
  return Enumerate(problem, workspace, c, modes, options);
}

SinglePlanarContact SolveSinglePlanarContact(const Eigen::Matrix2d& A, const Eigen::Vector2d& b, double friction) {
  PlanarContactWorkspace workspace(1);
  SinglePlanarContact contact;
  Eigen::Vector2d c;
  Eigen::Matrix<double, 1, 1> mu(friction);
  const auto summary = SolvePlanarContacts({A, b, mu}, workspace, c, {&contact.mode, 1});
  contact.cn = c[0];
  contact.ct = c[1];
  contact.solved = summary.termination == PlanarContactTermination::kSolved;
  return contact;
}

double PlanarContactResidual(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c) {
  double largest = 0;
  for (int i = 0; i < problem.size(); ++i) {
    double w[2], scale = 0;
    for (int t = 0; t < 2; ++t) {
      double sum = problem.b[2 * i + t], size = std::abs(sum);
      for (int j = 0; j < 2 * problem.size(); ++j) {
        const double term = problem.A(2 * i + t, j) * c[j];
        sum += term;
        size += std::abs(term);
      }
      w[t] = sum;
      scale = std::max(scale, size);
    }
    if (scale == 0) continue;
    const double cn = c[2 * i], ct = c[2 * i + 1];
    const double limit = std::max(problem.friction[i] * cn, 0.0);
    const double normal = std::abs(std::min(cn * problem.A(2 * i, 2 * i), w[0]));
    const double a_tt = problem.A(2 * i + 1, 2 * i + 1);
    const double tangential = std::abs(ct - std::clamp(ct - w[1] / a_tt, -limit, limit)) * a_tt;
    const double violation = std::max(normal, tangential) / scale;
    if (!(violation <= largest)) largest = violation;
  }
  return largest;
}

}  // namespace ricochet
