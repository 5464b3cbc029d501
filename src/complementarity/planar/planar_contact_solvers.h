// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of SolvePlanarContacts (planar_contact.h), one per way to find the modes. All of them judge a choice of
// modes the same way: solve its linear system, put the impulses back into the cone, compute the residual of the
// problem.
#pragma once

#include <limits>
#include <span>

#include "complementarity/planar/planar_contact_problem.h"

namespace ricochet::planar_contact_internal {

/// Modes with a residual of some roundings are accepted at once, in the order in which they are tried.
inline constexpr double kAcceptTolerance = 1e-13;

/// Keeps the best choice of modes met. Writes to the caller's c and modes.
class BestModes {
 public:
  BestModes(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace, Eigen::Ref<Eigen::VectorXd> c,
            std::span<ContactMode> modes)
      : problem_(problem), ws_(workspace), c_(c), modes_(modes) {}

  /// Tries ws.candidate; leaves its unprojected impulses in ws.c. True if it can be accepted.
  bool Try();
  /// Takes impulses found otherwise if they are better, with modes read off them.
  void Offer(const Eigen::Ref<const Eigen::VectorXd>& c);

  double residual() const { return residual_; }
  bool redundant() const { return redundant_; }
  int attempts() const { return attempts_; }

 private:
  const PlanarContactProblem& problem_;
  PlanarContactWorkspace& ws_;
  Eigen::Ref<Eigen::VectorXd> c_;
  std::span<ContactMode> modes_;
  double score_ = std::numeric_limits<double>::infinity();  // the larger of residual and violation of the modes
  double residual_ = std::numeric_limits<double>::infinity();
  bool redundant_ = false;
  int attempts_ = 0;
};

/// Two contacts: all 16 combinations in the order of preference. A rough solution without pivoting throws most of them
/// out; the others are tried exactly.
void EnumerateTwo(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace, BestModes& best);

/// Any number of contacts, 4^n combinations.
void EnumerateAll(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace, BestModes& best);

/// Lemke's method, then the active set that its velocities show. Returns the number of pivots.
int SolveByLemke(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace, BestModes& best);

}  // namespace ricochet::planar_contact_internal
