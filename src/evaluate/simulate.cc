// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "core/context.h"
#include "core/progress/progress.h"
#include "evaluate/run_output.h"
#include "evaluate/simulation_setup.h"
#include "recording/recording_writer.h"
#include "result/contacts_file.h"
#include "rollout/run.h"

namespace ricochet {
namespace {

constexpr double kMostSteps = 1e10;
constexpr long kProgressRows = 10000;

struct PreparedRun {
  SimulationSetup setup;
  long steps = 0;
};

/// Everything that can be wrong is found here, before any file is opened.
PreparedRun Prepare(const Scene& scene, const SimulateOptions& options) {
  PreparedRun run{SetUpSimulation(scene, options.method, options.step, options.inputs)};
  const double step = run.setup.step, duration = options.duration.value_or(scene[scene.simulation.duration]);
  if (!(duration >= 0) || duration / step > kMostSteps)
    throw InputError({scene.file, 0, 0}, "simulation.duration",
                     fmt::format("{} s in steps of {} s is not possible.", duration, step),
                     "Give a duration of at least 0 s and at most 1e10 steps.");
  if (options.rate && duration * *options.rate > kMostSteps)
    throw InputError({}, "rate", fmt::format("{} rows per second for {} s are too many.", *options.rate, duration),
                     "Give a lower rate.");
  run.steps = StepCount(duration, step);
  return run;
}

/// Hands steps to two sinks; the run ends when one of them wants it to.
class TwoSinks final : public StepSink {
 public:
  TwoSinks(StepSink& first, StepSink* second) : first_(first), second_(second) {}
  bool OnStep(const StepResult& step) override {
    const bool go_on = first_.OnStep(step);
    return (!second_ || second_->OnStep(step)) && go_on;
  }

 private:
  StepSink& first_;
  StepSink* second_;
};

SimulationSummary Execute(const PreparedRun& run, const SimulateOptions& options, bool velocities, RowFunction row,
                          ContactFunction contact, StepSink* extra = nullptr) {
  const auto begin = std::chrono::steady_clock::now();
  const SimulationSetup& setup = run.setup;
  RunSampler sampler(setup.model, setup.start, options, velocities, std::move(row), std::move(contact));
  TwoSinks sinks(sampler, extra);
  const RunOptions run_options{.step = setup.step, .steps = run.steps, .inputs = &setup.inputs};
  const RunSummary r = Run(*setup.stepper, setup.model, setup.start, run_options, sinks);
  SimulationSummary summary;
  summary.method = std::string(setup.stepper->info().name);
  summary.step = r.step;
  summary.steps = r.steps;
  summary.duration = static_cast<double>(r.steps) * r.step;
  summary.kinetic_start = r.start.kinetic;
  summary.kinetic_end = r.end.kinetic;
  summary.potential_start = r.start.potential;
  summary.potential_end = r.end.potential;
  summary.dissipated = r.dissipated;
  summary.gained = r.gained;
  summary.gaining_steps = r.gaining_steps;
  summary.contact_steps = r.contact_steps;
  summary.largest_residual = r.largest_residual;
  summary.deepest_penetration = r.deepest_penetration;
  summary.retried_steps = r.retried_steps;
  summary.patches = setup.stepper->info().patches;
  if (summary.patches) {
    summary.fallbacks = r.attempts;
    summary.kinds = r.kinds;
  }
  summary.failed_steps = r.failed_steps;
  summary.first_failure = r.first_failure;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
}

SimulationResult SimulateInMemory(const Scene& scene, const SimulateOptions& options, bool velocities) {
  const PreparedRun run = Prepare(scene, options);
  SimulationResult result;
  result.recording.columns = RunSampler::Columns(scene, options, velocities);
  result.recording.values.resize(result.recording.columns.size());
  const auto row = [&](double time, std::span<const double> values) {
    result.recording.time.push_back(time);
    for (size_t i = 0; i < values.size(); ++i) result.recording.values[i].push_back(values[i]);
  };
  const bool patches = run.setup.stepper->info().patches;
  const auto contact = [&](double time, const ContactRecord& c) {
    result.contacts.push_back(ContactRowOf(run.setup.model, patches, time, c));
  };
  result.summary = Execute(run, options, velocities, row, contact);
  return result;
}

}  // namespace

SimulationResult Simulate(const Scene& scene, const SimulateOptions& options, const Context& context) {
  const ContextScope scope(context, "simulate");
  return SimulateInMemory(scene, options, WritesVelocities(options));
}

Recording SimulateRecording(const Scene& scene, const SimulateOptions& options, bool velocities) {
  return SimulateInMemory(scene, options, velocities).recording;
}

SimulationSummary SimulateToFiles(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  const Context& context) {
  const ContextScope scope(context, "simulate");
  return SimulateToSinks(scene, options, files, nullptr);
}

SimulationSummary SimulateToSinks(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  StepSink* extra) {
  const PreparedRun run = Prepare(scene, options);
  const bool velocities = WritesVelocities(options);
  std::unique_ptr<RecordingWriter> recording;
  std::unique_ptr<ContactsFile> contacts;
  if (!files.recording.empty())
    recording = std::make_unique<RecordingWriter>(files.recording, RunSampler::Columns(scene, options, velocities));
  if (!files.contacts.empty()) {
    std::vector<std::string> pairs;
    const size_t count =
        scene.space == Space::kPlanar ? run.setup.model.planar.pairs.size() : run.setup.model.spatial.pairs.size();
    for (size_t i = 0; i < count; ++i) pairs.push_back(run.setup.model.PairName(static_cast<int>(i)));
    contacts = std::make_unique<ContactsFile>(files.contacts, scene.space, run.setup.stepper->info().patches, pairs);
  }
  ProgressMeter progress("simulate", run.steps);
  long rows = 0;
  const SimulationSummary summary = Execute(
      run, options, velocities,
      [&](double time, std::span<const double> values) {
        if (recording) recording->Append(time, values);
        if (++rows % kProgressRows == 0) progress.Advance(kProgressRows);
      },
      [&](double time, const ContactRecord& contact) {
        if (contacts) contacts->Append(time, contact);
      },
      extra);
  if (recording) recording->Commit();
  if (contacts) contacts->Commit();
  return summary;
}

}  // namespace ricochet
