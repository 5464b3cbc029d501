// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a `moreau` step with the active set held: see moreau_derivatives.cc for the linear system.
#pragma once

#include <span>

#include "steppers/moreau/moreau_workspace.h"

namespace ricochet {

void DifferentiateMoreau(const Model& model, const StepResult& step, const StepInputs& inputs,
                         std::span<const NumberId> parameters, MoreauWorkspace& workspace, StepDerivatives& out);

}  // namespace ricochet
