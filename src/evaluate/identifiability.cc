// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One path for every method and space: recordings, or one that is simulated from the scene and seen by its sensors; the
// method's problem at the motion that they show; the information of that problem (inference/information.h).
#include "ricochet/identifiability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/context.h"
#include "estimators/estimator.h"
#include "evaluate/impact_consistency.h"
#include "evaluate/run_output.h"
#include "inference/information.h"
#include "recording/channels.h"
#include "ricochet/identify.h"
#include "steppers/stepper.h"

namespace ricochet {
namespace {

constexpr double kUsualNoise = 1e-3;     // [m], [rad], where the scene gives none
constexpr double kFineStep = 1e-4;       // [s] of planned mechanisms: spook loses energy in proportion to its step
constexpr double kWithoutEffect = 1e-6;  // relative singular value

/// Whether recordings show motor inputs at most, so that the motion is that of the scene.
bool IsPlan(const Scene& scene, const std::vector<Recording>& recordings) {
  return std::none_of(recordings.begin(), recordings.end(), [&](const Recording& recording) {
    const Channels channels = ResolveChannels(recording, scene);
    return channels.HasPoses() || channels.HasPoints() || channels.HasJoints();
  });
}

/// The scene with noise where it gives none.
Scene WithNoise(Scene scene) {
  for (const NumberId id : {scene.observe.noise_position, scene.observe.noise_angle})
    if (id && !(scene[id] > 0)) scene.Set(id, kUsualNoise);
  return scene;
}

/// The scene's own motion at a given rate as its sensors record it, without noise. `inputs`: of the motors, or null.
Recording PlannedRecording(const Scene& scene, const Recording* inputs, double rate) {
  for (const Body& body : scene.bodies) {
    const bool placed = body.fixed || !scene.joints.empty() ||
                        std::any_of(scene.initial.begin(), scene.initial.end(), [&](const Initial& initial) {
                          return initial.name == body.name && !initial.position.empty();
                        });
    if (!placed)
      throw InputError({scene.file, 0, 0}, "initial." + body.name, "without recordings the scene must define a motion.",
                       "Give `initial` for the body, or a recording.");
  }
  SimulateOptions options;
  options.rate = rate;
  options.inputs = inputs;
  if (!(scene[scene.simulation.duration] > 0)) options.duration = 1;
  if (!scene.joints.empty()) options.step = std::min(scene[scene.simulation.step], kFineStep);
  // An exact stepper, where there is one, leaves no error of the step.
  for (const Stepper* stepper : AllSteppers()) {
    const StepperInfo info = stepper->info();
    if (!info.exact || !(scene.space == Space::kPlanar ? info.planar : info.spatial)) continue;
    options.method = info.name;
    options.step = 1 / rate;
  }
  Recording recording = SimulateRecording(scene, options, false);
  recording.file = "planned motion";
  // The scene has no noise of rates.
  for (std::size_t i = recording.columns.size(); i-- > 0;) {
    if (!recording.columns[i].ends_with(".rate")) continue;
    recording.columns.erase(recording.columns.begin() + static_cast<std::ptrdiff_t>(i));
    recording.values.erase(recording.values.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return recording;
}

/// Why a fit gives no value of a parameter.
std::string ReasonOf(const Estimate& estimate, const EstimatedParameter& parameter) {
  if (!parameter.combination.empty()) return parameter.combination;
  if (parameter.identifiable && parameter.value && !parameter.std)
    return "too few recordings follow the model to show how well it is known; give more";
  if (parameter.identifiable) return "";
  if (estimate.verdict.level == VerdictLevel::kRejected && !estimate.verdict.reasons.empty())
    return estimate.verdict.reasons.front();
  return estimate.warnings.empty() ? "the fit failed" : estimate.warnings.front();
}

/// What the fit of a method says by itself (estimators/assess_fit.h).
Identifiability FromFit(const IdentifyRequest& request, std::string_view paths) {
  IdentifyOptions options = request.options;
  options.information = true;
  const Estimate estimate = Identify(request.scene, request.recordings, paths, options, CurrentContext()).estimate;
  Identifiability out;
  if (estimate.information) {
    out.rank = estimate.information->rank;
    out.size = estimate.information->size;
    out.null_space = estimate.information->null_space;
  }
  out.notes = estimate.warnings;
  for (const EstimatedParameter& parameter : estimate.parameters)
    out.parameters.push_back({parameter.path, parameter.unit, parameter.identifiable,
                              parameter.value.value_or(parameter.start), parameter.std, parameter.lower,
                              ReasonOf(estimate, parameter)});
  return out;
}

/// The mass of the only body that moves, where no known force acts: motion shows ratios to it. None otherwise.
NumberId MassWithoutForce(const Scene& scene) {
  NumberId mass;
  int moving = 0;
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    ++moving;
    mass = body.mass;
  }
  return scene.actions.empty() && moving == 1 ? mass : NumberId{};
}

void AddContactNotes(const PosedFit& posed, std::vector<std::string>& notes) {
  if (!posed.touched)
    notes.emplace_back(
        "no impact: free flight shows nothing of inertia, friction or restitution. Let the body hit a surface.");
  else if (!posed.slid)
    notes.push_back(
        fmt::format("every contact sticks: friction is known only from below (at least {:.3g}). Throw faster along the "
                    "surface, or at a flatter angle, so that the contact slides.",
                    posed.friction_needed));
}

IdentifiabilityEntry Describe(const PosedFit& posed, const ParameterInformation& information,
                              const std::string& null_space, NumberId mass, int i) {
  const ParameterMap& parameters = posed.problem->parameters();
  const SelectedParameter& selected = parameters.selected(i);
  IdentifiabilityEntry entry;
  entry.path = selected.path;
  entry.unit = UnitOf(parameters.scene(), selected);
  entry.value = posed.point.values[i];
  const bool alone = !selected.denominator && !selected.factor;
  if (alone && mass && selected.numerator == mass) {
    // With the inertia held it would seem identifiable, through the ratio of the two.
    entry.reason = "no known force; only ratios to it are identifiable. Add a known force, or request inertia / mass";
  } else if (alone && parameters.quantity(i) == Quantity::kFriction && !posed.slid) {
    if (posed.touched) entry.lower = posed.friction_needed;
    entry.reason = posed.touched ? "every contact sticks; make it slide" : "no impact; let the body hit a surface";
  } else if (!information.determined[static_cast<std::size_t>(i)]) {
    entry.reason = posed.touched ? null_space : "no impact; let the body hit a surface";
  } else {
    entry.identifiable = true;
    entry.std = std::sqrt(information.covariance(i, i));
  }
  return entry;
}

}  // namespace

Identifiability AnalyzeIdentifiability(const Scene& given, const std::vector<Recording>& recordings,
                                       std::string_view paths, const IdentifiabilityOptions& how,
                                       const Context& context) {
  const ContextScope scope(context, "identifiability");
  const bool planned = IsPlan(given, recordings);
  const Scene scene = planned ? WithNoise(given) : given;
  std::vector<Recording> shown = recordings;
  if (planned) {
    shown.clear();
    for (const Recording& inputs : recordings) shown.push_back(PlannedRecording(scene, &inputs, how.rate));
    if (recordings.empty()) shown.push_back(PlannedRecording(scene, nullptr, how.rate));
  }
  IdentifyOptions options;
  options.method = how.method;
  const IdentifyRequest request{scene, shown, ParsePathList(scene, paths), options, context.seed, {}};
  const std::optional<PosedFit> posed = ChooseEstimator(request).Pose(request, planned);
  if (!posed) return FromFit(request, paths);

  const std::optional<ParameterInformation> information =
      InformationOf(*posed->problem, posed->point, {}, kWithoutEffect);
  if (!information)
    throw InputError({scene.file, 0, 0}, "", "the motion cannot be computed.", "Check friction and the start.");
  const ParameterMap& parameters = posed->problem->parameters();
  Identifiability out;
  out.notes = posed->notes;
  out.size = parameters.size();
  out.rank = information->rank;
  out.null_space = DescribeNullSpace(*information, parameters.paths());
  AddContactNotes(*posed, out.notes);
  if (const auto* tracks = dynamic_cast<const TrackProblem*>(posed->problem.get()))
    AddImpactConsistency(*tracks, posed->point, planned, out);
  const NumberId mass = MassWithoutForce(scene);
  if (mass)
    out.notes.push_back(
        fmt::format("no known force: mass and inertia appear only as ratios to {}.", scene.number(mass).path));
  for (int i = 0; i < parameters.size(); ++i) {
    out.parameters.push_back(Describe(*posed, *information, out.null_space, mass, i));
    const IdentifiabilityEntry& entry = out.parameters.back();
    if (!entry.identifiable && !entry.lower && information->determined[static_cast<std::size_t>(i)]) --out.rank;
  }
  return out;
}

}  // namespace ricochet
