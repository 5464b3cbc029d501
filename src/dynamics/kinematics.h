// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The boundary between scenes and recordings, which hold poses of body frames, and states, which hold poses at centers
// of mass.
#pragma once

#include <Eigen/Core>
#include <span>

#include "dynamics/state.h"
#include "model/model.h"

namespace ricochet {

/// The state at t = 0 of the scene's `initial`. Bodies of joints follow the joint angles and rates. Throws
/// InputError naming the body whose motion is not given.
State InitialState(const Model& model);

/// All bodies at rest where the scene's `initial` puts them; those that it does not mention are at the world's frame.
/// For callers that place the moving bodies themselves: fixed ones are where they belong.
State StateAtRest(const Model& model);

/// Pose of a body's frame B as recordings hold it: planar (x, y, theta); spatial (x, y, z, qw, qx, qy, qz).
void BodyPose(const Model& model, const State& state, int body, std::span<double> pose);

/// The inverse: puts a recorded pose of body frame B into the state.
void SetBodyPose(const Model& model, int body, std::span<const double> pose, State& state);

}  // namespace ricochet
