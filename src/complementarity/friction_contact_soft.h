// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for one body whose contacts are all soft in their normals (soft_contact.h), in
// fixed storage:
//
//   v = v_free + sum J_i^T P_i,   xi_i = J_i (v - v_free) + b_i,
//   P_N = max(0, -xi_N / s),      P_T the point of |P_T| <= mu P_N that friction asks for.
//
// With s > 0 the normal impulse is a function of the velocity, so only the impulses of sticking contacts remain
// unknown. They are found by proximal points, P_T <- projection of C - r xi_T with C the P_T of the round before, and
// each round is a nonsmooth equation in the six velocities alone,
//
//   F(w) = w - sum_i J_i^T P_i(J_i w + b_i) = 0,     w = v - v_free,
//
// solved by Newton with a line search. A contact that slides is exact in the first round (C = 0, friction along the
// slip); sticking ones gain a factor 1 + r lambda per round, with r lambda about 1e4. Where Newton is caught in a kink,
// r is taken up from small values; corners that cannot all stick take rounds of smaller r and may end near 1e-6. With
// friction above 1 some problems are not solved; the stepper then takes the general solver.
#pragma once

#include <array>

#include "complementarity/friction_contact_small.h"

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
