// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for one body whose contacts are all soft in their normals (soft_contact.h), in
// fixed storage:
//
//   v = v_free + sum J_i^T P_i,   xi_i = J_i (v - v_free) + b_i,
//   P_N = max(0, -xi_N / s),      P_T the point of |P_T| <= mu P_N that friction requires.
//
// With s > 0 the normal impulse is a function of the velocity, so only the impulses of sticking contacts remain
// unknown. They are found by proximal points, P_T <- projection of C - r xi_T with C the P_T of the round before, and
// each round is a nonsmooth equation in the six velocities alone,
//
//   F(w) = w - sum_i J_i^T P_i(J_i w + b_i) = 0,     w = v - v_free,
//
// solved by Newton with a line search. A contact that slides is exact in the first round (C = 0, friction along the
// slip); sticking ones gain a factor 1 + r lambda per round, with r lambda about 1e4. Rounds that stall near a solution
// (friction is not associated with its cone, so they need not contract) end with modes held: contacts go on sticking,
// sliding or being open, the cone does not interrupt Newton, and the residual checks whether they may. Where Newton is
// caught in a kink: r is taken up from small values, friction is taken up from none, every choice of sticking contacts
// is started from, in this order. Of 40 000 random
// problems of one to four corners all end at 1e-11 with friction up to 0.6, and 1, 3 and 41 end above 1e-8 with
// friction up to 1.2, up to 2, and between 1 and 3; the stepper then takes the general solver.
#pragma once

#include <array>

#include "complementarity/friction_one_body/friction_contact_small.h"

namespace ricochet {

struct SoftContactProblem {
  SmallContactProblem contacts;                    // b: xi at the free velocity, the speed u of soft_contact.h included
  std::array<double, kMaxSmallContacts> softness;  // s > 0 [1/kg]
};

/// Largest violation of the conditions, relative to the largest |b_i|: that of FrictionContactResidual.
double SoftContactResidual(const SoftContactProblem& problem, const SmallContactSolution& solution);

/// Sets all of `solution`; `converged` when the residual is at most `tolerance`.
void SolveSoftContact(const SoftContactProblem& problem, double tolerance, SmallContactSolution& solution);

}  // namespace ricochet
