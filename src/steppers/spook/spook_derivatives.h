// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a `spook` step, its active set held.
//
// A stage is an equation R(x, z; q, v, p) = 0 that is linear in the unknowns (x, z) once the active set is fixed (Spook
// D.1). Its tangents solve the same linear system with the right side -dR, where dR is R at fixed unknowns pushed
// through Jets: body by body, joint by joint and contact by contact, each on its own few poses and velocities
// (constraint_rows.h). So the sparse factors of the step are used again and nothing is differentiated by hand.
//
// Order 2 chains three such maps (kick, drift, kick); the fixed point of the first kick is iterated on the tangents as
// it was on the values.
#pragma once

#include "steppers/spook/spook_workspace.h"

namespace ricochet {

/// `step` must be the step the workspace has just taken.
void DifferentiateSpook(const Model& model, const StepResult& step, const StepInputs& inputs,
                        std::span<const NumberId> parameters, SpookWorkspace& workspace, StepDerivatives& out);

/// The same with respect to the motor inputs. An input enters the momentum balance as the impulse gain u dt along the
/// motion of its joint, in every stage that lasts a time dt.
void DifferentiateSpookInputs(const Model& model, const StepResult& step, const StepInputs& inputs,
                              SpookWorkspace& workspace, Eigen::MatrixXd& end_by_inputs);

}  // namespace ricochet
