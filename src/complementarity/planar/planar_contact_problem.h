// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of planar_contact.h as all its solvers take it: data, scratch, the order of modes, and the residual that
// judges a solution.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "complementarity/lcp/lcp.h"
#include "complementarity/planar/contact_mode.h"
#include "complementarity/planar/planar_contact_modes.h"

namespace ricochet {

/// Views of the caller's data; n contacts give A 2n x 2n, b 2n, friction n.
struct PlanarContactProblem {
  Eigen::Ref<const Eigen::MatrixXd> A;         // [1/kg]
  Eigen::Ref<const Eigen::VectorXd> b;         // [m/s]
  Eigen::Ref<const Eigen::VectorXd> friction;  // mu >= 0 [-]

  int size() const { return static_cast<int>(friction.size()); }
};

/// Order in which modes are tried. For two contacts the sum of the ranks counts (stick 0, slide 1, free 2), then the
/// first contact's place. A contact without friction (mu = 0) is never said to stick.
inline constexpr std::array<ContactMode, 4> kModePreference = {ContactMode::kStick, ContactMode::kSlidePositive,
                                                               ContactMode::kSlideNegative, ContactMode::kFree};
constexpr int ModeRank(ContactMode mode) {
  return mode == ContactMode::kStick ? 0 : mode == ContactMode::kFree ? 2 : 1;
}

/// Scratch of one thread. Grows to the largest problem seen and does not allocate again.
class PlanarContactWorkspace {
 public:
  explicit PlanarContactWorkspace(int contacts = 2) { Reserve(contacts); }
  void Reserve(int contacts);

  PlanarModeWorkspace<double> modes;
  std::vector<ContactMode> candidate;
  Eigen::VectorXd c, projected, found;  // impulses: of the modes tried, in the cone, of Lemke's method
  Eigen::MatrixXd M;                    // the LCP of three and more contacts
  Eigen::VectorXd q, z;
  LemkeWorkspace lemke;
};

/// Largest violation of the conditions by c, whoever computed it; zero at a solution. Per contact, in units of
/// velocity:
///   | min(A_nn cn, wn) |   and   | ct - clamp(ct - wt / A_tt, -mu cn, mu cn) | A_tt,
/// divided by the size of the terms that make up w there, max over both rows of |b| + sum |A| |c|.
double PlanarContactResidual(const PlanarContactProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& c);

namespace planar_contact_internal {

struct ContactSize {
  double a_nn, a_tt;
  double scale;  // of the velocities
};

/// Violation by one contact, relative; w is its velocity.
inline double ContactViolation(double cn, double ct, double wn, double wt, double mu, const ContactSize& size) {
  if (size.scale == 0) return 0;
  const double limit = std::max(mu * cn, 0.0);
  const double normal = std::abs(std::min(cn * size.a_nn, wn));
  const double tangential =
      std::abs(ct * size.a_tt - std::clamp(ct * size.a_tt - wt, -limit * size.a_tt, limit * size.a_tt));
  return std::max(normal, tangential) / size.scale;
}

}  // namespace planar_contact_internal
}  // namespace ricochet
