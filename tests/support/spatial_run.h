// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Runs of `moreau` for tests: a scene as text, stepped with one workspace.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "dynamics/kinematics.h"
#include "steppers/moreau/moreau.h"

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

/// Contacts of one body as a problem of any number of bodies.
inline FrictionContactProblem AsGeneral(const SmallContactProblem& small) {
  FrictionContactProblem general;
  general.body_count = 1;
  general.free_velocity.assign(1, Vector6d::Zero());
  for (int i = 0; i < small.count; ++i) {
    FrictionContact& contact = general.contacts.emplace_back();
    contact.mu = small.mu[i];
    contact.rows = small.rows[i];
    contact.bias = small.b[i];
  }
  return general;
}

/// A box of random size, inertia (full tensor) and center of mass, tossed with random spin over one plane. Numbers are
/// those of parcels; `restitution` false: e_N = e_T = 0. `options` goes into simulation.options.
struct RandomTossOptions {
  bool restitution = true;
  std::string options = "{}";
  bool moving_surface = false;
};
std::string RandomTossText(std::uint64_t seed, const RandomTossOptions& options = {});

/// Boxes of random sizes dropped one above the other: they collide in the air, pile up and slide off.
struct Pile {
  int boxes = 2;
  std::uint64_t seed = 0;
  double friction = 0.4, restitution = 0;
};
std::string PileText(const Pile& pile);

/// What the contact steps of piles came to.
struct PileCount {
  long steps = 0, between = 0;    // with contact; contacts between boxes
  long above = 0, failed = 0;     // steps with a residual above 1e-10; that count as failed
  double residual = 0, cone = 0;  // largest; |P_T| - mu P_N relative to the largest P_N of the step
};

/// 1.2 s at 4 ms, added to `count`.
void RunPile(const Pile& pile, PileCount& count);

}  // namespace ricochet::testing
