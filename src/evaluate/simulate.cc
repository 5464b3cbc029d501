// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "core/context.h"
#include "core/progress.h"
#include "dynamics/kinematics.h"
#include "evaluate/run_output.h"
#include "recording/recording_writer.h"
#include "result/contacts_file.h"
#include "rollout/run.h"

namespace ricochet {
namespace {

constexpr double kMostSteps = 1e10;
constexpr long kProgressRows = 10000;

struct PreparedRun {
  Model model;
  const Stepper* stepper = nullptr;
  State start;
  RunOptions options;
  InputSignal inputs;
};

/// Everything that can be wrong is found here, before any file is opened.
PreparedRun Prepare(const Scene& scene, const SimulateOptions& options) {
  PreparedRun run;
  const Simulation& simulation = scene.simulation;
  run.stepper = options.method.empty() ? &StepperOf(scene) : &FindStepper(options.method);
  run.model = CompileModel(scene);
  run.stepper->Check(run.model);

  run.options.step = options.step.value_or(scene[simulation.step]);
  const double duration = options.duration.value_or(scene[simulation.duration]);
  if (!(run.options.step > 0) || !std::isfinite(run.options.step))
    throw InputError({scene.file, 0, 0}, "simulation.step", fmt::format("{} s is not a valid step.", run.options.step),
                     "A step is a positive number of seconds.");
  if (!(duration >= 0) || duration / run.options.step > kMostSteps)
    throw InputError({scene.file, 0, 0}, "simulation.duration",
                     fmt::format("{} s in steps of {} s cannot be run.", duration, run.options.step),
                     "Give a duration of at least 0 and at most 1e10 steps.");
  run.options.steps = StepCount(duration, run.options.step);
  if (options.rate && duration * *options.rate > kMostSteps)
    throw InputError({}, "rate", fmt::format("{} rows per second for {} s are too many.", *options.rate, duration),
                     "Give a lower rate.");
  const bool moves =
      std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const Body& body) { return !body.fixed; });
  if (!moves)
    throw InputError({scene.file, 0, 0}, "bodies", "nothing moves: every body is fixed, or there is none.",
                     "Add a body.");
  if (options.inputs && run.model.spatial.inputs.empty())
    throw InputError({options.inputs->file, 0, 0}, "inputs", "the scene has no motor that an input could drive.",
                     "Give a joint a motor with an input, or leave option `inputs` out.");
  run.start = InitialState(run.model);
  if (options.inputs) run.inputs = InputSignal(*options.inputs, run.model, InputSignal::MissingColumn::kRefuse);
  run.options.inputs = &run.inputs;
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

SimulationSummary Execute(PreparedRun& run, const SimulateOptions& options, RowFunction row, ContactFunction contact,
                          StepSink* extra = nullptr) {
  const auto begin = std::chrono::steady_clock::now();
  RunSampler sampler(run.model, run.start, options, std::move(row), std::move(contact));
  TwoSinks sinks(sampler, extra);
  const RunSummary r = Run(*run.stepper, run.model, run.start, run.options, sinks);
  SimulationSummary summary;
  summary.method = std::string(run.stepper->info().name);
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
  summary.patches = run.stepper->info().patches;
  if (summary.patches) {
    summary.fallbacks = r.attempts;
    summary.kinds = r.kinds;
  }
  summary.failed_steps = r.failed_steps;
  summary.first_failure = r.first_failure;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return summary;
}

}  // namespace

SimulationResult Simulate(const Scene& scene, const SimulateOptions& options, const Context& context) {
  const ContextScope scope(context, "simulate");
  PreparedRun run = Prepare(scene, options);
  SimulationResult result;
  result.recording.columns = RunSampler::Columns(scene, options);
  result.recording.values.resize(result.recording.columns.size());
  const auto row = [&](double time, std::span<const double> values) {
    result.recording.time.push_back(time);
    for (size_t i = 0; i < values.size(); ++i) result.recording.values[i].push_back(values[i]);
  };
  const auto contact = [&](double time, const ContactRecord& c) {
    ContactRow& out = result.contacts.emplace_back();
    out.time = time;
    out.pair = run.model.PairName(c.pair);
    out.contact = c.contact;
    out.gap = c.gap;
    out.normal_impulse = c.normal_impulse;
    out.tangential_impulse = {c.tangential_impulse.x(), c.tangential_impulse.y()};
    out.point = {c.p_WC.x(), c.p_WC.y(), c.p_WC.z()};
    out.slides = c.slip == SlipState::kSlide;
    if (!run.stepper->info().patches) return;
    out.torsional_impulse = c.torsional_impulse;
    out.kind = KindName(c.kind);
    out.active_facets = c.active_facets;
    out.body_point = {c.p_BC.x(), c.p_BC.y(), c.p_BC.z()};
    out.other_point = {c.p_OC.x(), c.p_OC.y(), c.p_OC.z()};
  };
  result.summary = Execute(run, options, row, contact);
  return result;
}

SimulationSummary SimulateToFiles(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  const Context& context) {
  const ContextScope scope(context, "simulate");
  return SimulateToSinks(scene, options, files, nullptr);
}

SimulationSummary SimulateToSinks(const Scene& scene, const SimulateOptions& options, const SimulationFiles& files,
                                  StepSink* extra) {
  PreparedRun run = Prepare(scene, options);
  std::unique_ptr<RecordingWriter> recording;
  std::unique_ptr<ContactsFile> contacts;
  if (!files.recording.empty())
    recording = std::make_unique<RecordingWriter>(files.recording, RunSampler::Columns(scene, options));
  if (!files.contacts.empty()) {
    std::vector<std::string> pairs;
    const size_t count = scene.space == Space::kPlanar ? run.model.planar.pairs.size() : run.model.spatial.pairs.size();
    for (size_t i = 0; i < count; ++i) pairs.push_back(run.model.PairName(static_cast<int>(i)));
    contacts = std::make_unique<ContactsFile>(files.contacts, scene.space, run.stepper->info().patches, pairs);
  }
  ProgressMeter progress("simulate", run.options.steps);
  long rows = 0;
  const SimulationSummary summary = Execute(
      run, options,
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
