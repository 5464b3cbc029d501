// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which contacts of a program slide, and what friction those that stick need.
#pragma once

#include "estimators/program/joint_program.h"

namespace ricochet {

/// Normal equations at the solution with the equalities as good as hard (FactorInformation); the program stays.
bool FactorAtSolution(const JointProgram& program, BorderedBand& system);

bool AnySlides(const JointProgram& program);

/// What the contacts that stick need of friction: |ct| / cn less its uncertainty, the largest of all. Less would have
/// slid (95 %).
double FrictionNeeded(const JointProgram& program);

/// Makes contacts slide where all of them stick. False when none sticks at a cost of friction, or when no solution that
/// slides is found; the program is then of no use.
bool LetSlide(JointProgram& program, int index, int& iterations);

}  // namespace ricochet
