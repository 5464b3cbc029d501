// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/planar/planar_contact.h"

#include <algorithm>
#include <cmath>

#include "complementarity/planar/planar_contact_solvers.h"

namespace ricochet {
namespace {

using planar_contact_internal::BestModes;
using planar_contact_internal::ContactViolation;
using planar_contact_internal::kAcceptTolerance;

// Up to this number of contacts all combinations are tried if Lemke's method fails.
constexpr int kLargestEnumeration = 4;

double SingleResidual(double ann, double ant, double atn, double att, double bn, double bt, double mu, double cn,
                      double ct) {
  const double nn = ann * cn, nt = ant * ct, tn = atn * cn, tt = att * ct;
  const double scale = std::max(std::abs(bn) + std::abs(nn) + std::abs(nt), std::abs(bt) + std::abs(tn) + std::abs(tt));
  return ContactViolation(cn, ct, bn + nn + nt, bt + tn + tt, mu, {ann, att, scale});
}

// Closed form of one contact, in the order of kModePreference. Signs are allowed to be wrong by rounding.
SinglePlanarContact SolveSingle(double ann, double ant, double atn, double att, double bn, double bt, double mu) {
  SinglePlanarContact result;
  const auto finish = [&](double cn, double ct, ContactMode mode) {
    const double limit = mu * cn;
    result.cn = cn;
    result.ct = std::clamp(ct, -limit, limit);
    result.mode = mode;
    result.residual = SingleResidual(ann, ant, atn, att, bn, bt, mu, result.cn, result.ct);
  };

  // Sticking: A c = -b, corrected once for the rounding of the determinant.
  if (mu > 0) {
    const double inverse = 1.0 / (ann * att - ant * atn);
    double cn = (ant * bt - att * bn) * inverse;
    double ct = (atn * bn - ann * bt) * inverse;
    if (cn >= 0 && std::abs(ct) <= mu * cn * (1 + 1e-9)) {
      const double wn = bn + ann * cn + ant * ct, wt = bt + atn * cn + att * ct;
      cn += (ant * wt - att * wn) * inverse;
      ct += (atn * wn - ann * wt) * inverse;
      const double limit = mu * cn;
      if (cn >= 0 &&
          (std::abs(ct) - limit) * att <= kAcceptTolerance * (std::abs(bt) + std::abs(atn) * cn + att * limit)) {
        finish(cn, ct, ContactMode::kStick);
        return result;
      }
    }
  }

  // Sliding: wn = 0 with ct = -s mu cn, and s wt >= 0.
  for (const double s : {1.0, -1.0}) {
    const double effective = ann - s * mu * ant;
    const double cn = -bn / effective;
    if (!(cn >= 0) || std::isinf(cn)) continue;
    const double ct = -s * mu * cn;
    const double wt = bt + atn * cn + att * ct;
    if (s * wt < -kAcceptTolerance * (std::abs(bt) + std::abs(atn) * cn + att * std::abs(ct))) continue;
    finish(cn, ct, s > 0 ? ContactMode::kSlidePositive : ContactMode::kSlideNegative);
    return result;
  }

  // Separation; if even that is wrong, c = 0 is reported with its residual.
  finish(0, 0, ContactMode::kFree);
  return result;
}

// True if no impulse at all is a solution and no other solution has other velocities. With A = J M^-1 J' any solution
// has c'A c = c'(w - b) <= -sum (b_n - mu |b_t|) cn, as c'w = -sum mu cn |wt| <= 0: for b_n >= mu |b_t| hence A c = 0.
bool AllSeparate(const PlanarContactProblem& problem) {
  const int rows = 2 * problem.size();
  for (int i = 0; i < rows; i += 2) {
    if (!(problem.b[i] > problem.friction[i / 2] * std::abs(problem.b[i + 1]))) return false;
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < i; ++j) {
      if (problem.A(i, j) != problem.A(j, i)) return false;
    }
  }
  return true;
}

}  // namespace

PlanarContactSummary SolvePlanarContacts(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace,
                                         Eigen::Ref<Eigen::VectorXd> c, std::span<ContactMode> modes,
                                         const PlanarContactOptions& options) {
  using planar_contact_internal::EnumerateAll;
  const int n = problem.size();
  PlanarContactSummary summary;
  if (n == 0) return summary;
  workspace.Reserve(n);

  if (n == 1) {
    const SinglePlanarContact single = SolveSingle(problem.A(0, 0), problem.A(0, 1), problem.A(1, 0), problem.A(1, 1),
                                                   problem.b[0], problem.b[1], problem.friction[0]);
    if (single.residual <= kAcceptTolerance) {
      c[0] = single.cn;
      c[1] = single.ct;
      modes[0] = single.mode;
      summary.method = PlanarContactMethod::kClosedForm;
      summary.residual = single.residual;
      summary.attempts = 1;
      return summary;
    }
  }

  if (AllSeparate(problem)) {
    c.setZero();
    std::fill(modes.begin(), modes.end(), ContactMode::kFree);
    summary.method = PlanarContactMethod::kClosedForm;
    return summary;
  }

  BestModes best(problem, workspace, c, modes);
  int pivots = 0;
  if (n <= 2) {
    summary.method = PlanarContactMethod::kEnumeration;
    n == 2 ? EnumerateTwo(problem, workspace, best) : EnumerateAll(problem, workspace, best);
  } else {
    summary.method = PlanarContactMethod::kLemke;
    pivots = SolveByLemke(problem, workspace, best);
    if (!(best.residual() <= options.tolerance) && n <= kLargestEnumeration) {
      summary.method = PlanarContactMethod::kEnumeration;
      EnumerateAll(problem, workspace, best);
    }
  }
  summary.residual = best.residual();
  summary.redundant = best.redundant();
  summary.attempts = pivots + best.attempts();
  if (!(summary.residual <= options.tolerance)) summary.termination = PlanarContactTermination::kFailed;
  return summary;
}

SinglePlanarContact SolveSinglePlanarContact(const Eigen::Matrix2d& A, const Eigen::Vector2d& b, double friction) {
  return SolveSingle(A(0, 0), A(0, 1), A(1, 0), A(1, 1), b[0], b[1], friction);
}

}  // namespace ricochet
