// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include "core/text.h"
#include "scene/read/scene_reader.h"

namespace ricochet {
namespace {

const std::vector<std::string> kTypes = {"hinge", "slider", "ball", "fixed", "universal", "distance"};

// Keys that only some types have.
struct SpecialKey {
  const char* key;
  std::vector<JointType> types;
};
const std::vector<SpecialKey> kSpecialKeys = {
    {"viscous", {JointType::kHinge, JointType::kSlider, JointType::kBall, JointType::kUniversal, JointType::kDistance}},
    {"coulomb", {JointType::kHinge, JointType::kSlider}},
    {"dry", {JointType::kHinge, JointType::kSlider}},
    {"stribeck", {JointType::kHinge, JointType::kSlider}},
    {"motor", {JointType::kHinge, JointType::kSlider}},
    {"drive", {JointType::kHinge, JointType::kSlider, JointType::kBall, JointType::kUniversal, JointType::kDistance}},
    {"limits", {JointType::kHinge, JointType::kSlider, JointType::kBall, JointType::kUniversal, JointType::kDistance}},
    {"length", {JointType::kDistance}},
};

bool HasKey(JointType type, std::string_view key) {
  for (const SpecialKey& special : kSpecialKeys) {
    if (key != special.key) continue;
    for (JointType t : special.types) {
      if (t == type) return true;
    }
  }
  return false;
}

void CheckKeysOfType(const SceneReader& reader, const YamlNode& map, const std::string& path, const Joint& joint) {
  for (const SpecialKey& special : kSpecialKeys) {
    const YamlNode* node = map.Get(special.key);
    if (node == nullptr || HasKey(joint.type, special.key)) continue;
    std::vector<std::string> names;
    for (JointType t : special.types) names.push_back(kTypes[static_cast<std::size_t>(t)]);
    reader.Fail(*node, JoinPath(path, special.key),
                fmt::format("is not possible with type {}.", kTypes[static_cast<std::size_t>(joint.type)]),
                fmt::format("Only {} can have it.", JoinList(names)));
  }
}

/// `measured`: the joint has limits or a drive, for which its angles are counted from the frames' directions.
JointFrame ReadFrame(SceneReader& reader, const YamlNode& node, const std::string& path, JointType type,
                     bool measured) {
  reader.ExpectMap(node, path, {"point", "axis", "zero"});
  JointFrame frame;
  frame.point = reader.Vector(reader.Require(node, path, "point", "Give the joint's place in this body's frame."),
                              JoinPath(path, "point"), Quantity::kPosition, 3);
  const bool turns = type == JointType::kHinge || type == JointType::kSlider ||
                     (measured && (type == JointType::kBall || type == JointType::kUniversal));
  const bool needs_axis = turns || type == JointType::kUniversal;
  if (needs_axis) reader.Require(node, path, "axis", "Give the joint's direction in this body's frame.");
  if (turns) reader.Require(node, path, "zero", "Give the direction that coincides with the other frame's at angle 0.");
  // A fixed joint holds whole frames together: axis z and zero x where it does not say.
  const bool fixed = type == JointType::kFixed;
  if (fixed || node.Get("axis") != nullptr) {
    frame.axis = reader.VectorOr(node, path, "axis", Quantity::kDirection, {0, 0, 1});
  }
  if (fixed || node.Get("zero") != nullptr) {
    frame.zero = reader.VectorOr(node, path, "zero", Quantity::kDirection, {1, 0, 0});
  }
  return frame;
}

void CheckBody(const SceneReader& reader, const Scene& scene, const YamlNode& node, const std::string& path,
               const std::string& name, bool world_too) {
  if (scene.BodyIndex(name) >= 0 || (world_too && name == "world")) return;
  std::vector<std::string> known;
  if (world_too) known.emplace_back("world");
  for (const Body& body : scene.bodies) known.push_back(body.name);
  if (name == "world") {
    reader.Fail(node, path, "the world cannot be the child.", "Make the world the parent and the body the child.");
  }
  reader.Fail(node, path, fmt::format("there is no body `{}`.", Printable(name)), SuggestName(name, known));
}

/// One number, or a list of two for a joint with two coordinates.
std::array<NumberId, 2> ReadCoordinates(SceneReader& reader, const YamlNode& map, const std::string& path,
                                        const char* key, Quantity quantity, bool two) {
  std::array<NumberId, 2> out;
  const YamlNode* node = map.Get(key);
  if (!two) {
    out[0] = node != nullptr ? reader.Number(*node, JoinPath(path, key), quantity) : NumberId{};
  } else if (node != nullptr) {
    const std::vector<NumberId> both = reader.Vector(*node, JoinPath(path, key), quantity, 2);
    out = {both[0], both[1]};
  }
  return out;
}

void ReadDrive(SceneReader& reader, const YamlNode& node, const std::string& path, Joint& joint) {
  const bool linear = joint.type == JointType::kSlider || joint.type == JointType::kDistance;
  const bool two = joint.type == JointType::kUniversal;
  reader.ExpectMap(node, path, {"stiffness", "damping", "target", "rate"});
  Drive drive;
  drive.stiffness =
      reader.NumberOr(node, path, "stiffness", linear ? Quantity::kLinearStiffness : Quantity::kStiffness, 0);
  drive.damping = reader.NumberOr(node, path, "damping", linear ? Quantity::kLinearViscous : Quantity::kViscous, 0);
  const Quantity target = joint.type == JointType::kDistance ? Quantity::kNonNegativeLength
                          : linear                           ? Quantity::kPosition
                                                             : Quantity::kAngle;
  const Quantity rate = linear ? Quantity::kVelocity : Quantity::kAngularVelocity;
  if (joint.type == JointType::kBall) {
    for (const char* key : {"target", "rate"}) {
      if (const YamlNode* given = node.Get(key))
        reader.Fail(*given, JoinPath(path, key), "a ball's drive pulls the axes of both frames together.",
                    "Turn `axis` and `zero` of one frame to where it should pull, and leave this out.");
    }
  } else if (two) {
    drive.target = ReadCoordinates(reader, node, path, "target", target, true);
    drive.rate = ReadCoordinates(reader, node, path, "rate", rate, true);
  } else {
    if (joint.type == JointType::kDistance && reader.scene()[drive.stiffness] > 0)
      reader.Require(node, path, "target", "Give the length at which the spring is at rest.");
    drive.target[0] = reader.NumberOr(node, path, "target", target, 0);
    drive.rate[0] = reader.NumberOr(node, path, "rate", rate, 0);
  }
  joint.drive = drive;
}

void ReadLimits(SceneReader& reader, const YamlNode& node, const std::string& path, Joint& joint) {
  JointLimits limits;
  switch (joint.type) {
    case JointType::kBall: {
      reader.ExpectMap(node, path, {"swing", "lower", "upper"});
      const YamlNode *swing = node.Get("swing"), *lower = node.Get("lower"), *upper = node.Get("upper");
      if (swing != nullptr) limits.upper[0] = reader.Number(*swing, JoinPath(path, "swing"), Quantity::kAngle);
      if ((lower == nullptr) != (upper == nullptr))
        reader.Fail(node, path, "the twist has only one limit.", "Give both `lower` and `upper`, or none.");
      if (lower == nullptr && swing == nullptr)
        reader.Fail(node, path, "it has no limit.", "Give `swing`, or `lower` and `upper` of the twist, or all three.");
      if (lower != nullptr) {
        limits.lower[1] = reader.Number(*lower, JoinPath(path, "lower"), Quantity::kAngle);
        limits.upper[1] = reader.Number(*upper, JoinPath(path, "upper"), Quantity::kAngle);
      }
      break;
    }
    case JointType::kDistance:
      reader.ExpectMap(node, path, {"lower", "upper"});
      limits.lower = ReadCoordinates(reader, node, path, "lower", Quantity::kLength, false);
      limits.upper = ReadCoordinates(reader, node, path, "upper", Quantity::kLength, false);
      if (!limits.lower[0] && !limits.upper[0])
        reader.Fail(node, path, "it has no limit.", "Give `lower`, `upper` (a rope) or both.");
      break;
    default: {
      reader.ExpectMap(node, path, {"lower", "upper"});
      const bool two = joint.type == JointType::kUniversal;
      const Quantity quantity = joint.type == JointType::kSlider ? Quantity::kPosition : Quantity::kAngle;
      for (const char* key : {"lower", "upper"}) reader.Require(node, path, key, "Give both limits.");
      limits.lower = ReadCoordinates(reader, node, path, "lower", quantity, two);
      limits.upper = ReadCoordinates(reader, node, path, "upper", quantity, two);
    }
  }
  joint.limits = limits;
}

void ReadFrictionAndMotor(SceneReader& reader, const YamlNode& map, const std::string& path, Joint& joint) {
  const bool slider = joint.type == JointType::kSlider || joint.type == JointType::kDistance;
  joint.viscous = reader.NumberOr(map, path, "viscous", slider ? Quantity::kLinearViscous : Quantity::kViscous, 0);
  if (HasKey(joint.type, "coulomb"))
    joint.coulomb = reader.NumberOr(map, path, "coulomb", slider ? Quantity::kLinearCoulomb : Quantity::kCoulomb, 0);
  if (const YamlNode* node = map.Get("dry")) {
    const std::string at = JoinPath(path, "dry");
    reader.ExpectMap(*node, at, {"radius", "friction", "norm"});
    DryFriction dry;
    dry.radius = reader.Number(reader.Require(*node, at, "radius", "Give the bearing's radius in meters."),
                               JoinPath(at, "radius"), Quantity::kNonNegativeLength);
    dry.friction = reader.Number(reader.Require(*node, at, "friction", "Give the friction coefficient."),
                                 JoinPath(at, "friction"), Quantity::kFriction);
    if (const YamlNode* norm = node->Get("norm")) {
      dry.norm =
          reader.Choice(*norm, JoinPath(at, "norm"), {"l1", "euclidean"}) == "l1" ? DryNorm::kL1 : DryNorm::kEuclidean;
    }
    joint.dry = dry;
  }
  if (const YamlNode* node = map.Get("stribeck")) {
    const std::string at = JoinPath(path, "stribeck");
    if (!joint.dry) {
      reader.Fail(*node, at, "there is no `dry` beside it.", "Give the kinetic friction as `dry: {radius, friction}`.");
    }
    reader.ExpectMap(*node, at, {"static", "rate"});
    joint.stribeck = Stribeck{
        reader.Number(reader.Require(*node, at, "static", "Give the friction coefficient at rest."),
                      JoinPath(at, "static"), Quantity::kFriction),
        reader.Number(reader.Require(*node, at, "rate", "Give the rate at which friction falls to the kinetic one."),
                      JoinPath(at, "rate"), slider ? Quantity::kLinearStribeckRate : Quantity::kStribeckRate)};
  }
  if (const YamlNode* node = map.Get("motor")) {
    const std::string at = JoinPath(path, "motor");
    reader.ExpectMap(*node, at, {"gain", "shaft_inertia", "input", "interpolation"});
    Motor motor;
    motor.gain = reader.Number(reader.Require(*node, at, "gain", "Give the torque per unit of input."),
                               JoinPath(at, "gain"), slider ? Quantity::kLinearMotorGain : Quantity::kMotorGain);
    motor.shaft_inertia = reader.NumberOr(*node, at, "shaft_inertia",
                                          slider ? Quantity::kNonNegativeMass : Quantity::kNonNegativeInertia, 0);
    const YamlNode& input = reader.Require(*node, at, "input", "Name the recording's column that drives it.");
    motor.input = reader.Word(input, JoinPath(at, "input"), "the name of a recording's column");
    if (!IsName(motor.input)) {
      reader.Fail(input, JoinPath(at, "input"), fmt::format("`{}` is not a valid name.", Printable(motor.input)),
                  "Use letters, digits and `_`, and begin with a letter or `_`.");
    }
    if (const YamlNode* interpolation = node->Get("interpolation")) {
      motor.interpolation = reader.Choice(*interpolation, JoinPath(at, "interpolation"), {"hold", "linear"}) == "linear"
                                ? InputInterpolation::kLinear
                                : InputInterpolation::kHold;
    }
    joint.motor = motor;
  }
  if (const YamlNode* node = map.Get("drive")) {
    ReadDrive(reader, *node, JoinPath(path, "drive"), joint);
  } else if (joint.type == JointType::kHinge || joint.type == JointType::kSlider) {
    ReadDrive(reader, EmptyMap(), JoinPath(path, "drive"), joint);
  }
  if (const YamlNode* node = map.Get("limits")) ReadLimits(reader, *node, JoinPath(path, "limits"), joint);
}

}  // namespace

void ReadJoints(SceneReader& reader, const YamlNode& node) {
  reader.ExpectNamedMap(node, "joints");
  if (reader.planar() && !node.entries.empty()) {
    reader.Fail(node, "joints", "joints need `space: spatial`.", "Describe the mechanism in space.");
  }
  Scene& scene = reader.scene();
  for (const YamlEntry& entry : node.entries) {
    reader.CheckName(entry, "joints");
    const std::string path = JoinPath("joints", entry.key);
    const YamlNode& map = entry.value;
    reader.ExpectMap(map, path,
                     {"type", "parent", "child", "parent_frame", "child_frame", "compliance", "damping", "viscous",
                      "coulomb", "dry", "stribeck", "motor", "drive", "limits", "length"});
    Joint joint;
    joint.name = entry.key;
    joint.where = reader.Where(entry);
    const YamlNode& type = reader.Require(map, path, "type", fmt::format("Write one of {}.", JoinList(kTypes, "or")));
    const std::string word = reader.Choice(type, JoinPath(path, "type"), kTypes);
    while (kTypes[static_cast<std::size_t>(joint.type)] != word) {
      joint.type = static_cast<JointType>(static_cast<int>(joint.type) + 1);
    }
    CheckKeysOfType(reader, map, path, joint);

    const YamlNode& parent = reader.Require(map, path, "parent", "Name a body, or `world`.");
    joint.parent = reader.Word(parent, JoinPath(path, "parent"), "the name of a body or `world`");
    CheckBody(reader, scene, parent, JoinPath(path, "parent"), joint.parent, true);
    const YamlNode& child = reader.Require(map, path, "child", "Name a body.");
    joint.child = reader.Word(child, JoinPath(path, "child"), "the name of a body");
    CheckBody(reader, scene, child, JoinPath(path, "child"), joint.child, false);
    if (joint.parent == joint.child) {
      reader.Fail(child, JoinPath(path, "child"), "parent and child are the same body.", "Join two different ones.");
    }
    const bool measured = map.Get("limits") != nullptr || map.Get("drive") != nullptr;
    for (const bool of_parent : {true, false}) {
      const char* key = of_parent ? "parent_frame" : "child_frame";
      const YamlNode& frame = reader.Require(map, path, key, "Give where the joint sits on that body.");
      (of_parent ? joint.parent_frame : joint.child_frame) =
          ReadFrame(reader, frame, JoinPath(path, key), joint.type, measured);
    }

    const YamlNode* given = map.Get("compliance");
    const YamlNode& compliance = given != nullptr ? *given : EmptyMap();
    const std::string at = JoinPath(path, "compliance");
    reader.ExpectMap(compliance, at, {"linear", "angular"});
    joint.compliance_linear = reader.NumberOr(compliance, at, "linear", Quantity::kLinearCompliance, 0);
    joint.compliance_angular = reader.NumberOr(compliance, at, "angular", Quantity::kAngularCompliance, 0);
    joint.damping = reader.NumberOr(map, path, "damping", Quantity::kNonNegativeTime, 0);
    ReadFrictionAndMotor(reader, map, path, joint);
    if (joint.type == JointType::kDistance) {
      const YamlNode* length = map.Get("length");
      const bool free = joint.limits || joint.drive;
      if (length != nullptr && free)
        reader.Fail(*length, JoinPath(path, "length"), "a fixed distance cannot have limits or a drive.",
                    "Leave out `length`, or `limits` and `drive`.");
      if (!free)
        reader.Require(map, path, "length", "Give the distance between the two points, or `limits` or `drive`.");
      if (const YamlNode* viscous = map.Get("viscous"); viscous != nullptr && !free)
        reader.Fail(*viscous, JoinPath(path, "viscous"), "a fixed distance has no rate.",
                    "Leave out `length` and give `limits` or `drive`, or leave this out.");
      if (length != nullptr) joint.length = reader.Number(*length, JoinPath(path, "length"), Quantity::kLength);
    }
    scene.joints.push_back(std::move(joint));
  }
}

}  // namespace ricochet
