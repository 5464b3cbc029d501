// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for one body and up to 8 contacts, in fixed storage.
//
// Guess the modes (open, stick, slide along u_i), solve for them, verify, correct the modes that failed, repeat. For
// given modes let C be the active rows (n of closed contacts, t1 and t2 of sticking ones), w = v - v_free, and write
// sliding friction linearized at the current slip xi_T = |xi_T| u, with s perpendicular to u:
//
//   P_T = -mu P_N u - k s (s . xi_T),   k = mu P_N / |xi_T|        (Newton; k = 0 in the first round: direction held)
//   K w = B x - sum_i k_i beta_i a_i,   K = I + sum_i k_i a_i a_i^T,  a_i = J_T^T s,  beta_i = s . b_T
//   C w = -b_C,                         B = C^T with n - mu J_T^T u for the normal of a sliding contact
//
// Rows of C may be dependent. Gram-Schmidt gives C = L Q with r = rank C <= 6 orthonormal rows Q; least-norm impulses
// are x = L z, so that r unknowns remain: (Q K^-1 B L) z = Q w + Q K^-1 sum k beta a, where Q w follows from C w = -b_C
// by substitution. When all closed contacts stick and C has rank 6, w and x follow from the 6 x 6 matrix C^T C alone.
//
// Modes that keep changing, and contacts that seem to stick but cannot all, are left to friction_contact_path.h.
#pragma once

#include "complementarity/friction_one_body/friction_contact_small_problem.h"

namespace ricochet {

/// The active-set search alone. `modes_known`: start from solution.mode and solution.impulse (the directions of sliding
/// friction) instead of a guess. Not converged: the caller takes a slower solver; the solution holds the best found.
void SolveSmallContact(const SmallContactProblem& problem, double tolerance, bool modes_known,
                       SmallContactSolution& solution);

}  // namespace ricochet
