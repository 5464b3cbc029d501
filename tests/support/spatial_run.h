// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Runs of `moreau` for tests: a scene as text, stepped with one workspace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dynamics/kinematics.h"
#include "steppers/moreau.h"

namespace ricochet::testing {

class SpatialRun {
 public:
  explicit SpatialRun(const std::string& scene_text);

  const Model& model() const { return model_; }
  /// To change numbers of the compiled model; the workspace follows.
  Model& mutable_model() { return model_; }
  State& state() { return state_; }
  const StepResult& last() const { return step_; }
  MoreauWorkspace& workspace() { return static_cast<MoreauWorkspace&>(*workspace_); }

  /// One step of h.
  const StepResult& Step(double h);

 private:
  Model model_;
  State state_;
  std::unique_ptr<Workspace> workspace_;
  StepResult step_;
};

/// A box of random size, inertia (full tensor) and centre of mass, tossed with random spin over one plane. Numbers are
/// those of parcels; `restitution` false: e_N = e_T = 0. `options` goes into simulation.options.
struct RandomTossOptions {
  bool restitution = true;
  std::string options = "{}";
  bool moving_surface = false;
};
std::string RandomTossText(std::uint64_t seed, const RandomTossOptions& options = {});

}  // namespace ricochet::testing
