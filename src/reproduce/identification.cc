// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/context.h"
#include "estimators/estimator.h"

namespace ricochet {
namespace {

bool Available(std::string_view method) {
  const std::vector<const Estimator*> all = AllEstimators();
  return std::any_of(all.begin(), all.end(), [&](const Estimator* estimator) { return estimator->name() == method; });
}

FrameImpulses EmptyFrames(double frame, double duration) {
  FrameImpulses out;
  const int count = static_cast<int>(std::lround(duration / frame));
  for (int i = 0; i < count; ++i) out.time.push_back((i + 0.5) * frame);
  out.normal.assign(out.time.size(), 0.0);
  out.tangential.assign(out.time.size(), 0.0);
  return out;
}

void Put(FrameImpulses& frames, double frame, double time, double normal, double tangential) {
  if (frames.time.empty()) return;
  const int last = static_cast<int>(frames.time.size()) - 1;
  const auto at = static_cast<std::size_t>(std::clamp(static_cast<int>(std::floor(time / frame)), 0, last));
  frames.normal[at] += normal;
  frames.tangential[at] += tangential;
}

}  // namespace

std::vector<std::string> AvailableMethods() {
  std::vector<std::string> methods;
  for (const char* method : kComparedMethods)
    if (Available(method)) methods.emplace_back(method);
  return methods;
}

void AppendMissing(ExperimentResult& result) {
  for (const char* method : kComparedMethods)
    if (!Available(method))
      result.comparisons.push_back({fmt::format("method {}", method), "-", "left out", "this build does not have it"});
}

std::optional<Estimate> TryIdentify(const Scene& scene, const std::vector<Recording>& recordings,
                                    std::string_view paths, const std::string& method) {
  try {
    IdentifyOptions options;
    options.method = method;
    Estimate estimate = Identify(scene, recordings, paths, options, CurrentContext()).estimate;
    if (!estimate.parameters.empty() && estimate.parameters[0].value) return estimate;
  } catch (const InputError&) {
    // A recording that cannot be used gives no entry in the table.
  }
  return std::nullopt;
}

FrameImpulses TrueImpulses(const SimulationResult& run, double frame, double duration) {
  FrameImpulses out = EmptyFrames(frame, duration);
  // Rows of contacts carry the end of their step.
  for (const ContactRow& contact : run.contacts)
    Put(out, frame, contact.time - 0.5 * run.summary.step, contact.normal_impulse, contact.tangential_impulse[0]);
  return out;
}

FrameImpulses EstimatedImpulses(const Estimate& estimate, double frame, double duration) {
  FrameImpulses out = EmptyFrames(frame, duration);
  for (const EstimatedImpulse& impulse : estimate.impulses)
    Put(out, frame, impulse.time + 0.5 * impulse.duration, impulse.normal, impulse.tangential);
  return out;
}

PlotSeries EllipseOutline(double a, double b, const std::vector<double>& pose, int color) {
  PlotSeries outline{"", {}, {}, SeriesStyle::kLine, color};
  for (int i = 0; i <= 48; ++i) {
    const double phase = 2 * std::numbers::pi * i / 48, c = std::cos(pose[2]), s = std::sin(pose[2]);
    const double x = a * std::cos(phase), y = b * std::sin(phase);
    outline.x.push_back(pose[0] + c * x - s * y);
    outline.y.push_back(pose[1] + s * x + c * y);
  }
  return outline;
}

Recording ObserveScene(const Scene& scene, double rate, double noise_position, double noise_angle, std::uint64_t seed) {
  SimulateOptions options;
  options.method = "event";
  options.step = 1 / rate;
  options.noise_position = noise_position;
  options.noise_angle = noise_angle;
  return Simulate(scene, options, ContextWithSeed(seed)).recording;
}

}  // namespace ricochet
