// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a step of `ecp` leaves for its derivatives, and the derivatives.
//
// StepResult::modes, per part of the step (one part unless it was halved): number of closed contacts, then for each its
// pair, nf, f[3], ng, g[3] and whether it slides; last, how many multipliers count. StepResult::multipliers, per part:
// its length h, the start state q, v, and the unknowns z of ecp_problem.h (with rho per contact before its unknowns).
//
// Derivatives are those of the implicit function theorem: with the active set held, F(z; start, parameters) = 0 is a
// smooth system, so dz = -(dF/dz)^-1 dF/d(start, parameters). The first factor is the Newton matrix of the solver, the
// second comes from the equations run in Jets at constant z.
#pragma once

#include <span>
#include <vector>

#include "steppers/ecp/ecp_workspace.h"

namespace ricochet {

void RecordEcp(const EcpProblem<double>& problem, const EcpSolution& solution, const State& start,
               std::vector<double>& numbers, std::vector<int>& modes);

void DifferentiateEcp(const Model& model, const StepResult& step, const StepInputs& inputs,
                      std::span<const NumberId> parameters, EcpWorkspace& workspace, StepDerivatives& out);

}  // namespace ricochet
