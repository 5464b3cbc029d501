// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How the scene is run and what is observed.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "scene/channel.h"
#include "scene/read/scene_reader.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

void ReadOptions(SceneReader& reader, const YamlNode& node) {
  const std::string path = "simulation.options";
  reader.ExpectNamedMap(node, path);
  for (const YamlEntry& entry : node.entries) {
    const std::string at = JoinPath(path, Printable(entry.key));
    if (!IsName(entry.key)) {
      throw InputError(reader.Where(entry), at, fmt::format("`{}` is not a valid name.", Printable(entry.key)),
                       "Use letters, digits and `_`, and begin with a letter or `_`.");
    }
    if (entry.value.kind != YamlNode::Kind::kScalar) {
      reader.Fail(entry.value, at, "an option is a word or a number.", "Write one of them.");
    }
    SimulationOption option;
    option.name = entry.key;
    option.where = reader.Where(entry);
    double value = 0;
    const NumberText result = ParseNumber(entry.value.scalar, Quantity::kPlain, value);
    if (!entry.value.quoted && result != NumberText::kNotANumber) {
      option.number = reader.Number(entry.value, at, Quantity::kPlain);
    } else {
      option.word = reader.Word(entry.value, at, "a word or a number");
    }
    reader.scene().simulation.options.push_back(std::move(option));
  }
}

// `poses` is every body's pose, `NAME` the pose of a body or the position of a point, `NAME.column` one column.
void CheckChannel(const SceneReader& reader, const Scene& scene, const YamlNode& node, const std::string& path,
                  const std::string& channel) {
  if (channel == "poses" || scene.BodyIndex(channel) >= 0 || ChannelQuantity(scene, channel)) return;
  if (FindPointColumn(scene, channel + ".x")) return;
  std::vector<std::string> known = {"poses"};
  for (std::string& name : StateChannels(scene)) known.push_back(std::move(name));
  reader.Fail(node, path, fmt::format("`{}` is not in a recording of this scene.", Printable(channel)),
              SuggestName(channel, known));
}

void ReadChannels(SceneReader& reader, const YamlNode& node, const std::string& path) {
  reader.ExpectList(node, path, "what is observed, such as `poses` or `hinge.angle`,");
  std::vector<std::string>& channels = reader.scene().observe.channels;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string at = IndexPath(path, i);
    const std::string channel = reader.Word(node.items[i], at, "the name of a channel");
    CheckChannel(reader, reader.scene(), node.items[i], at, channel);
    for (const std::string& other : channels) {
      if (other == channel)
        reader.Fail(node.items[i], at, fmt::format("`{}` occurs twice.", channel), "Keep one of them.");
    }
    channels.push_back(channel);
  }
}

/// What a column of a recording measures. Throws where the scene has no such column.
Quantity QuantityOfColumn(const SceneReader& reader, const Scene& scene, const YamlEntry& entry,
                          const std::string& at) {
  if (const std::optional<Quantity> quantity = ChannelQuantity(scene, entry.key)) return *quantity;
  throw InputError(reader.Where(entry), at, "is not a column of a recording of this scene.",
                   SuggestName(entry.key, StateChannels(scene)));
}

/// Columns of the coordinates of hinges and sliders; only those of hinges are angles.
std::vector<std::string> CoordinateColumns(const Scene& scene, bool hinges_only) {
  std::vector<std::string> columns;
  for (const Joint& joint : scene.joints)
    if (joint.type == JointType::kHinge || (joint.type == JointType::kSlider && !hinges_only))
      columns.push_back(joint.name + ".angle");
  return columns;
}

template <class Channel>
bool IsListed(const std::vector<Channel>& channels, const std::string& column) {
  return std::any_of(channels.begin(), channels.end(), [&](const Channel& each) { return each.channel == column; });
}

// An offset per observed column and per coordinate of a joint; those not written are 0 and have paths too.
void ReadOffsets(SceneReader& reader, const YamlNode& node) {
  Observation& observe = reader.scene().observe;
  const std::string path = "observe.offset";
  reader.ExpectNamedMap(node, path);
  for (const YamlEntry& entry : node.entries) {
    const std::string at = JoinPath(path, Printable(entry.key, 80));
    const Quantity quantity = QuantityOfColumn(reader, reader.scene(), entry, at);
    observe.offsets.push_back({entry.key, reader.Number(entry.value, at, quantity)});
  }
  std::vector<std::string> columns = observe.channels;
  for (std::string& column : CoordinateColumns(reader.scene(), false)) columns.push_back(std::move(column));
  for (const std::string& column : columns) {
    const std::optional<Quantity> quantity = ChannelQuantity(reader.scene(), column);
    if (!quantity || IsListed(observe.offsets, column)) continue;
    observe.offsets.push_back({column, reader.Default(JoinPath(path, column), *quantity, 0)});
  }
}

// Scales of columns of joints, and eccentricities of the angles of hinges. Those of coordinates that are not written
// change nothing and have paths too.
void ReadJointSensors(SceneReader& reader, const YamlNode& scales, const YamlNode& eccentricities) {
  const Scene& scene = reader.scene();
  Observation& observe = reader.scene().observe;
  const std::string scale_path = "observe.scale", path = "observe.eccentricity";
  reader.ExpectNamedMap(scales, scale_path);
  for (const YamlEntry& entry : scales.entries) {
    const std::string at = JoinPath(scale_path, Printable(entry.key, 80));
    QuantityOfColumn(reader, scene, entry, at);
    if (scene.JointIndex(entry.key.substr(0, entry.key.find('.'))) < 0)
      throw InputError(reader.Where(entry), at, "is not a column of a joint.", "Lengths have `observe.length_scale`.");
    observe.scales.push_back({entry.key, reader.Number(entry.value, at, Quantity::kScale)});
  }
  for (const std::string& column : CoordinateColumns(scene, false))
    if (!IsListed(observe.scales, column))
      observe.scales.push_back({column, reader.Default(JoinPath(scale_path, column), Quantity::kScale, 1)});
  reader.ExpectNamedMap(eccentricities, path);
  const std::vector<std::string> angles = CoordinateColumns(scene, true);
  for (const YamlEntry& entry : eccentricities.entries) {
    const std::string at = JoinPath(path, Printable(entry.key, 80));
    if (std::find(angles.begin(), angles.end(), entry.key) == angles.end())
      throw InputError(reader.Where(entry), at, "is not the angle of a hinge.", SuggestName(entry.key, angles));
    observe.eccentricities.push_back({entry.key, reader.Vector(entry.value, at, Quantity::kAngle, 2)});
  }
  for (const std::string& column : angles) {
    if (IsListed(observe.eccentricities, column)) continue;
    const std::string at = JoinPath(path, column);
    observe.eccentricities.push_back({column,
                                      {reader.Default(IndexPath(at, 0), Quantity::kAngle, 0),
                                       reader.Default(IndexPath(at, 1), Quantity::kAngle, 0)}});
  }
}

/// Names of the bodies that move, which alone are tracked.
std::vector<std::string> MovingBodies(const Scene& scene) {
  std::vector<std::string> names;
  for (const Body& body : scene.bodies)
    if (!body.fixed) names.push_back(body.name);
  return names;
}

void ReadFrame(SceneReader& reader, const YamlNode& map, const std::string& path, const std::string& body) {
  reader.ExpectMap(map, path, {"position", "rotation"});
  TrackedFrame frame;
  frame.body = body;
  frame.position =
      reader.VectorOr(map, path, "position", Quantity::kPosition, std::vector<double>(reader.dimension(), 0.0));
  frame.rotation =
      reader.VectorOr(map, path, "rotation", Quantity::kAngle, std::vector<double>(reader.turn_dimension(), 0.0));
  reader.scene().observe.frames.push_back(std::move(frame));
}

// `frame` of the only body that moves, `frames: {NAME: ...}` of several. Frames that are not written are the body
// frames; their numbers have paths too.
void ReadFrames(SceneReader& reader, const YamlNode& map) {
  const std::vector<std::string> moving = MovingBodies(reader.scene());
  const YamlNode *frame = map.Get("frame"), *frames = map.Get("frames");
  if (frame != nullptr && moving.size() != 1) {
    reader.Fail(
        *frame, "observe.frame", moving.empty() ? "no body moves." : fmt::format("{} bodies move.", moving.size()),
        moving.empty()
            ? "Leave it out."
            : fmt::format("Name the body: `frames: {{{}: {{position: ..., rotation: ...}}}}`.", moving.front()));
  }
  if (frames != nullptr && moving.size() == 1) {
    reader.Fail(*frames, "observe.frames", fmt::format("only `{}` moves.", moving.front()),
                "Write `frame: {position: ..., rotation: ...}`.");
  }
  if (moving.size() == 1) {
    ReadFrame(reader, frame != nullptr ? *frame : EmptyMap(), "observe.frame", moving.front());
    return;
  }
  const YamlNode& named = frames != nullptr ? *frames : EmptyMap();
  reader.ExpectNamedMap(named, "observe.frames");
  for (const YamlEntry& entry : named.entries) {
    if (std::find(moving.begin(), moving.end(), entry.key) != moving.end()) continue;
    throw InputError(
        reader.Where(entry), JoinPath("observe.frames", Printable(entry.key)),
        reader.scene().BodyIndex(entry.key) >= 0 ? "this body is fixed and not tracked." : "there is no such body.",
        SuggestName(entry.key, moving));
  }
  for (const std::string& body : moving) {
    const YamlNode* of_body = named.Get(body);
    ReadFrame(reader, of_body != nullptr ? *of_body : EmptyMap(), JoinPath("observe.frames", body), body);
  }
}

// `NAME: [x, y, z]` on the only body that moves, or `NAME: {body: B, at: [x, y, z]}`.
void ReadPoints(SceneReader& reader, const YamlNode& node) {
  const std::string path = "observe.points";
  reader.ExpectNamedMap(node, path);
  Scene& scene = reader.scene();
  const std::vector<std::string> moving = MovingBodies(scene);
  for (const YamlEntry& entry : node.entries) {
    reader.CheckName(entry, path);
    const std::string at = JoinPath(path, entry.key);
    ObservedPoint point;
    point.name = entry.key;
    point.where = reader.Where(entry);
    const YamlNode* coordinates = &entry.value;
    if (entry.value.kind == YamlNode::Kind::kMap) {
      reader.ExpectMap(entry.value, at, {"body", "at"});
      const YamlNode& body = reader.Require(entry.value, at, "body", "Name the body that has this point.");
      point.body = reader.Word(body, JoinPath(at, "body"), "the name of a body");
      if (std::find(moving.begin(), moving.end(), point.body) == moving.end()) {
        reader.Fail(body, JoinPath(at, "body"), fmt::format("no body `{}` moves.", Printable(point.body)),
                    SuggestName(point.body, moving));
      }
      coordinates =
          &reader.Require(entry.value, at, "at", "Give the coordinates of the point in the frame of its body.");
    } else if (moving.size() == 1) {
      point.body = moving.front();
    } else {
      reader.Fail(entry.value, at,
                  moving.empty() ? "no body moves that could have this point."
                                 : fmt::format("{} bodies move, and any could have this point.", moving.size()),
                  moving.empty() ? "Leave it out."
                                 : fmt::format("Write `{}: {{body: {}, at: [...]}}`.", entry.key, moving.front()));
    }
    point.at = reader.Vector(*coordinates, at, Quantity::kPosition, reader.dimension());
    scene.observe.points.push_back(std::move(point));
  }
}

}  // namespace

void ReadSimulation(SceneReader& reader, const YamlNode* node) {
  const YamlNode& map = node != nullptr ? *node : EmptyMap();
  const std::string path = "simulation";
  reader.ExpectMap(map, path, {"method", "step", "duration", "tolerance", "options"});
  Simulation& simulation = reader.scene().simulation;
  if (const YamlNode* method = map.Get("method")) {
    simulation.method = reader.Word(*method, "simulation.method", "the name of a stepper");
    simulation.method_where = reader.Where(*method);
  }
  simulation.step = reader.NumberOr(map, path, "step", Quantity::kPositiveTime, 1e-3);
  simulation.duration = reader.NumberOr(map, path, "duration", Quantity::kNonNegativeTime, 1);
  simulation.tolerance = reader.NumberOr(map, path, "tolerance", Quantity::kTolerance, 1e-10);
  if (const YamlNode* options = map.Get("options")) ReadOptions(reader, *options);
}

void ReadObserve(SceneReader& reader, const YamlNode* node) {
  Observation& observe = reader.scene().observe;
  const YamlNode* map = node == nullptr ? &EmptyMap() : node;
  if (map->kind == YamlNode::Kind::kList) {
    ReadChannels(reader, *map, "observe");
    map = &EmptyMap();
  } else {
    reader.ExpectMap(
        *map, "observe",
        {"channels", "noise", "length_scale", "delay", "offset", "scale", "eccentricity", "frame", "frames", "points"});
    if (const YamlNode* points = map->Get("points")) ReadPoints(reader, *points);
    if (const YamlNode* channels = map->Get("channels")) ReadChannels(reader, *channels, "observe.channels");
  }
  const YamlNode* noise_node = map->Get("noise");
  const YamlNode& noise = noise_node != nullptr ? *noise_node : EmptyMap();
  reader.ExpectMap(noise, "observe.noise", {"position", "angle"});
  observe.noise_position = reader.NumberOr(noise, "observe.noise", "position", Quantity::kNonNegativeLength, 0);
  observe.noise_angle = reader.NumberOr(noise, "observe.noise", "angle", Quantity::kNonNegativeAngle, 0);
  observe.length_scale = reader.NumberOr(*map, "observe", "length_scale", Quantity::kScale, 1);
  observe.delay = reader.NumberOr(*map, "observe", "delay", Quantity::kTime, 0);
  const YamlNode* offset = map->Get("offset");
  ReadOffsets(reader, offset != nullptr ? *offset : EmptyMap());
  const YamlNode *scale = map->Get("scale"), *eccentricity = map->Get("eccentricity");
  ReadJointSensors(reader, scale != nullptr ? *scale : EmptyMap(),
                   eccentricity != nullptr ? *eccentricity : EmptyMap());
  ReadFrames(reader, *map);
}

}  // namespace ricochet
