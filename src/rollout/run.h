// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A simulation: a rollout over many steps with its energy and its numerics on record.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics/energy.h"
#include "rollout/rollout.h"

namespace ricochet {

struct RunSummary {
  long steps = 0;
  double step = 0;  // [s]
  Energy start, end;
  double dissipated = 0;  // by contacts and joints, gains subtracted [J]
  double gained = 0;      // energy that contacts created although every surface stood still [J]
  long gaining_steps = 0;
  long contact_steps = 0;          // steps with a closed contact
  double largest_residual = 0;     // of the complementarity problems, relative
  double deepest_penetration = 0;  // [m]
  long retried_steps = 0;          // solved, but not at the first attempt (fall-backs of the solver, halved steps)
  std::array<long, 4> attempts{};  // of these: steps with StepResult::attempts of 2, 3, 4, and more
  std::array<long, 3> kinds{};     // contacts of each ContactKind, over all steps
  long failed_steps = 0;
  double first_failure = 0;  // time [s], when failed_steps > 0
  bool stopped_by_sink = false;
};

struct RunOptions {
  double step = 0;  // [s]
  long steps = 0;
  const InputSignal* inputs = nullptr;  // all 0 without
};

/// Steps needed to cover a duration: the nearest whole number when that is within rounding, else the next above.
long StepCount(double duration, double step);

/// Advances `start` and hands every step to the sink. Times are start.time + k h, not sums of h.
RunSummary Run(const Stepper& stepper, const Model& model, const State& start, const RunOptions& options,
               StepSink& sink);

}  // namespace ricochet
