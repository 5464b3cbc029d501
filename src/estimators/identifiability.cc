// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/identifiability.h"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "estimators/estimator.h"
#include "estimators/identifiability_spatial.h"
#include "estimators/impact_regression.h"
#include "estimators/track_fit.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

/// The scene's own motion, observed without noise at a given rate.
PlanarTrack PlannedTrack(const PlanarFamily& family, double rate, Eigen::VectorXd& z) {
  const Scene& scene = family.scene();
  const Body& body = scene.bodies[static_cast<std::size_t>(family.body())];
  const Initial* initial = nullptr;
  for (const Initial& entry : scene.initial)
    if (entry.name == body.name) initial = &entry;
  if (!initial || initial->position.empty())
    throw InputError({scene.file, 0, 0}, "initial." + body.name, "without recordings the planned motion is needed.",
                     "Give `initial` for the body, or a recording.");
  const double duration =
      scene.simulation.duration && scene[scene.simulation.duration] > 0 ? scene[scene.simulation.duration] : 1.0;
  PlanarTrack track;
  track.name = "planned motion";
  for (int i = 0; i <= static_cast<int>(std::lround(duration * rate)); ++i) track.time.push_back(i / rate);
  track.pose.assign(track.time.size(), Eigen::Vector3d::Zero());
  const bool given = scene.observe.noise_position && scene[scene.observe.noise_position] > 0;
  track.noise_position = given ? scene[scene.observe.noise_position] : 1e-3;
  track.noise_angle =
      scene.observe.noise_angle && scene[scene.observe.noise_angle] > 0 ? scene[scene.observe.noise_angle] : 1e-3;
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

/// Gabiccini's matrix (29) over the impacts of a motion: unknowns m, J, and two impulses per impact.
int DynamicsRank(const std::vector<EventRecord>& impacts, const EventBody<double>& body,
                 const std::vector<Eigen::Vector3d>& q, int& columns) {
  const Eigen::Index n = static_cast<Eigen::Index>(impacts.size());
  columns = static_cast<int>(2 + 2 * n);
  if (n == 0) return 0;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3 * n, 2 + 2 * n);
  const double mass = 1 / body.inverse_mass, inertia = 1 / body.inverse_inertia, length = std::sqrt(inertia / mass);
  for (Eigen::Index k = 0; k < n; ++k) {
    const EventRecord& impact = impacts[static_cast<std::size_t>(k)];
    const EventGap<double> gap = body.Gap(impact.candidate, q[static_cast<std::size_t>(k)]);
    const EventSurface<double>& s =
        body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(impact.candidate)].group)];
    const Eigen::Vector3d normal(s.nx, s.ny, gap.r_t), tangent(s.tx, s.ty, -gap.r_n);
    const Eigen::Vector3d wrench = normal * impact.normal_impulse + tangent * impact.tangential_impulse;
    const double unit = std::max(wrench.head<2>().norm(), 1e-12);
    // Rows in units of the impulse and of its moment at the radius of gyration, so that rank is a matter of shape.
    a.block<2, 1>(3 * k, 0) = wrench.head<2>() / unit;
    a(3 * k + 2, 1) = wrench[2] / (unit * length);
    a.block<3, 1>(3 * k, 2 + 2 * k) = -Eigen::Vector3d(normal[0], normal[1], normal[2] / length);
    a.block<3, 1>(3 * k, 3 + 2 * k) = -Eigen::Vector3d(tangent[0], tangent[1], tangent[2] / length);
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a);
  int rank = 0;
  for (const double value : svd.singularValues()) rank += value > 1e-9 * svd.singularValues()[0];
  return rank;
}

}  // namespace

Identifiability AnalyzeIdentifiability(const Scene& scene, const std::vector<Recording>& recordings,
                                       std::string_view paths, double rate) {
  if (scene.space == Space::kSpatial) return AnalyzeSpatialIdentifiability(scene, recordings, paths, rate);
  const int body_index = MovingPlanarBody(scene);
  const IdentifyOptions options;
  const IdentifyRequest request{scene, recordings, ParsePathList(scene, paths), options};
  const PlanarFamily family(scene, request.wanted, body_index);
  const Body& moving = scene.bodies[static_cast<std::size_t>(body_index)];
  Identifiability out;
  const int p = family.size();

  // Motions: fitted, or planned.
  std::vector<TrackFit> fits;
  if (recordings.empty()) {
    TrackFit fit;
    fit.track = PlannedTrack(family, rate, fit.z);
    TrackResiduals residuals(family, fit.track);
    residuals.Evaluate(fit.z, fit.residuals, &fit.jacobian);
    std::vector<Eigen::Vector3d> poses;
    residuals.Predict(fit.z, poses, &fit.motion, &fit.records);
    fits.push_back(fit);
  } else {
    const MassRefusal refusal = RefuseMass(request, body_index);
    const PlanarFamily reduced(scene, refusal.wanted, body_index);
    for (const Recording& recording : recordings) {
      TrackFit found = FitTrack(reduced, MakePlanarTrack(scene, recording, body_index));
      if (!found.usable) {
        out.notes.push_back(fmt::format("{}: {}", recording.file, found.problem));
        continue;
      }
      // The same motion in terms of the numbers asked for.
      Eigen::VectorXd z(kTrackState + p);
      z.head(kTrackState) = found.z.head(kTrackState);
      const Scene calibrated = reduced.Calibrated(found.z.segment(kTrackState, reduced.size()));
      for (int i = 0; i < p; ++i) {
        const SelectedParameter& selected = request.wanted[static_cast<std::size_t>(i)];
        z[kTrackState + i] =
            calibrated[selected.numerator] / (selected.denominator ? calibrated[selected.denominator] : 1.0);
      }
      found.z = z;
      TrackResiduals residuals(family, found.track);
      residuals.Evaluate(z, found.residuals, &found.jacobian);
      fits.push_back(found);
    }
    if (fits.empty())
      throw InputError({recordings.front().file, 0, 0}, "", "no recording can be used: " + out.notes.front(),
                       "Record impacts.");
  }

  // Information about the numbers with every initial state unknown: Schur complements add up over recordings.
  Eigen::MatrixXd stacked(0, p);
  bool slid = false;
  double needed = 0;
  int impacts = 0;
  double turn = 0;
  for (const TrackFit& fit : fits) {
    const Eigen::MatrixXd states = fit.jacobian.leftCols(kTrackState);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(states, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::MatrixXd rest =
        fit.jacobian.rightCols(p) - svd.matrixU() * (svd.matrixU().transpose() * fit.jacobian.rightCols(p));
    Eigen::MatrixXd grown(stacked.rows() + rest.rows(), p);
    grown << stacked, rest;
    stacked = grown;
    slid = slid || fit.motion.slid;
    needed = std::max(needed, fit.motion.friction_needed);
    const EventMotion<double> motion = family.Motion<double>({fit.z.data() + kTrackState, static_cast<std::size_t>(p)});
    const EventBody<double>& body = motion.body();
    std::vector<EventRecord> strong;
    std::vector<Eigen::Vector3d> poses;
    for (const EventRecord& record : fit.records) {
      if (record.kind != EventKind::kImpact || -record.approach < 0.02) continue;
      // Pose at the impact, from the contact point alone: run the motion there.
      EventMotion<double> replay = family.Motion<double>({fit.z.data() + kTrackState, static_cast<std::size_t>(p)});
      replay.Start(fit.track.time[0], fit.z.head<3>(), fit.z.segment<3>(3));
      replay.AdvanceTo(std::max(fit.track.time[0], record.time - 1e-9));
      strong.push_back(record);
      poses.push_back(replay.q());
      const EventGap<double> gap = body.Gap(record.candidate, replay.q());
      const double moment = gap.r_t * record.normal_impulse - gap.r_n * record.tangential_impulse;
      const double spin = moment * body.inverse_inertia;
      turn = std::max(turn, std::abs(spin));
      ConsistencyEntry entry;
      entry.time = record.time;
      entry.ratio = std::abs(spin) > 1e-9 ? moment * body.inverse_mass / spin : NAN;
      out.consistency.push_back(entry);
    }
    impacts += static_cast<int>(strong.size());
    int columns = 0;
    const int rank = DynamicsRank(strong, body, poses, columns);
    if (columns > out.dynamics_columns) {
      out.dynamics_columns = columns;
      out.dynamics_rank = rank;
    }
  }
  const ParameterInformation information = AnalyzeInformation(stacked, family.scale(), 1e-6);
  out.size = p;
  out.rank = information.rank;
  std::vector<std::string> names;
  for (const SelectedParameter& selected : request.wanted) names.push_back(selected.path);
  // In relative changes, so that ratios read as ratios.
  out.null_space = DescribeNullSpace(information, names);

  if (impacts == 0)
    out.notes.push_back(
        "no impact: a free flight tells nothing about inertia, friction or restitution. Let the body hit a surface.");
  if (impacts > 0 && turn < 1e-6)
    out.notes.push_back(
        "no impact changes the rotation, so the inertia has no effect. Throw the body tilted, so that it lands off its "
        "centre.");
  if (impacts > 0 && !slid)
    out.notes.push_back(
        fmt::format("every contact sticks: friction is known only from below (at least {:.3g}). Throw faster along the "
                    "surface, or at a flatter angle, so that the contact slides.",
                    needed));
  if (scene.actions.empty())
    out.notes.push_back(fmt::format(
        "no known force: mass and inertia appear only as bodies.{0}.inertia/bodies.{0}.mass.", moving.name));
  for (int i = 0; i < p; ++i) {
    IdentifiabilityEntry entry;
    const SelectedParameter& selected = request.wanted[static_cast<std::size_t>(i)];
    entry.path = selected.path;
    entry.unit = UnitOf(scene, selected);
    entry.value = fits[0].z[kTrackState + i];
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

std::string FormatIdentifiability(const Identifiability& result) {
  using Json = nlohmann::ordered_json;
  Json out;
  out["parameters"] = Json::array();
  for (const IdentifiabilityEntry& entry : result.parameters) {
    Json p = {{"path", entry.path},
              {"value", entry.value},
              {"unit", entry.unit},
              {"identifiable", entry.identifiable},
              {"std", entry.std ? Json(*entry.std) : Json(nullptr)}};
    if (entry.lower) p["lower"] = *entry.lower;
    if (!entry.reason.empty()) p["reason"] = entry.reason;
    out["parameters"].push_back(p);
  }
  out["rank"] = result.rank;
  out["size"] = result.size;
  out["null_space"] = result.null_space;
  out["dynamics"] = {{"rank", result.dynamics_rank}, {"unknowns", result.dynamics_columns}};
  out["consistency"] = Json::array();
  for (const ConsistencyEntry& entry : result.consistency)
    out["consistency"].push_back(
        {{"t", entry.time}, {"ratio", std::isfinite(entry.ratio) ? Json(entry.ratio) : Json(nullptr)}});
  out["notes"] = result.notes;
  return out.dump(1) + "\n";
}

std::string DescribeIdentifiability(const Identifiability& result) {
  std::string out = fmt::format("rank {} of {} wanted numbers", result.rank, result.size);
  if (result.dynamics_columns > 0)
    out += fmt::format("; dynamics (Gabiccini eq. 29) rank {} of {} unknowns", result.dynamics_rank,
                       result.dynamics_columns);
  out += "\n";
  for (const IdentifiabilityEntry& entry : result.parameters) {
    out += fmt::format("{:<40} {:>12.6g} {:<6} ", entry.path, entry.value, entry.unit);
    if (entry.std)
      out += fmt::format("can be told to {:.2g}", *entry.std);
    else if (entry.lower)
      out += fmt::format("only from below: at least {:.3g}", *entry.lower);
    else
      out += "cannot be told: " + entry.reason;
    out += "\n";
  }
  if (!result.null_space.empty()) out += "null space: " + result.null_space + "\n";
  for (const std::string& note : result.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace ricochet
