// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rest: a body that will move again is not at rest.
//
// Slow is not enough: a box at the top of a tumble over its edge is slow for many steps and then falls. So a state is
// called at rest when every moving body is slow and, besides, a step taken from the same poses with zero velocities
// leaves them at zero: the contacts that are closed can carry the weight within their friction cones. A body that rides
// a running conveyor, hangs over the end of a bounded surface with its weight outside, or has just left the ground,
// fails that test.
#pragma once

#include "steppers/stepper.h"

namespace ricochet {

struct RestOptions {
  double speed = 2e-3;     // of the center of mass [m/s]
  double rate = 2e-2;      // angular [rad/s]
  double residual = 1e-9;  // velocity that one step from standstill may give, relative to gravity times the step
};

/// True when all moving bodies rest. `scratch` is overwritten.
bool IsAtRest(const Stepper& stepper, const Model& model, const State& state, double h, Workspace& workspace,
              StepResult& scratch, const RestOptions& options = {});

/// The face that body lies on: the one whose outward normal is within `tolerance` [rad] of straight down onto the
/// surface. Boxes and polytopes: index into the shape's faces. Cylinders: 0 the end at +axis, 1 the other end, 2 the
/// side. -1: none, or a smooth shape.
int RestingFace(const Model& model, const State& state, int body, int surface, double tolerance = 0.05);

}  // namespace ricochet
