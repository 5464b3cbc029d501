// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `spook`: multibody dynamics in maximal coordinates with regularized constraints (Spook sec. 2; Lacoursiere 2007).
//
// Each body has six velocities; joints, limits and contacts are constraints with compliance eps and relaxation time
// tau; dry friction and contacts are complementarity conditions. One step, all at the configuration q_k (errata of the
// signs and factors in docs/theory/spook.md):
//
//     M v+ - G^T lambda - B^T lambda_B = M v + h (f + f_g),     f_g = -(0, w x J w)
//     G v+ + Sigma lambda = Gamma (G v - 4 g / h),              gamma = 1 / (1 + 4 tau / h), Sigma = 4 eps gamma / h^2
//     complementarity of lambda_B (dry friction, limits, contacts; spook_system.h)
//     q+ = q [+] h v+,                                           rotations by exp(h w+) from the left
//
// When a contact or a limit is about to be hit, a separate impulse stage with restitution comes before (Spook sec. 2.4
// leaves it open): the same system without forces and with r+ >= -e r.
//
// Properties: first order in h and in the compliance; closed loops and redundant constraints are fine as long as the
// compliance is positive; the numerical loss of energy is of order h. `options: {order: 2}` replaces the two lines
// above by a regularized RATTLE step (spook_second_order.cc): second order in h for smooth motion, no numerical
// damping.
//
// StepResult::multipliers holds, in this order, the rows of all joints as joint.h lists them (impulses on the child),
// then the impulses of the dry joints.
#pragma once

#include "steppers/stepper.h"

namespace ricochet {

const Stepper& Spook();

}  // namespace ricochet
