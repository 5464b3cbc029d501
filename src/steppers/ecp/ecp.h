// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Stepper `ecp` (Xie and Chakraborty): contact point, wrench and motion solved at once, so that point, line and surface
// contact and the changes between them come out of one formulation, without penetration and without contact points
// chosen by hand. Equations: ecp_problem.h; how they are solved: ecp_solver.h; the paper's own form: ecp_mncp.h.
//
// Shapes are convex solids by inequalities; contact is with planes (with an extent they are blocks that reach down
// without end), fixed bodies and other moving bodies. Impacts are inelastic, as in the paper. A step that no attempt
// solves is halved, up to 2^-6 of its length, and says so in StepResult::attempts: 1 first attempt (or flight), 2
// enumeration, 3 continuation, 4 general solver, 4 + d when halved d times at the deepest.
//
// Velocities below 1e-13 of the step's velocity scale are set to 0: a body that sticks stands still exactly, which
// actions `when` a velocity `falls_to` 0 rely on.
#pragma once

#include "steppers/stepper.h"

namespace ricochet {

const Stepper& Ecp();

}  // namespace ricochet
