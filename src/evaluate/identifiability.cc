// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identifiability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "core/context.h"
#include "estimators/estimator.h"
#include "estimators/planar/planar_report.h"
#include "estimators/planar_trajectory/track_problem.h"
#include "estimators/regression/find_impacts.h"
#include "estimators/regression/impact_dynamics.h"
#include "evaluate/identifiability_spatial.h"
#include "inference/information.h"
#include "ricochet/identify.h"

namespace ricochet {
namespace {

constexpr double kUsualNoise = 1e-3;  // [m], [rad], where the scene gives none

/// The scene's own motion, observed without noise at a given rate.
PlanarTrack PlannedTrack(const PlanarFamily& family, double rate, Eigen::VectorXd& z) {
  const Scene& scene = family.scene();
  const Body& body = scene.bodies[static_cast<std::size_t>(family.body())];
  const Initial* initial = nullptr;
  for (const Initial& entry : scene.initial)
    if (entry.name == body.name) initial = &entry;
  if (!initial || initial->position.empty())
    throw InputError({scene.file, 0, 0}, "initial." + body.name, "without recordings the scene must define a motion.",
                     "Give `initial` for the body, or a recording.");
  const double duration =
      scene.simulation.duration && scene[scene.simulation.duration] > 0 ? scene[scene.simulation.duration] : 1.0;
  PlanarTrack track;
  track.name = "planned motion";
  for (int i = 0; i <= static_cast<int>(std::lround(duration * rate)); ++i) track.time.push_back(i / rate);
  track.pose.assign(track.time.size(), Eigen::Vector3d::Zero());
  const auto noise = [&](NumberId id) { return id && scene[id] > 0 ? scene[id] : kUsualNoise; };
  track.noise_position = noise(scene.observe.noise_position);
  track.noise_angle = noise(scene.observe.noise_angle);
  track.noise_given = true;
  z.resize(kTrackState + family.size());
  const double angle = initial->orientation.empty() ? 0.0 : scene[initial->orientation[0]];
  const double c = std::cos(angle), s = std::sin(angle), cx = scene[body.center_of_mass[0]],
               cy = scene[body.center_of_mass[1]];
  z[0] = scene[initial->position[0]] + c * cx - s * cy;
  z[1] = scene[initial->position[1]] + s * cx + c * cy;
  z[2] = angle;
  z[3] = initial->velocity.empty() ? 0.0 : scene[initial->velocity[0]];
  z[4] = initial->velocity.empty() ? 0.0 : scene[initial->velocity[1]];
  z[5] = initial->angular_velocity.empty() ? 0.0 : scene[initial->angular_velocity[0]];
  z.tail(family.size()) = family.start();
  TrackResiduals residuals(family, track);
  if (!residuals.Predict(z, track.pose))
    throw InputError({scene.file, 0, 0}, "", "the planned motion cannot be computed.", "Check friction and the start.");
  return track;
}

/// Appends (31) and (32) for the impacts of one recording or motion.
void AppendConsistency(const std::vector<ImpactSample>& impacts, int recording, Identifiability& out) {
  const Consistency consistency = CheckConsistency(impacts);
  for (const ImpactRatio& impact : consistency.impacts)
    out.consistency.push_back({recording, impact.time, impact.ratio, impact.std, impact.deviation, impact.consistent});
  out.consistent = out.consistent && consistency.consistent;
}

/// What the fit of any method says, through the interface that all of them have (estimators/assess_fit.h).
Identifiability FromFit(const Scene& scene, const std::vector<Recording>& recordings, std::string_view paths,
                        std::string_view method) {
  IdentifyOptions options;
  options.method = method;
  options.information = true;
  const Estimate estimate = Identify(scene, recordings, paths, options, CurrentContext()).estimate;
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
                              parameter.combination});
  return out;
}

}  // namespace

Identifiability AnalyzeIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                       std::string_view paths, const IdentifiabilityOptions& how,
                                       const Context& context) {
  const ContextScope scope(context, "identifiability");
  const std::string& method = how.method;
  const double rate = how.rate;
  if (method != "auto" || !scene.joints.empty()) {
    if (recordings.empty())
      throw InputError({scene.file, 0, 0}, method == "auto" ? "joints" : "method",
                       "without recordings only free bodies by method auto have a planned motion.",
                       "Simulate a recording with rate and noise, and give it.");
    return FromFit(scene, recordings, paths, method);
  }
  if (scene.space == Space::kSpatial) return AnalyzeSpatialIdentifiability(scene, recordings, paths, rate);
  const int body_index = MovingPlanarBody(scene);
  const IdentifyOptions options;
  const IdentifyRequest request{scene, recordings, ParsePathList(scene, paths), options, context.seed};
  const auto shared = std::make_shared<const PlanarFamily>(scene, request.parameters, body_index);
  const PlanarFamily& family = *shared;
  const Body& moving = scene.bodies[static_cast<std::size_t>(body_index)];
  Identifiability out;
  const int p = family.size();

  // The motions, fitted or planned, as a problem of the requested parameters.
  std::vector<TrackBlock> blocks;
  FitPoint point;
  if (recordings.empty()) {
    Eigen::VectorXd z;
    TrackBlock& planned = blocks.emplace_back();
    planned.recorded = planned.fit.track = PlannedTrack(family, rate, z);
    planned.fit.rejected.assign(static_cast<std::size_t>(planned.recorded.size()), 0);
    point = {z.tail(p), {z.head(kTrackState)}};
  } else {
    const auto reduced = std::make_shared<const PlanarFamily>(scene, RefuseMass(request).parameters, body_index);
    for (std::size_t k = 0; k < recordings.size(); ++k) {
      const Recording& recording = recordings[k];
      const PlanarTrack track = MakePlanarTrack(scene, recording, body_index);
      TrackFit found = FitTrack(*reduced, track);
      if (!found.usable) {
        out.notes.push_back(fmt::format("{}: {}", recording.file, found.problem));
        continue;
      }
      PlanarTrack scatter = track;
      EstimateNoise(FreeAcceleration(*reduced), scatter);
      if (found.track.noise_position > kWrongNoise * scatter.noise_position ||
          found.track.noise_angle > kWrongNoise * scatter.noise_angle || LagCorrelation(found.residuals) > kCorrelated)
        out.notes.push_back(
            fmt::format("{}: no motion of the scene explains it (residuals {:.3g} m, {:.3g} rad), so this result does "
                        "not hold. Check shape, center of mass, surfaces, units and the parameters that are held.",
                        recording.file, found.track.noise_position, found.track.noise_angle));
      blocks.push_back({track, static_cast<int>(k), std::move(found), true});
    }
    if (blocks.empty())
      throw InputError({recordings.front().file, 0, 0}, "", "no recording can be used: " + out.notes.front(),
                       "Record impacts.");
    // The same motions in terms of the requested parameters.
    point = TrackProblem(reduced, blocks, {}).Search().point;
    point.values = family.parameters().ValuesOf(reduced->Calibrated(point.values));
  }
  const TrackProblem problem(shared, blocks, {});
  const std::optional<ParameterInformation> computed = InformationOf(problem, point, {}, 1e-6);
  if (!computed)
    throw InputError({scene.file, 0, 0}, "", "the motion cannot be computed.", "Check friction and the start.");
  const ParameterInformation& information = *computed;

  // Impacts of the motions.
  bool slid = false;
  double needed = 0;
  int impacts = 0;
  int several = 0;  // impacts of several contacts at once
  double turn = 0;  // largest jump of the rate, at the body's rim, over that of the velocity
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const PlanarTrack& track = blocks[k].fit.track;
    Eigen::VectorXd z(kTrackState + p);
    z << point.local[k], point.values;
    std::vector<Eigen::Vector3d> poses;
    EventSummary motion;
    std::vector<EventRecord> records;
    TrackResiduals(family, track).Predict(z, poses, &motion, &records);
    slid = slid || motion.slid;
    needed = std::max(needed, motion.friction_needed);
    int together = 0;
    const std::vector<ImpactSample> strong = ImpactsOfMotion(family, track, z, records, &together);
    for (const ImpactSample& impact : strong)
      turn = std::max(turn, std::abs(impact.Jump()[2]) * size / impact.Jump().head<2>().norm());
    impacts += static_cast<int>(strong.size()) + together;
    several += together;
    const Eigen::MatrixXd dynamics = DynamicsMatrix(strong, size);
    if (!strong.empty() && dynamics.cols() > out.dynamics_columns) {
      out.dynamics_columns = static_cast<int>(dynamics.cols());
      out.dynamics_rank = DynamicsRank(dynamics);
    }
    // (32) as the recording shows it, where flights on both sides of impacts can be read; else of the computed motion.
    std::vector<ImpactSample> seen;
    if (!recordings.empty()) seen = FindImpacts(family, blocks[k].recorded).impacts;
    out.measured = out.measured || !seen.empty();
    AppendConsistency(seen.empty() ? strong : seen, blocks[k].recording, out);
  }
  out.size = p;
  out.rank = information.rank;
  // In relative changes, so that ratios read as ratios.
  out.null_space = DescribeNullSpace(information, family.parameters().paths());

  if (impacts == 0)
    out.notes.push_back(
        "no impact: a free flight contains no information about inertia, friction or restitution. Let the body hit a "
        "surface.");
  if (impacts > several && turn < 1e-6)
    out.notes.push_back(
        "no impact changes the rotation, so the inertia has no effect. Throw the body tilted, so that it lands off its "
        "center.");
  if (several > 0)
    out.notes.push_back(
        fmt::format("{} impacts have several contacts at once (the body lands on an edge): they count for the "
                    "parameters, but not for (29) to (32), which are for one contact.",
                    several));
  if (!out.consistent)
    out.notes.push_back(
        "the impacts disagree on inertia over mass (Gabiccini eq. 32): the motion is not that of one rigid body with "
        "these surfaces. Check shape, center of mass, surfaces and the noise.");
  if (impacts > 0 && !slid)
    out.notes.push_back(
        fmt::format("every contact sticks: friction has only a lower limit (at least {:.3g}). Throw faster along the "
                    "surface, or at a flatter angle, so that the contact slides.",
                    needed));
  if (scene.actions.empty())
    out.notes.push_back(fmt::format(
        "no known force: mass and inertia appear only as bodies.{0}.inertia/bodies.{0}.mass.", moving.name));
  for (int i = 0; i < p; ++i) {
    IdentifiabilityEntry entry;
    const SelectedParameter& selected = request.parameters[static_cast<std::size_t>(i)];
    entry.path = selected.path;
    entry.unit = UnitOf(scene, selected);
    entry.value = point.values[i];
    entry.identifiable = information.determined[static_cast<std::size_t>(i)];
    if (entry.identifiable) entry.std = std::sqrt(information.covariance(i, i));
    if (family.role(i) == PlanarRole::kFriction && !slid) {
      entry.identifiable = false;
      entry.std.reset();
      entry.lower = needed;
      entry.reason = "every contact sticks; make it slide";
    } else if (!entry.identifiable) {
      entry.reason = impacts == 0 ? "no impact; let the body hit a surface" : out.null_space;
    }
    out.parameters.push_back(entry);
  }
  return out;
}

}  // namespace ricochet
