// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Initial states and known loads.
#include <fmt/format.h>

#include "core/text.h"
#include "scene/channel.h"
#include "scene/read/scene_reader.h"

namespace ricochet {
namespace {

void ReadBodyStart(SceneReader& reader, const YamlNode& map, const std::string& path, Initial& initial) {
  if (reader.planar()) {
    reader.ExpectMap(map, path, {"pose", "velocity", "angular_velocity"});
    const YamlNode& pose = reader.Require(map, path, "pose", "Give [x, y, angle] of the body frame.");
    const std::string at = JoinPath(path, "pose");
    reader.ExpectList(pose, at, "3 numbers");
    if (pose.items.size() != 3) {
      reader.Fail(pose, at, fmt::format("expected 3 numbers, but found {}.", pose.items.size()),
                  "Write [x, y, angle] of the body frame.");
    }
    for (std::size_t i = 0; i < 2; ++i) {
      initial.position.push_back(reader.Number(pose.items[i], IndexPath(at, i), Quantity::kPosition));
    }
    initial.orientation = {reader.Number(pose.items[2], IndexPath(at, 2), Quantity::kAngle)};
  } else {
    reader.ExpectMap(map, path, {"position", "orientation", "velocity", "angular_velocity"});
    const YamlNode& position = reader.Require(map, path, "position", "Give [x, y, z] of the body frame.");
    initial.position = reader.Vector(position, JoinPath(path, "position"), Quantity::kPosition, 3);
    initial.orientation = reader.VectorOr(map, path, "orientation", Quantity::kDirection, {1, 0, 0, 0});
  }
  initial.velocity =
      reader.VectorOr(map, path, "velocity", Quantity::kVelocity, std::vector<double>(reader.dimension(), 0.0));
  initial.angular_velocity = reader.VectorOr(map, path, "angular_velocity", Quantity::kAngularVelocity,
                                             std::vector<double>(reader.turn_dimension(), 0.0));
}

void ReadJointStart(SceneReader& reader, const YamlNode& map, const std::string& path, const Joint& joint,
                    Initial& initial) {
  if (joint.type != JointType::kHinge && joint.type != JointType::kSlider) {
    reader.Fail(map, path, "only a hinge or a slider has an initial angle.", "Give the bodies' initial poses instead.");
  }
  const bool slider = joint.type == JointType::kSlider;
  reader.ExpectMap(map, path, {"angle", "rate"});
  initial.angle = reader.NumberOr(map, path, "angle", slider ? Quantity::kPosition : Quantity::kAngle, 0);
  initial.rate = reader.NumberOr(map, path, "rate", slider ? Quantity::kVelocity : Quantity::kAngularVelocity, 0);
}

// One place per number: a body that a joint's initial angle places has no pose of its own.
void CheckPlacedOnce(const Scene& scene) {
  for (const Initial& of_joint : scene.initial) {
    const int joint = scene.JointIndex(of_joint.name);
    if (joint < 0) continue;
    for (const Initial& of_body : scene.initial) {
      if (of_body.name != scene.joints[static_cast<std::size_t>(joint)].child) continue;
      throw InputError(of_body.where, JoinPath("initial", of_body.name),
                       fmt::format("the pose follows already from the initial angle of joint `{}`.", of_joint.name),
                       "Leave one of the two out.");
    }
  }
}

}  // namespace

void ReadInitial(SceneReader& reader, const YamlNode& node) {
  reader.ExpectNamedMap(node, "initial");
  Scene& scene = reader.scene();
  for (const YamlEntry& entry : node.entries) {
    const std::string path = JoinPath("initial", Printable(entry.key));
    Initial initial;
    initial.name = entry.key;
    initial.where = reader.Where(entry);
    const int joint = scene.JointIndex(entry.key);
    if (scene.BodyIndex(entry.key) >= 0) {
      ReadBodyStart(reader, entry.value, path, initial);
    } else if (joint >= 0) {
      ReadJointStart(reader, entry.value, path, scene.joints[static_cast<std::size_t>(joint)], initial);
    } else {
      std::vector<std::string> known;
      for (const Body& body : scene.bodies) known.push_back(body.name);
      for (const Joint& j : scene.joints) known.push_back(j.name);
      throw InputError(reader.Where(entry), path, "there is no body or joint of this name.",
                       SuggestName(entry.key, known));
    }
    scene.initial.push_back(std::move(initial));
  }
  CheckPlacedOnce(scene);
}

void ReadActions(SceneReader& reader, const YamlNode& node) {
  reader.ExpectList(node, "actions", "loads, `{body: NAME, force: [...]}`,");
  Scene& scene = reader.scene();
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& map = node.items[i];
    const std::string path = IndexPath("actions", i);
    reader.ExpectMap(map, path,
                     {"body", "force", "torque", "impulse", "angular_impulse", "from", "until", "at", "when"});
    Action action;
    action.where = reader.Where(map);
    const YamlNode& body = reader.Require(map, path, "body", "Name the body on which it acts.");
    action.body = reader.Word(body, JoinPath(path, "body"), "the name of a body");
    if (scene.BodyIndex(action.body) < 0) {
      std::vector<std::string> known;
      for (const Body& b : scene.bodies) known.push_back(b.name);
      reader.Fail(body, JoinPath(path, "body"), fmt::format("there is no body `{}`.", Printable(action.body)),
                  SuggestName(action.body, known));
    }

    const auto load = [&](const char* key, Quantity quantity, std::size_t count) -> std::vector<NumberId> {
      const YamlNode* value = map.Get(key);
      if (value == nullptr) return {};
      return reader.ScalarOrVector(*value, JoinPath(path, key), quantity, count);
    };
    action.force = load("force", Quantity::kForce, reader.dimension());
    action.torque = load("torque", Quantity::kTorque, reader.turn_dimension());
    action.impulse = load("impulse", Quantity::kImpulse, reader.dimension());
    action.angular_impulse = load("angular_impulse", Quantity::kAngularImpulse, reader.turn_dimension());
    const bool held = !action.force.empty() || !action.torque.empty();
    const bool sudden = !action.impulse.empty() || !action.angular_impulse.empty();
    if (!held && !sudden) {
      reader.Fail(map, path, "has no load.", "Give `force`, `torque`, `impulse` or `angular_impulse`.");
    }

    const auto time = [&](const char* key, bool expected, const char* owner) -> NumberId {
      const YamlNode* value = map.Get(key);
      if (value == nullptr) return {};
      if (!expected) {
        reader.Fail(*value, JoinPath(path, key), fmt::format("requires {}, which is missing.", owner), "Leave it out.");
      }
      return reader.Number(*value, JoinPath(path, key), Quantity::kTime);
    };
    action.from = time("from", held, "a force or torque");
    action.until = time("until", held, "a force or torque");
    action.at = time("at", sudden, "an impulse");
    if (const YamlNode* when = map.Get("when")) {
      const std::string at = JoinPath(path, "when");
      if (!sudden) reader.Fail(*when, at, "requires an impulse, which is missing.", "Leave it out.");
      reader.ExpectMap(*when, at, {"quantity", "falls_to"});
      const YamlNode& quantity = reader.Require(*when, at, "quantity", "Name a recording's column, such as `box.wz`.");
      Trigger trigger;
      trigger.quantity = reader.Word(quantity, JoinPath(at, "quantity"), "the name of a recording's column");
      const std::optional<Quantity> kind = ChannelQuantity(scene, trigger.quantity);
      if (!kind) {
        reader.Fail(quantity, JoinPath(at, "quantity"),
                    fmt::format("`{}` is not a column of a recording of this scene.", Printable(trigger.quantity)),
                    SuggestName(trigger.quantity, StateChannels(scene)));
      }
      trigger.falls_to = reader.Number(reader.Require(*when, at, "falls_to", "Give the value at which it acts."),
                                       JoinPath(at, "falls_to"), *kind);
      action.when = trigger;
    }
    if (sudden && (action.at ? 1 : 0) + (action.when ? 1 : 0) != 1) {
      reader.Fail(map, path, action.at ? "has both `at` and `when`." : "an impulse needs the moment at which it acts.",
                  "Give either `at: TIME` or `when: {quantity, falls_to}`.");
    }
    scene.actions.push_back(std::move(action));
  }
}

}  // namespace ricochet
