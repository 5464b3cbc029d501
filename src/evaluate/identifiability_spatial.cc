// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/identifiability_spatial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics/kinematics.h"
#include "estimators/spatial_trajectory/spatial_fit.h"

namespace ricochet {
namespace {

constexpr double kUsualNoise = 1e-3;  // [m], [rad], where the scene gives none

/// Rows of the planned recording; poses are filled in by SpatialFit::Plan.
PoseTracks PlannedPoses(const SpatialFamily& family, double rate) {
  const Scene& scene = family.scene();
  const double duration = scene[scene.simulation.duration] > 0 ? scene[scene.simulation.duration] : 1.0;
  PoseTracks track;
  track.name = "planned motion";
  track.bodies = family.moving();
  for (int i = 0; i <= static_cast<int>(std::lround(duration * rate)); ++i) track.time.push_back(i / rate);
  track.pose.assign(track.time.size() * track.bodies.size(), SpatialPose<double>::Unit(3));
  track.present.assign(track.pose.size(), 1);
  const auto given = [&](NumberId id) { return id && scene[id] > 0 ? scene[id] : kUsualNoise; };
  track.noise_position = given(scene.observe.noise_position);
  track.noise_angle = given(scene.observe.noise_angle);
  track.noise_given = true;
  return track;
}

}  // namespace

Identifiability AnalyzeSpatialIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                              std::string_view paths, double rate) {
  const SpatialFamily family(scene, ParsePathList(scene, paths));
  Identifiability out;
  std::vector<PoseTracks> tracks;
  for (const Recording& recording : recordings) tracks.push_back(MakePoseTracks(scene, recording, family.moving()));
  const bool planned = tracks.empty();
  if (planned) tracks.push_back(PlannedPoses(family, rate));
  SpatialFit fit(family, std::move(tracks));
  const bool computed = planned ? fit.Plan(InitialState(CompileModel(scene))) : fit.Search().found;
  if (!computed)
    throw InputError(
        {planned ? scene.file : recordings.front().file, 0, 0}, "",
        planned ? "the planned motion cannot be computed." : "no motion of the model follows the recording.",
        "Check the scene's surfaces, shapes and start.");
  for (const auto& recording : fit.recordings)
    if (!recording->problem.empty()) out.notes.push_back(recording->track.name + ": " + recording->problem);

  // What touches, and how.
  bool touched = false, slid = false;
  double needed = 0;
  RolloutResult motion;
  for (std::size_t k = 0; k < fit.used.size(); ++k) {
    if (!fit.Predict(static_cast<int>(k), motion)) continue;
    touched = touched || motion.touched;
    slid = slid || motion.slid;
    needed = std::max(needed, motion.friction_needed);
  }
  if (!touched)
    out.notes.emplace_back(
        "nothing touches: a free flight contains no information about friction or restitution. Let the body hit a "
        "surface.");
  else if (!slid)
    out.notes.push_back(fmt::format(
        "every contact sticks: friction has only a lower limit (at least {:.3g}). Make the contact slide.", needed));
  const bool only_ratios = scene.actions.empty() && family.moving().size() == 1;
  const Body& body = scene.bodies[static_cast<std::size_t>(family.moving()[0])];
  if (only_ratios)
    out.notes.push_back(
        fmt::format("no known force: mass and inertia appear only as ratios to bodies.{}.mass.", body.name));

  out.size = family.size();
  out.rank = fit.information.rank;
  std::vector<std::string> names;
  for (const SelectedParameter& selected : family.selected()) names.push_back(selected.path);
  out.null_space = DescribeNullSpace(fit.information, names);
  for (int i = 0; i < family.size(); ++i) {
    IdentifiabilityEntry entry;
    const SelectedParameter& selected = family.selected()[static_cast<std::size_t>(i)];
    entry.path = selected.path;
    entry.unit = UnitOf(scene, selected);
    entry.value = fit.point.common[i];
    entry.identifiable = fit.information.determined[static_cast<std::size_t>(i)];
    if (entry.identifiable) entry.std = std::sqrt(fit.information.covariance(i, i));
    if (only_ratios && !selected.denominator && selected.numerator == body.mass) {
      // Alone it would seem identifiable, through the ratio to moments that are held.
      if (entry.identifiable) --out.rank;
      entry.identifiable = false;
      entry.std.reset();
      entry.reason = "no known force: only ratios to it are identifiable. Add a known force, or request inertia / mass";
    } else if (family.quantity(i) == Quantity::kFriction && !slid) {
      entry.identifiable = false;
      entry.std.reset();
      if (touched) entry.lower = needed;
      entry.reason = touched ? "every contact sticks; make it slide" : "nothing touches; let the body hit a surface";
    } else if (!entry.identifiable) {
      entry.reason = touched ? out.null_space : "nothing touches; let the body hit a surface";
    }
    out.parameters.push_back(entry);
  }
  return out;
}

}  // namespace ricochet
