// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_start.h"

#include <algorithm>
#include <cmath>

#include "estimators/planar_trajectory/track_fit.h"
#include "estimators/planar_trajectory/track_together.h"
#include "estimators/program/joint_schedule.h"
#include "estimators/program/joint_solve.h"
#include "math/statistics.h"
#include "observation/without_observation.h"

namespace ricochet {
namespace {

EventBody<double> BodyOf(const PlanarFamily& family) {
  return family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body();
}

/// Poses of the center of mass at the frames.
std::vector<Eigen::Vector3d> CenterPoses(const PlanarFamily& family, const PlanarTrack& track) {
  const Scene& scene = family.scene();
  const Body& moving = scene.bodies[static_cast<std::size_t>(family.body())];
  const Eigen::Vector2d com(scene[moving.center_of_mass[0]], scene[moving.center_of_mass[1]]);
  std::vector<Eigen::Vector3d> poses = track.pose;
  for (Eigen::Vector3d& pose : poses) {
    const double c = std::cos(pose[2]), s = std::sin(pose[2]);
    pose.head<2>() += Eigen::Vector2d(c * com.x() - s * com.y(), s * com.x() + c * com.y());
  }
  return poses;
}

double TypicalSpeed(const PlanarTrack& track, double size) {
  std::vector<double> speeds;
  for (std::size_t i = 1; i < track.pose.size(); ++i) {
    const Eigen::Vector3d step = track.pose[i] - track.pose[i - 1];
    speeds.push_back((step.head<2>().norm() + size * std::abs(step[2])) / (track.time[i] - track.time[i - 1]));
  }
  return std::max(Median(speeds), 1e-3 * size);
}

/// Contacts where impulses remain after the homotopy.
std::vector<JointStretch> Gather(const JointProgram& program, double grid) {
  const JointChain& chain = program.chains()[0];
  const EventBody<double>& body = program.body();
  const double least = 0.15 * grid * program.Acceleration(chain.track.time.front()).head<2>().norm();
  std::vector<JointStretch> stretches;
  const int n = static_cast<int>(chain.nodes.size());
  for (int candidate = 0; candidate < body.candidate_count; ++candidate) {
    std::vector<double> impulse(static_cast<std::size_t>(n), 0.0);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < chain.nodes[static_cast<std::size_t>(k)].contact_count; ++i)
        if (chain.nodes[static_cast<std::size_t>(k)].contacts[static_cast<std::size_t>(i)].candidate == candidate)
          impulse[static_cast<std::size_t>(k)] =
              chain.nodes[static_cast<std::size_t>(k)].contacts[static_cast<std::size_t>(i)].impulse *
              body.inverse_mass;
    for (int k = 1; k + 1 < n; ++k) {
      if (impulse[static_cast<std::size_t>(k)] < least) continue;
      int end = k;
      while (end + 1 < n && (impulse[static_cast<std::size_t>(end) + 1] >= least ||
                             (end + 2 < n && impulse[static_cast<std::size_t>(end) + 2] >= least)))
        ++end;
      double sum = 0, moment = 0;
      for (int j = k; j <= end; ++j) {
        sum += impulse[static_cast<std::size_t>(j)];
        moment += impulse[static_cast<std::size_t>(j)] * chain.nodes[static_cast<std::size_t>(j)].time;
      }
      JointStretch stretch{chain.nodes[static_cast<std::size_t>(k)].time,
                           chain.nodes[static_cast<std::size_t>(end)].time, candidate, 0};
      const JointNode& middle = chain.nodes[static_cast<std::size_t>((k + end) / 2)];
      const double slip = program.Slip(chain, std::min((k + end) / 2, n - 2), candidate);
      double tangential = 0;
      for (int g = 0; g < middle.friction_count; ++g)
        tangential += std::abs(middle.frictions[static_cast<std::size_t>(g)].impulse);
      const double bound =
          body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)].friction;
      if (tangential > 0.8 * bound * middle.contacts[0].impulse) stretch.slip = slip > 0 ? 1 : -1;
      if (end - k <= 2) stretch.from = stretch.to = moment / sum;
      stretches.push_back(stretch);
      k = end;
    }
  }
  return stretches;
}

}  // namespace

double ContactStep(const PlanarFamily& family, const PlanarTrack& track) {
  const EventBody<double> body = BodyOf(family);
  const double g = std::max(FreeAcceleration(family).head<2>().norm(), 1e-3);
  double rate = 0;
  std::vector<double> rates;
  for (std::size_t i = 1; i < track.pose.size(); ++i)
    rates.push_back(std::abs(track.pose[i][2] - track.pose[i - 1][2]) / (track.time[i] - track.time[i - 1]));
  std::sort(rates.begin(), rates.end());
  rate = rates[rates.size() * 9 / 10];
  double step = 0.014 * std::sqrt(body.size / g);
  if (rate > 0) step = std::min(step, 0.05 / rate);
  return std::max(step, (track.time.back() - track.time.front()) / 4000);
}

std::optional<JointStart> SoftStart(const PlanarFamily& family, const PlanarTrack& track) {
  const EventBody<double> body = BodyOf(family);
  const std::vector<Eigen::Vector3d> poses = CenterPoses(family, track);
  JointChain chain;
  chain.track = track;
  chain.rejected.assign(static_cast<std::size_t>(track.size()), 0);
  chain.step = ContactStep(family, track);
  const double first = track.time.front(), length = track.time.back() - first;
  const int count = std::max(8, static_cast<int>(std::ceil(length / (2 * chain.step))));
  const double grid = length / count;
  const Eigen::Vector3d a = FreeAcceleration(family);
  int frame = 0;
  for (int k = 0; k <= count; ++k) {
    JointNode node;
    node.time = first + k * grid;
    node.knot = k == 0 || k == count;
    node.soft = true;
    node.grid_time = node.time;
    node.grid = grid;
    while (frame + 2 < track.size() && track.time[static_cast<std::size_t>(frame) + 1] < node.time) ++frame;
    const std::size_t f = static_cast<std::size_t>(frame);
    const double s = node.time - track.time[f], h = track.time[f + 1] - track.time[f];
    node.q = poses[f] + (poses[f + 1] - poses[f]) * (s / h) - a * (0.5 * s * (h - s));
    // The two nearest candidates may touch.
    std::vector<std::pair<double, int>> near;
    for (int i = 0; i < body.candidate_count && !node.knot; ++i) {
      const double gap = body.Gap(i, node.q).phi;
      if (gap < 0.6 * body.size) near.emplace_back(gap, i);
    }
    std::sort(near.begin(), near.end());
    for (const auto& [gap, candidate] : near) {
      if (node.contact_count == 2) break;
      const int group = body.candidates[static_cast<std::size_t>(candidate)].group;
      bool known = false;
      for (int g = 0; g < node.friction_count; ++g)
        known = known || node.frictions[static_cast<std::size_t>(g)].group == group;
      node.contacts[static_cast<std::size_t>(node.contact_count++)] = {candidate, 0.0};
      if (!known) node.frictions[static_cast<std::size_t>(node.friction_count++)] = {group, 0, 0.0};
    }
    node.moves = node.contact_count > 0;
    chain.nodes.push_back(node);
  }
  JointStart start;
  start.speed = TypicalSpeed(track, body.size);
  JointProgram program(family, {chain}, family.start());
  JointWeights& weights = program.weights();
  weights.speed = start.speed;
  weights.huber = 4;
  weights.penalty = 10;
  weights.jump = std::max(grid * a.head<2>().norm(), 0.2 * track.noise_position * track.size() / length);
  const double finest = 0.3 * track.noise_position;
  weights.gap = 0.2 * body.size;
  weights.slip = 0.5 * start.speed;
  std::fill(program.held().begin(), program.held().end(), static_cast<char>(1));
  for (int level = 0; level < 12; ++level) {
    JointSolveOptions options;
    options.rounds = 1;
    options.iterations = 15;
    options.tolerance = 0.1;
    start.iterations += SolveJoint(program, options).iterations;
    std::fill(program.held().begin(), program.held().end(), static_cast<char>(0));
    if (weights.gap <= finest && level > 0) break;
    weights.gap /= 3;
    weights.slip /= 3;
  }
  const std::vector<JointStretch> stretches = Gather(program, grid);
  if (stretches.empty()) return std::nullopt;
  start.params = program.params();
  start.chain = chain;
  const JointChain& soft = program.chains()[0];
  LayNodes(
      family, stretches, [&](double t) { return program.PoseAt(soft, t); }, start.chain);
  return start;
}

namespace {

/// The family with restitution, which is needed to roll out, requested or not.
PlanarFamily WithRestitution(const PlanarFamily& family) {
  std::vector<SelectedParameter> parameters = family.parameters().selected();
  const Scene& scene = family.scene();
  const Body& body = scene.bodies[static_cast<std::size_t>(family.body())];
  for (const Surface& surface : scene.surfaces) {
    const NumberId id = scene.LawOf(body.name, surface.name).restitution;
    bool known = !id;
    for (const SelectedParameter& selected : parameters)
      known = known || (!selected.denominator && selected.numerator == id);
    if (!known) parameters.push_back({"restitution", id, {}});
  }
  return {WithoutObservation(scene), parameters, family.body()};
}

/// Nodes along a fitted motion of `wider`.
JointStart LayRollout(const PlanarFamily& family, const PlanarFamily& wider, const PlanarTrack& track,
                      const TrackFit& fit) {
  JointStart start;
  start.iterations = fit.iterations;
  start.exact = Eigen::Vector3d(fit.track.noise_position, fit.track.noise_angle, fit.chi2);
  start.speed = TypicalSpeed(track, BodyOf(family).size);
  start.params = fit.z.segment(kTrackState, family.size());
  start.chain.track = track;
  start.chain.rejected.assign(static_cast<std::size_t>(track.size()), 0);
  start.chain.step = ContactStep(family, track);
  std::vector<JointStretch> stretches;
  for (const EventRecord& record : fit.records)
    stretches.push_back({record.time, record.time + record.duration, record.candidate, record.slip});
  const auto begin = [&] {
    EventMotion<double> motion =
        wider.Motion<double>({fit.z.data() + kTrackState, static_cast<std::size_t>(wider.size())});
    motion.Start(track.time[0], fit.z.head<3>(), fit.z.segment<3>(3));
    return motion;
  };
  EventMotion<double> motion = begin();
  LayNodes(
      family, stretches,
      [&](double t) {
        if (t < motion.time()) motion = begin();
        motion.AdvanceTo(t);
        return Eigen::Vector3d(motion.q());
      },
      start.chain);
  return start;
}

}  // namespace

std::optional<JointStart> RolloutStart(const PlanarFamily& family, const PlanarTrack& track, std::uint64_t seed) {
  const PlanarFamily wider = WithRestitution(family);
  const TrackFit fit = FitTrack(wider, track, {.seed = seed});
  if (!fit.usable) return std::nullopt;
  return LayRollout(family, wider, track, fit);
}

std::vector<JointStart> RolloutStarts(const PlanarFamily& family, const std::vector<PlanarTrack>& tracks,
                                      std::uint64_t seed) {
  const PlanarFamily wider = WithRestitution(family);
  std::vector<TrackFit> fits;
  for (const PlanarTrack& track : tracks) {
    fits.push_back(FitTrack(wider, track, {.seed = seed}));
    if (!fits.back().usable) return {};
  }
  FitTogether(wider, fits);
  std::vector<JointStart> starts;
  for (std::size_t k = 0; k < fits.size(); ++k) {
    std::vector<Eigen::Vector3d> poses;
    fits[k].records.clear();
    if (!TrackResiduals(wider, fits[k].track).Predict(fits[k].z, poses, nullptr, &fits[k].records)) return {};
    starts.push_back(LayRollout(family, wider, tracks[k], fits[k]));
  }
  return starts;
}

}  // namespace ricochet
