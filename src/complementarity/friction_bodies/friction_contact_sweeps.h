// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Iterations that need no matrix: the simultaneous one of the paper, and one contact at a time.
#pragma once

#include <span>

#include "complementarity/friction/friction_contact.h"

namespace ricochet {

/// P <- prox(P - r (D P + b)) for all contacts at once, from P = 0, with r = 1 / lambda_max(D) (Jongeneel sec. II-B).
/// Ends when the residual has fallen to the tolerance, or P stands still to rounding, or after max_sweeps.
void SweepSimultaneously(const FrictionContactProblem& problem, double tolerance, int max_sweeps,
                         FrictionContactSolution& solution);

/// Block Gauss-Seidel with exact local solutions, contacts visited in `order`, from P = 0.
void SweepInOrder(const FrictionContactProblem& problem, std::span<const int> order, double tolerance, int max_sweeps,
                  FrictionContactSolution& solution);

/// Modes of a solution from its impulses and velocities.
void ClassifyModes(const FrictionContactProblem& problem, FrictionContactSolution& solution);

}  // namespace ricochet
