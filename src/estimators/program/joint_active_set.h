// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The program solved with the contacts and modes that its own solution has, and what it then knows of its numbers.
#pragma once

#include "estimators/program/joint_program.h"

namespace ricochet {

/// Residuals of every frame of a chain, 3 per frame; rejected ones 0.
Eigen::VectorXd JointResiduals(const JointProgram& program, const JointChain& chain);

/// Alternates solves and active-set changes until there are none left. Returns whether all conditions hold.
bool SolveActiveSet(JointProgram& program, int& iterations);

/// Normal equations with the equalities as hard as rounding allows, whose Schur complement is the information of the
/// numbers. False when a direction is left open. The program keeps the penalty that was taken.
bool FactorInformation(JointProgram& program, BorderedBand& system);

}  // namespace ricochet
