// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/tracks.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "dynamics/energy.h"
#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "observation/poses_from_points.h"
#include "observation/sensor.h"
#include "recording/channels.h"
#include "report/joint_playback.h"

namespace ricochet {
namespace {

bool IsPlanar(const Scene& scene) { return scene.space == Space::kPlanar; }

/// "box." before a body's channel where several bodies move.
std::string Prefix(const Scene& scene, std::size_t body) {
  int moving = 0;
  for (const Body& b : scene.bodies) moving += !b.fixed;
  return moving > 1 ? scene.bodies[body].name + "." : "";
}

std::string PoseUnit(bool planar, int index) {
  if (planar) return index < 2 ? "m" : "rad";
  return index < 3 ? "m" : "-";
}

std::string VelocityUnit(bool planar, int index) { return index < (planar ? 2 : 3) ? "m/s" : "rad/s"; }

/// Velocity of the center of mass from the poses one row before and after; at the ends from the row itself.
void DifferentiatePose(const Scene& scene, const Model& model, std::size_t body, ReportTrack& track,
                       ChannelGroup group = ChannelGroup::kVelocity) {
  const bool planar = IsPlanar(scene);
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
        {Prefix(scene, body) + names[i], VelocityUnit(planar, i), group, false, std::move(velocity[i])});
}

/// Channels of the fitted joints under the names of the recorded ones, and the bodies placed by them.
ReportTrack FittedJoints(const Scene& scene, const EstimatedMotion& motion) {
  ReportTrack track;
  track.kind = TrackKind::kFitted;
  track.time = motion.time;
  for (const EstimatedJoint& fitted : motion.joints) {
    const auto joint = std::find_if(scene.joints.begin(), scene.joints.end(),
                                    [&](const Joint& candidate) { return candidate.name == fitted.name; });
    if (joint == scene.joints.end() || fitted.angle.size() != motion.time.size() ||
        fitted.rate.size() != motion.time.size())
      continue;
    AddJointChannels(*joint, track);
    track.channels[track.channels.size() - 2].values = fitted.angle;
    track.channels.back().values = fitted.rate;
  }
  AddPosesFromJoints(CompileModel(scene), track);
  return track;
}

/// Brings recorded poses to those of the body frames, in the scene's lengths: what `observe` did is undone.
void UndoObservation(const Scene& scene, ReportTrack& track) {
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  for (const ReportPose& pose : track.poses) {
    const SensorNumbers& frame = numbers.frames[static_cast<std::size_t>(pose.body)];
    const auto value = [&](int i, std::size_t row) -> double& {
      return track.channels[static_cast<std::size_t>(pose.channels[static_cast<std::size_t>(i)])].values[row];
    };
    const auto undo = [&](const auto& sensor, auto recorded) {
      for (std::size_t row = 0; row < track.time.size(); ++row) {
        for (int i = 0; i < recorded.size(); ++i) recorded[i] = value(i, row);
        if (!recorded.allFinite()) continue;
        const auto body = sensor.BodyPose(recorded);
        for (int i = 0; i < recorded.size(); ++i) value(i, row) = body[i];
      }
    };
    if (IsPlanar(scene))
      undo(PlanarSensor<double>(frame, scene), PlanarPose<double>());
    else
      undo(SpatialSensor<double>(frame, scene), SpatialPose<double>());
  }
}

}  // namespace

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
        if (track.channels[c].name == Prefix(scene, b) + name) velocities[b].push_back(static_cast<int>(c));
    if (!poses[b] || velocities[b].size() != static_cast<std::size_t>(nv)) return;
  }
  State state;
  state.q = Eigen::VectorXd::Zero(nq * model.body_count());
  state.v = Eigen::VectorXd::Zero(nv * model.body_count());
  if (!IsPlanar(scene))
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

ReportTrack RecordedTrack(const Scene& scene, const Recording& given, TrackKind kind) {
  const Recording recording = AddPosesFromPoints(scene, given);
  const Channels channels = ResolveChannels(recording, scene);
  const bool planar = IsPlanar(scene);
  ReportTrack track;
  track.kind = kind;
  track.time = recording.time;
  const auto add = [&](int column, std::string name, std::string unit, ChannelGroup group, bool angle) {
    track.channels.push_back({std::move(name), std::move(unit), group, angle, recording.values[column]});
    return static_cast<int>(track.channels.size()) - 1;
  };
  for (std::size_t b = 0; b < channels.bodies.size(); ++b) {
    const BodyChannels& body = channels.bodies[b];
    const std::string prefix = Prefix(scene, b);
    ReportPose pose{static_cast<int>(b), {}};
    for (std::size_t i = 0; i < body.pose.size(); ++i)
      pose.channels.push_back(add(body.pose[i], prefix + PoseColumns(scene.space)[i],
                                  PoseUnit(planar, static_cast<int>(i)), ChannelGroup::kPose, planar && i == 2));
    if (!pose.channels.empty()) track.poses.push_back(pose);
    for (std::size_t i = 0; i < body.velocity.size(); ++i)
      add(body.velocity[i], prefix + VelocityColumns(scene.space)[i], VelocityUnit(planar, static_cast<int>(i)),
          ChannelGroup::kVelocity, false);
  }
  for (std::size_t j = 0; j < channels.joints.size(); ++j) {
    const bool slider = scene.joints[j].type == JointType::kSlider;
    if (channels.joints[j].angle >= 0)
      add(channels.joints[j].angle, scene.joints[j].name + ".angle", slider ? "m" : "rad", ChannelGroup::kJoint, false);
    if (channels.joints[j].rate >= 0)
      add(channels.joints[j].rate, scene.joints[j].name + ".rate", slider ? "m/s" : "rad/s", ChannelGroup::kVelocity,
          false);
    if (channels.motor_inputs[j] >= 0)
      add(channels.motor_inputs[j], recording.columns[channels.motor_inputs[j]], "-", ChannelGroup::kInput, false);
  }
  for (const int column : channels.others) add(column, recording.columns[column], "", ChannelGroup::kOther, false);
  UndoObservation(scene, track);
  const Model model = CompileModel(scene);
  for (std::size_t b = 0; b < channels.bodies.size(); ++b)
    if (!channels.bodies[b].pose.empty() && channels.bodies[b].velocity.empty())
      DifferentiatePose(scene, model, b, track);
  AddPosesFromJoints(model, track);
  return track;
}

void AddPlacedBody(const Model& model, int body, std::array<std::vector<double>, 7> pose, ReportTrack& track) {
  const Scene& scene = *model.scene;
  ReportPose placed{body, {}};
  for (std::size_t i = 0; i < pose.size(); ++i) {
    placed.channels.push_back(static_cast<int>(track.channels.size()));
    track.channels.push_back({Prefix(scene, static_cast<std::size_t>(body)) + PoseColumns(scene.space)[i],
                              PoseUnit(false, static_cast<int>(i)), ChannelGroup::kPlaced, false, std::move(pose[i])});
  }
  track.poses.push_back(placed);
  DifferentiatePose(scene, model, static_cast<std::size_t>(body), track, ChannelGroup::kPlaced);
}

ReportTrack FittedTrack(const Scene& scene, const EstimatedMotion& motion) {
  if (!motion.joints.empty()) return FittedJoints(scene, motion);
  ReportTrack track;
  track.kind = TrackKind::kFitted;
  const std::vector<std::string>& names = PoseColumns(scene.space);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    ReportPose pose{static_cast<int>(b), {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
      pose.channels.push_back(static_cast<int>(track.channels.size()));
      track.channels.push_back({Prefix(scene, b) + names[i],
                                PoseUnit(IsPlanar(scene), static_cast<int>(i)),
                                ChannelGroup::kPose,
                                IsPlanar(scene) && i == 2,
                                {}});
    }
    track.poses.push_back(pose);
  }
  const std::size_t width = track.channels.size();
  for (std::size_t row = 0; row < motion.time.size() && row < motion.pose.size(); ++row) {
    if (motion.pose[row].size() != width) continue;
    if (!track.time.empty() && !(motion.time[row] > track.time.back())) continue;
    track.time.push_back(motion.time[row]);
    for (std::size_t i = 0; i < width; ++i) track.channels[i].values.push_back(motion.pose[row][i]);
  }
  if (track.time.empty()) return {track.kind, {}, {}, {}};
  UndoObservation(scene, track);
  const Model model = CompileModel(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    if (!scene.bodies[b].fixed) DifferentiatePose(scene, model, b, track);
  AddEnergy(model, track);
  return track;
}

ReportTrack EmptyStateTrack(const Scene& scene, TrackKind kind) {
  ReportTrack track;
  track.kind = kind;
  const bool planar = IsPlanar(scene);
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].fixed) continue;
    const std::string prefix = Prefix(scene, b);
    ReportPose pose{static_cast<int>(b), {}};
    for (int i = 0; i < PoseSize(scene.space); ++i) {
      pose.channels.push_back(static_cast<int>(track.channels.size()));
      track.channels.push_back(
          {prefix + PoseColumns(scene.space)[i], PoseUnit(planar, i), ChannelGroup::kPose, planar && i == 2, {}});
    }
    for (int i = 0; i < VelocitySize(scene.space); ++i)
      track.channels.push_back(
          {prefix + VelocityColumns(scene.space)[i], VelocityUnit(planar, i), ChannelGroup::kVelocity, false, {}});
    track.poses.push_back(pose);
  }
  track.channels.push_back({"kinetic energy", "J", ChannelGroup::kEnergy, false, {}});
  track.channels.push_back({"potential energy", "J", ChannelGroup::kEnergy, false, {}});
  for (const Joint& joint : scene.joints) AddJointChannels(joint, track);
  return track;
}

void AppendState(const Model& model, const State& state, ReportTrack& track) {
  const int nq = PoseSize(model.space), nv = VelocitySize(model.space);
  track.time.push_back(state.time);
  std::size_t channel = 0;
  for (int b = 0; b < model.body_count(); ++b) {
    if (model.scene->bodies[b].fixed) continue;
    std::array<double, 7> pose{};
    BodyPose(model, state, b, std::span(pose.data(), nq));
    for (int i = 0; i < nq; ++i) track.channels[channel++].values.push_back(pose[i]);
    for (int i = 0; i < nv; ++i) track.channels[channel++].values.push_back(state.v[nv * b + i]);
  }
  const Energy energy = ComputeEnergy(model, state);
  track.channels[channel].values.push_back(energy.kinetic);
  track.channels[channel + 1].values.push_back(energy.potential);
  channel += 2;
  for (std::size_t j = 0; channel + 1 < track.channels.size() && j < model.scene->joints.size(); ++j) {
    const JointType type = model.scene->joints[j].type;
    if (type != JointType::kHinge && type != JointType::kSlider) continue;
    const JointReading<double> reading = ReadJoint(model, state, static_cast<int>(j));
    std::vector<double>& values = track.channels[channel].values;
    // Turns are counted from row to row.
    const double last = values.empty() ? reading.coordinate : values.back();
    values.push_back(type == JointType::kSlider ? reading.coordinate
                                                : last + std::remainder(reading.coordinate - last, 2 * M_PI));
    track.channels[channel + 1].values.push_back(reading.rate);
    channel += 2;
  }
}

}  // namespace ricochet
