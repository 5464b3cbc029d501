// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/track_channels.h"

#include <Eigen/Geometry>
#include <cmath>
#include <span>
#include <utility>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"

namespace ricochet {

std::string ChannelPrefix(const Scene& scene, std::size_t body) {
  int moving = 0;
  for (const Body& b : scene.bodies) moving += !b.fixed;
  return moving > 1 ? scene.bodies[body].name + "." : "";
}

std::string PoseUnit(bool planar, int index) {
  if (planar) return index < 2 ? "m" : "rad";
  return index < 3 ? "m" : "-";
}

std::string VelocityUnit(bool planar, int index) { return index < (planar ? 2 : 3) ? "m/s" : "rad/s"; }

void DifferentiatePose(const Scene& scene, const Model& model, std::size_t body, ReportTrack& track,
                       ChannelGroup group) {
  const bool planar = scene.space == Space::kPlanar;
  const int nq = PoseSize(scene.space), nv = VelocitySize(scene.space);
  const ReportPose* pose = nullptr;
  for (const ReportPose& p : track.poses)
    if (p.body == static_cast<int>(body)) pose = &p;
  if (!pose) return;
  const std::size_t rows = track.time.size();
  std::vector<std::vector<double>> velocity(nv, std::vector<double>(rows, NAN));
  State before, after;
  before.q = after.q = Eigen::VectorXd::Zero(nq * static_cast<Eigen::Index>(scene.bodies.size()));
  const auto load = [&](std::size_t row, State& state) {
    std::array<double, 7> values{};
    for (int i = 0; i < nq; ++i) values[i] = track.channels[pose->channels[i]].values[row];
    SetBodyPose(model, static_cast<int>(body), std::span(values.data(), nq), state);
  };
  const Eigen::Index at = nq * static_cast<Eigen::Index>(body);
  for (std::size_t row = 0; row < rows && rows > 1; ++row) {
    const std::size_t first = row > 0 ? row - 1 : row, last = row + 1 < rows ? row + 1 : row;
    load(first, before);
    load(last, after);
    const double dt = track.time[last] - track.time[first];
    for (int i = 0; i < (planar ? 2 : 3); ++i) velocity[i][row] = (after.q[at + i] - before.q[at + i]) / dt;
    if (planar) {
      velocity[2][row] = std::remainder(after.q[at + 2] - before.q[at + 2], 2 * M_PI) / dt;
    } else {
      const Eigen::Quaterniond q0(before.q[at + 3], before.q[at + 4], before.q[at + 5], before.q[at + 6]);
      const Eigen::Quaterniond q1(after.q[at + 3], after.q[at + 4], after.q[at + 5], after.q[at + 6]);
      const Eigen::AngleAxisd turn(q1 * q0.conjugate());
      const double angle = std::remainder(turn.angle(), 2 * M_PI);
      for (int i = 0; i < 3; ++i) velocity[3 + i][row] = angle * turn.axis()[i] / dt;
    }
  }
  const std::vector<std::string>& names = VelocityColumns(scene.space);
  for (int i = 0; i < nv; ++i)
    track.channels.push_back(
        {ChannelPrefix(scene, body) + names[i], VelocityUnit(planar, i), group, false, std::move(velocity[i])});
}

void AddPlacedBody(const Model& model, int body, std::array<std::vector<double>, 7> pose, ReportTrack& track) {
  const Scene& scene = *model.scene;
  ReportPose placed{body, {}};
  for (std::size_t i = 0; i < pose.size(); ++i) {
    placed.channels.push_back(static_cast<int>(track.channels.size()));
    track.channels.push_back({ChannelPrefix(scene, static_cast<std::size_t>(body)) + PoseColumns(scene.space)[i],
                              PoseUnit(false, static_cast<int>(i)), ChannelGroup::kPlaced, false, std::move(pose[i])});
  }
  track.poses.push_back(placed);
  DifferentiatePose(scene, model, static_cast<std::size_t>(body), track, ChannelGroup::kPlaced);
}

void AddEnergy(const Model& model, ReportTrack& track) {
  const Scene& scene = *model.scene;
  const int nq = PoseSize(scene.space), nv = VelocitySize(scene.space);
  std::vector<std::vector<int>> velocities(scene.bodies.size());
  std::vector<const ReportPose*> poses(scene.bodies.size(), nullptr);
  for (const ReportPose& pose : track.poses) poses[pose.body] = &pose;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    for (const std::string& name : VelocityColumns(scene.space))
      for (std::size_t c = 0; c < track.channels.size(); ++c)
        if (track.channels[c].name == ChannelPrefix(scene, b) + name) velocities[b].push_back(static_cast<int>(c));
    if (!poses[b] || velocities[b].size() != static_cast<std::size_t>(nv)) return;
  }
  State state;
  state.q = Eigen::VectorXd::Zero(nq * model.body_count());
  state.v = Eigen::VectorXd::Zero(nv * model.body_count());
  if (scene.space != Space::kPlanar)
    for (int b = 0; b < model.body_count(); ++b) state.q[nq * b + 3] = 1;
  std::vector<double> kinetic, potential;
  for (std::size_t row = 0; row < track.time.size(); ++row) {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].fixed) continue;
      std::array<double, 7> pose{};
      for (int i = 0; i < nq; ++i) pose[i] = track.channels[poses[b]->channels[i]].values[row];
      SetBodyPose(model, static_cast<int>(b), std::span(pose.data(), nq), state);
      for (int i = 0; i < nv; ++i)
        state.v[nv * static_cast<Eigen::Index>(b) + i] = track.channels[velocities[b][i]].values[row];
    }
    const Energy energy = ComputeEnergy(model, state);
    kinetic.push_back(energy.kinetic);
    potential.push_back(energy.potential);
  }
  track.channels.push_back({"kinetic energy", "J", ChannelGroup::kEnergy, false, std::move(kinetic)});
  track.channels.push_back({"potential energy", "J", ChannelGroup::kEnergy, false, std::move(potential)});
}

}  // namespace ricochet
