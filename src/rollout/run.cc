// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "rollout/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/loads.h"

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
  const auto workspace = stepper.MakeWorkspace(model);

  const size_t input_count = model.spatial.inputs.size();
  std::vector<double> u(input_count), u_end(input_count);
  const InputSignal none;
  const InputSignal& signal = options.inputs ? *options.inputs : none;
  std::vector<char> fired(model.triggers.size(), 0);

  StepResult result;
  State state = start;
  Energy energy = summary.start;
  for (long k = 0; k < options.steps; ++k) {
    StepInputs inputs;
    if (input_count > 0) {
      signal.Over(state.time, options.step, u, u_end);
      inputs.u = u;
      inputs.u_end = u_end;
    }
    inputs.fired = fired;
    stepper.Step(model, state, inputs, options.step, *workspace, result);
    result.end.time = start.time + (k + 1) * options.step;
    if (!model.triggers.empty()) UpdateTriggers(model, state, result.end, fired);
    if (result.created > 0) energy = ComputeEnergy(model, state);
    Book(result, energy.kinetic + std::abs(energy.potential), surfaces_stand, summary);
    if (!result.end.q.allFinite() || !result.end.v.allFinite()) {
      // Nothing that follows could mean anything.
      if (summary.failed_steps++ == 0) summary.first_failure = result.start.time;
      summary.end = {NAN, NAN};
      return summary;
    }
    state = result.end;
    if (!sink.OnStep(result)) {
      summary.stopped_by_sink = true;
      break;
    }
  }
  summary.end = ComputeEnergy(model, state);
  return summary;
}

}  // namespace ricochet
