// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/joint_playback.h"

#include <algorithm>
#include <array>
#include <optional>

#include "dynamics/joint_configuration.h"
#include "dynamics/kinematics.h"
#include "observation/joint_sensor.h"
#include "recording/channels.h"
#include "report/track_channels.h"

namespace ricochet {
namespace {

bool Moves(const Joint& joint) { return joint.type == JointType::kHinge || joint.type == JointType::kSlider; }

/// Channel of a joint's coordinate in the track; -1: none.
int CoordinateOf(const ReportTrack& track, const std::string& joint) {
  for (std::size_t c = 0; c < track.channels.size(); ++c)
    if (track.channels[c].group == ChannelGroup::kJoint && track.channels[c].name == joint + ".angle")
      return static_cast<int>(c);
  return -1;
}

/// The number that holds a joint's initial coordinate; added when the scene has none.
NumberId CoordinateNumber(Scene& scene, const Joint& joint) {
  for (Initial& initial : scene.initial) {
    if (initial.name != joint.name) continue;
    if (initial.angle) return initial.angle;
  }
  SceneNumber number;
  number.path = "initial." + joint.name + ".angle";
  number.quantity = joint.type == JointType::kSlider ? Quantity::kPosition : Quantity::kAngle;
  const NumberId id = scene.Add(number);
  Initial initial;
  initial.name = joint.name;
  initial.angle = id;
  scene.initial.push_back(initial);
  return id;
}

/// Bodies that stand where the scene puts them, whatever the joints do.
std::vector<char> PlacedBodies(const Scene& scene) {
  std::vector<char> placed;
  for (const Body& body : scene.bodies) {
    const auto posed = [&](const Initial& i) { return i.name == body.name && !i.position.empty(); };
    placed.push_back(body.fixed || std::any_of(scene.initial.begin(), scene.initial.end(), posed));
  }
  return placed;
}

}  // namespace

void AddPosesFromJoints(const Model& model, ReportTrack& track) {
  if (model.space != Space::kSpatial || model.scene->joints.empty() || !track.poses.empty()) return;
  Scene scene = *model.scene;
  const std::vector<char> placed = PlacedBodies(scene);
  const PlacementPlan plan = PlanPlacement(scene, placed);
  if (!plan.unplaced.empty() || !plan.loops.empty() || plan.steps.empty()) return;
  struct Coordinate {
    int channel;
    NumberId number;
    JointSensor<double> sensor;
  };
  const ObservationNumbers observation = FindObservationNumbers(scene);
  std::vector<Coordinate> coordinates;
  for (const PlacementPlan::Step& step : plan.steps) {
    const Joint& joint = scene.joints[static_cast<std::size_t>(step.joint)];
    if (joint.type == JointType::kFixed) continue;
    const int channel = CoordinateOf(track, joint.name);
    if (!Moves(joint) || channel < 0) return;
    coordinates.push_back({channel, CoordinateNumber(scene, joint),
                           JointSensor<double>(observation.joints[static_cast<std::size_t>(step.joint)], scene)});
  }

  std::vector<double> numbers;
  for (const SceneNumber& number : scene.numbers()) numbers.push_back(number.value);
  State state = InitialState(model);
  MechanismState<double> bodies;
  for (int b = 0; b < model.body_count(); ++b) {
    bodies.p.emplace_back(state.q.segment<3>(7 * b));
    bodies.orientation.emplace_back(state.q.segment<4>(7 * b + 3));
    bodies.v.emplace_back(Vector6<double>::Zero());
  }
  std::vector<std::array<std::vector<double>, 7>> columns(static_cast<std::size_t>(model.body_count()));
  for (std::size_t row = 0; row < track.time.size(); ++row) {
    for (const auto& [channel, number, sensor] : coordinates)
      numbers[static_cast<std::size_t>(number.index)] =
          CoordinateBehind(sensor, track.channels[static_cast<std::size_t>(channel)].values[row]);
    PlaceBodies<double>(scene, model.spatial, numbers, plan, bodies);
    for (int b = 0; b < model.body_count(); ++b) {
      state.q.segment<7>(7 * b) << bodies.p[static_cast<std::size_t>(b)],
          bodies.orientation[static_cast<std::size_t>(b)];
      std::array<double, 7> pose{};
      BodyPose(model, state, b, pose);
      for (std::size_t i = 0; i < 7; ++i) columns[static_cast<std::size_t>(b)][i].push_back(pose[i]);
    }
  }
  for (int b = 0; b < model.body_count(); ++b)
    if (!placed[static_cast<std::size_t>(b)])
      AddPlacedBody(model, b, std::move(columns[static_cast<std::size_t>(b)]), track);
  AddEnergy(model, track);
}

void AddJointChannels(const Joint& joint, ReportTrack& track) {
  if (!Moves(joint)) return;
  const bool slider = joint.type == JointType::kSlider;
  track.channels.push_back({joint.name + ".angle", slider ? "m" : "rad", ChannelGroup::kJoint, false, {}});
  track.channels.push_back({joint.name + ".rate", slider ? "m/s" : "rad/s", ChannelGroup::kVelocity, false, {}});
}

}  // namespace ricochet
