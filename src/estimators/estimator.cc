// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/hash.h"
#include "core/ranks.h"
#include "core/text.h"
#include "core/version.h"
#include "model/parameter_map.h"

namespace ricochet {

std::vector<const Estimator*> AllEstimators() {
  return {&PlanarTrajectory(), &SpatialTrajectory(), &SpatialVelocity(),
          &Regression(),       &PlanarJoint(),       &InverseDynamics()};
}

int MovingPlanarBody(const Scene& scene) {
  int found = -1;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed || !scene.bodies[i].shape) continue;
    if (found >= 0)
      throw InputError(scene.bodies[i].where, "bodies." + scene.bodies[i].name,
                       "planar identification takes one moving body.", "Put each body in a scene of its own.");
    found = static_cast<int>(i);
  }
  if (found < 0)
    throw InputError({scene.file, 0, 0}, "bodies", "no body that moves has a shape, so nothing can touch.",
                     "Give the body a `shape`.");
  return found;
}

Estimate EmptyEstimate(const IdentifyRequest& request, std::string_view method) {
  Estimate estimate;
  estimate.method = method;
  estimate.version = std::string(Version());
  for (const SelectedParameter& selected : request.wanted) {
    EstimatedParameter parameter;
    parameter.path = selected.path;
    parameter.unit = UnitOf(request.scene, selected);
    parameter.start = ValueOf(request.scene, selected);
    estimate.parameters.push_back(parameter);
  }
  const Eigen::Index n = static_cast<Eigen::Index>(request.wanted.size());
  estimate.covariance = Eigen::MatrixXd::Constant(n, n, NAN);
  return estimate;
}

MassRefusal RefuseMass(const IdentifyRequest& request, int body) {
  MassRefusal out;
  const Body& moving = request.scene.bodies[static_cast<std::size_t>(body)];
  const bool forces = !request.scene.actions.empty();
  const auto ratio = [&](NumberId moment) {
    return fmt::format("{}/bodies.{}.mass", request.scene.number(moment).path, moving.name);
  };
  const auto is_moment = [&](const SelectedParameter& selected) {
    return !selected.denominator &&
           std::find(moving.inertia.begin(), moving.inertia.end(), selected.numerator) != moving.inertia.end();
  };
  const auto is_mass = [&](const SelectedParameter& selected) {
    return !selected.denominator && selected.numerator == moving.mass;
  };
  // The one moment of a planar body, or the moments asked for.
  std::vector<NumberId> moments;
  if (moving.inertia.size() == 1) moments = moving.inertia;
  bool mass = false;
  for (const SelectedParameter& selected : request.wanted) {
    mass = mass || is_mass(selected);
    if (moving.inertia.size() > 1 && is_moment(selected)) moments.push_back(selected.numerator);
  }
  out.combination =
      moments.empty() ? fmt::format("bodies.{0}.inertia/bodies.{0}.mass", moving.name) : ratio(moments[0]);
  if (mass && moments.empty()) moments = moving.inertia;
  for (const SelectedParameter& selected : request.wanted) {
    if (forces || !mass || (!is_mass(selected) && !is_moment(selected))) {
      out.index.push_back(static_cast<int>(out.wanted.size()));
      out.wanted.push_back(selected);
      continue;
    }
    out.index.push_back(-1);
    if (!out.refused)
      for (const NumberId moment : moments) out.wanted.push_back({ratio(moment), moment, moving.mass});
    out.refused = true;
  }
  return out;
}

MassRefusal RefuseMass(const IdentifyRequest& request) {
  int moving = -1, count = 0;
  for (std::size_t i = 0; i < request.scene.bodies.size(); ++i)
    if (!request.scene.bodies[i].fixed) moving = static_cast<int>(i), ++count;
  if (count == 1) return RefuseMass(request, moving);
  MassRefusal none;
  none.wanted = request.wanted;
  for (std::size_t i = 0; i < request.wanted.size(); ++i) none.index.push_back(static_cast<int>(i));
  return none;
}

namespace {

/// What a method does not obey is refused, never ignored.
void RefuseUnknownOptions(const Estimator& chosen, const IdentifyRequest& request) {
  const IdentifyOptions& options = request.options;
  const std::pair<const char*, bool> given[] = {{"--bootstrap", options.bootstrap > 0},
                                                {"--profile", !options.profiles.empty()},
                                                {"--impact-restitutions", options.impact_restitutions > 0},
                                                {"--start", options.start.kind != RollStart{}.kind},
                                                {"--compare-friction", options.compare_friction},
                                                {"--residual", options.residual != "motion"}};
  for (const auto& [option, is_given] : given) {
    if (!is_given || chosen.Knows(option)) continue;
    std::vector<std::string> others;
    for (const Estimator* estimator : AllEstimators())
      if (estimator->Knows(option) && estimator->Refusal(request).empty() &&
          std::find(others.begin(), others.end(), estimator->name()) == others.end())
        others.emplace_back(estimator->name());
    throw InputError(
        {}, option,
        fmt::format("{} does not know it in {} scenes.", chosen.name(),
                    request.scene.space == Space::kPlanar ? "planar" : "spatial"),
        others.empty() ? "Leave it out." : fmt::format("Leave it out; methods that know it are {}.", JoinList(others)));
  }
}

/// A recording given twice counts as two, and deviations seem smaller than they are.
void WarnOfCopies(const std::vector<Recording>& recordings, Estimate& estimate) {
  std::map<std::string, const Recording*> seen;
  for (const Recording& recording : recordings) {
    std::string key(reinterpret_cast<const char*>(recording.time.data()), recording.time.size() * sizeof(double));
    for (const std::vector<double>& column : recording.values)
      key.append(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(double));
    const auto [at, is_new] = seen.emplace(Sha256Hex(key), &recording);
    if (!is_new)
      estimate.warnings.push_back(fmt::format(
          "{} has the rows of {}: it counts twice, and standard deviations are too small. Give each recording once",
          recording.file, at->second->file));
  }
}

}  // namespace

Identification Identify(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        const IdentifyOptions& options) {
  IdentifyRequest request{scene, recordings, ParsePathList(scene, paths), options};
  if (request.wanted.empty())
    throw InputError({}, "--estimate", "no parameter is named.",
                     "Name the numbers to estimate, for example contact.friction.");
  if (recordings.empty()) throw InputError({}, "", "no recording is given.", "Give at least one recording.");
  if (options.residual != "motion" && options.residual != "paper")
    throw InputError({}, "--residual", fmt::format("`{}` is no residual.", Printable(options.residual)),
                     "Write motion (the rigid motion itself) or paper (impulses of one step of spook).");
  if (options.kappa && !(*options.kappa > 0 && std::isfinite(*options.kappa)))
    throw InputError({}, "--kappa", fmt::format("{:g} is no weight.", *options.kappa),
                     "Give a positive number, or leave it out: it is then chosen from the sizes of both residuals.");
  if (options.kappa && options.residual != "paper")
    throw InputError({}, "--kappa", "it weighs the residuals of the paper, which were not asked for.",
                     "Add --residual paper, or leave it out.");
  std::string choice;
  const Estimator* chosen = nullptr;
  std::vector<std::string> names, refusals;
  for (const Estimator* estimator : AllEstimators()) {
    if (std::find(names.begin(), names.end(), estimator->name()) == names.end()) names.emplace_back(estimator->name());
    if (chosen || (options.method != "auto" && options.method != estimator->name())) continue;
    const std::string refusal = estimator->Refusal(request);
    if (refusal.empty())
      chosen = estimator;
    else
      refusals.push_back(fmt::format("{}: {}", estimator->name(), refusal));
  }
  if (!chosen && refusals.empty())
    throw InputError({}, "--method", fmt::format("there is no estimator `{}`.", Printable(options.method)),
                     SuggestName(options.method, names));
  if (!chosen)
    throw InputError({scene.file, 0, 0}, "--method", JoinList(refusals) + ".",
                     "Use --method auto, or a scene that the method is for.");
  RefuseUnknownOptions(*chosen, request);
  if (options.bootstrap == 1)
    throw InputError({}, "--bootstrap", "one repetition tells no deviation.",
                     "Give 2 at least; 100 tell a deviation to 7 %.");
  if (options.bootstrap > 0) RefuseOtherInputs(options.fingerprint);
  Identification result = chosen->Run(request);
  WarnOfCopies(recordings, result.estimate);
  result.estimate.choice =
      options.method == "auto"
          ? fmt::format(
                "method auto -> {} ({})", chosen->name(),
                !scene.joints.empty() ? "jointed bodies: maximum likelihood of joint angles in minimal coordinates"
                : scene.space == Space::kPlanar
                    ? "planar, one body: the fit on event-exact motion reaches the physical limit"
                    : fmt::format("poses in space: maximum likelihood on the motion of {}", scene.simulation.method))
          : fmt::format("method {} as asked", chosen->name());
  return result;
}

}  // namespace ricochet
