// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Runs of `spook` from a model's initial state whose every step must be solved.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "dynamics/kinematics.h"
#include "steppers/spook/spook.h"

namespace ricochet::testing {

/// Takes steps with the inputs held at `u` (zero where it is too short) and shows each to `see(index, result)`.
template <class See>
State Walk(const Model& model, double h, int steps, std::vector<double> u, const See& see) {
  const auto workspace = Spook().MakeWorkspace(model);
  State state = InitialState(model);
  StepResult step;
  u.resize(model.spatial.inputs.size(), 0);
  for (int k = 0; k < steps; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    EXPECT_EQ(step.status, StepStatus::kSolved) << "step " << k;
    state = step.end;
    see(k, step);
  }
  return state;
}

template <class See>
State Walk(const Model& model, double h, int steps, const See& see) {
  return Walk(model, h, steps, {}, [&](int, const StepResult& step) { see(step); });
}

inline State Walk(const Model& model, double h, int steps) {
  return Walk(model, h, steps, [](const StepResult&) {});
}

}  // namespace ricochet::testing
