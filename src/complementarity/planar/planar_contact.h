// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact in the plane: n contacts, each with a normal impulse cn and a tangential impulse ct.
//
//   w = A c + b,   c = (cn_1, ct_1, cn_2, ct_2, ...),   w = (wn_1, wt_1, wn_2, wt_2, ...)
//
//   0 <= cn_i  _|_  wn_i >= 0                                   unilateral
//   |ct_i| <= mu_i cn_i,  and wt_i > 0 => ct_i = -mu_i cn_i,    Coulomb
//                             wt_i < 0 => ct_i = +mu_i cn_i
//
// A is the Delassus matrix J M^-1 J' (rows and columns n_1, t_1, n_2, t_2, ...), b the contact velocity without contact
// impulses plus a bias. With the bias e vn- on normal rows, wn = vn+ + e vn- and this is Newton's restitution
// (Gabiccini eq. 4, 16-20; Fazeli eq. 8); with gap / h it is a gap at the end of the step (igc). A need not be
// symmetric: igc takes its normal rows and columns at different poses. In the plane the two-sided friction interval is
// Coulomb's cone itself, not an approximation of it.
//
// Several solutions. For positive definite A there is always one. With large friction (A_nn < mu |A_nt|: Painleve)
// there may be more; then the first in the order of kModePreference is taken: sticking, sliding, separation. More than
// two contacts are solved by Lemke's method, which finds one solution and does not know this order.
//
// Redundant contacts. A planar body has three velocities, so two sticking contacts (four rows) make A singular. The
// velocities are unique then, the impulses are not: those with the smallest sum of squares among all that keep the
// modes are taken (for a rectangle lying flat: equal friction on both vertices). If these leave the friction cone or
// pull, other modes with the same velocities are used, so a contact may be reported as sliding with zero slip.
//
// No solution. A singular A with restitution or moving surfaces can require the impossible (a body wedged between
// surfaces that close on it). Then the summary says kFailed and c is the best point met.
//
// Bodies that do not touch each other are independent problems: solve them one by one.
#pragma once

#include <Eigen/Core>
#include <span>

#include "complementarity/planar/planar_contact_problem.h"

namespace ricochet {

struct PlanarContactOptions {
  double tolerance = 1e-9;  // relative residual up to which a point counts as a solution
};

enum class PlanarContactTermination {
  kSolved,
  kFailed,  // no point with a residual below the tolerance was found; c is the best one met
};

enum class PlanarContactMethod {
  kNone,         // no contacts
  kClosedForm,   // one contact, or contacts that all separate
  kEnumeration,  // two contacts
  kLemke,        // pivoting, then the linear system of the active set
};

struct PlanarContactSummary {
  PlanarContactTermination termination = PlanarContactTermination::kSolved;
  PlanarContactMethod method = PlanarContactMethod::kNone;
  double residual = 0;     // PlanarContactResidual of the impulses returned
  int attempts = 0;        // mode combinations tried, or pivots
  bool redundant = false;  // the active set is singular: impulses are the smallest of many, velocities are unique
};

/// Impulses c (size 2n) and modes (size n). Ends always; allocates only while the workspace grows.
PlanarContactSummary SolvePlanarContacts(const PlanarContactProblem& problem, PlanarContactWorkspace& workspace,
                                         Eigen::Ref<Eigen::VectorXd> c, std::span<ContactMode> modes,
                                         const PlanarContactOptions& options = {});

struct SinglePlanarContact {
  double cn = 0, ct = 0;  // [N s]
  ContactMode mode = ContactMode::kFree;
  double residual = 0;  // PlanarContactResidual of (cn, ct); above some roundings only if A is close to singular
};

/// One contact in closed form, for the inner loop. `A` rows and columns n, t.
SinglePlanarContact SolveSinglePlanarContact(const Eigen::Matrix2d& A, const Eigen::Vector2d& b, double friction);

}  // namespace ricochet
