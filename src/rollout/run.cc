// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "rollout/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

bool AnySurfaceMoves(const Model& model) {
  const auto moves = [](const auto& surface) { return !surface.velocity.isZero(0); };
  return std::any_of(model.planar.surfaces.begin(), model.planar.surfaces.end(), moves) ||
         std::any_of(model.spatial.surfaces.begin(), model.spatial.surfaces.end(), moves);
}

/// Books the energy and the numerics of one step.
void Book(const StepResult& step, double energy_scale, bool surfaces_stand, RunSummary& summary) {
  ++summary.steps;
  summary.dissipated += step.dissipated;
  if (surfaces_stand && step.created > 1e-12 * energy_scale) {
    summary.gained += step.created;
    ++summary.gaining_steps;
  }
  if (!step.contacts.empty()) ++summary.contact_steps;
  for (const ContactRecord& contact : step.contacts)
    summary.deepest_penetration = std::max(summary.deepest_penetration, -contact.gap);
  summary.largest_residual = std::max(summary.largest_residual, step.residual);
  for (const ContactRecord& contact : step.contacts) ++summary.kinds[static_cast<std::size_t>(contact.kind)];
  if (step.attempts > 1) {
    ++summary.retried_steps;
    ++summary.attempts[static_cast<std::size_t>(std::min(step.attempts, 5) - 2)];
  }
  if (step.status == StepStatus::kFailed && summary.failed_steps++ == 0) summary.first_failure = step.start.time;
}

/// Scaled residual of a step that was not solved to tolerance, up to which the run goes on.
constexpr double kUsable = 1e-2;

}  // namespace

long StepCount(double duration, double step) {
  const double ratio = duration / step;
  const double nearest = std::round(ratio);
  return static_cast<long>(std::abs(ratio - nearest) <= 1e-6 ? nearest : std::ceil(ratio));
}

RunSummary Run(const Stepper& stepper, const Model& model, const State& start, const RunOptions& options,
               StepSink& sink) {
  RunSummary summary;
  summary.step = options.step;
  summary.start = ComputeEnergy(model, start);
  const bool surfaces_stand = !AnySurfaceMoves(model);
  Rollout rollout(stepper, model, {.accepted_residual = kUsable, .inputs = options.inputs});
  rollout.SetSink(&sink);
  rollout.Start(start, options.step);
  Energy energy = summary.start;
  while (summary.steps < options.steps) {
    const bool goes_on = rollout.Advance();
    const StepResult& step = rollout.step();
    if (step.created > 0) energy = ComputeEnergy(model, step.start);
    Book(step, energy.kinetic + std::abs(energy.potential), surfaces_stand, summary);
    if (goes_on) continue;
    summary.stopped_by_sink = rollout.stopped_by_sink();
    if (summary.stopped_by_sink) break;
    // Not finite, or not solved at all: nothing that follows could mean anything.
    if (step.status != StepStatus::kFailed && summary.failed_steps++ == 0) summary.first_failure = step.start.time;
    summary.end = ComputeEnergy(model, step.start);
    return summary;
  }
  summary.end = ComputeEnergy(model, rollout.state());
  return summary;
}

}  // namespace ricochet
