// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact_small_problem.h in impulses (impulse_newton.h), for the cases that the search over
// modes leaves open.
#pragma once

#include "complementarity/friction_one_body/friction_contact_small_problem.h"

namespace ricochet {

/// Sharp friction from the modes and impulses in `solution`, modes that fail corrected on the way. True when the
/// residual came to `tolerance`; otherwise `solution` holds the better of what it held (by its residual; negative:
/// nothing) and what was found.
bool PolishSmallContact(const SmallContactProblem& problem, double tolerance, int max_rounds,
                        SmallContactSolution& solution);

/// Follows the path from s = start [m/s], from zero impulses or, `warm`, from those in `solution`. As above.
bool FollowSmoothedFriction(const SmallContactProblem& problem, double tolerance, double start, bool warm,
                            SmallContactSolution& solution);

}  // namespace ricochet
