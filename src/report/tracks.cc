// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/tracks.h"

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
#include "report/track_channels.h"

namespace ricochet {
namespace {

bool IsPlanar(const Scene& scene) { return scene.space == Space::kPlanar; }

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
    const std::string prefix = ChannelPrefix(scene, b);
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
      track.channels.push_back({ChannelPrefix(scene, b) + names[i],
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
    const std::string prefix = ChannelPrefix(scene, b);
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
