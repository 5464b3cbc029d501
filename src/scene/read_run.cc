// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How the scene is run and what is observed.
#include <fmt/format.h>

#include "core/text.h"
#include "scene/channel.h"
#include "scene/number_text.h"
#include "scene/scene_reader.h"

namespace ricochet {
namespace {

const std::vector<std::string> kMethods = {"irc", "igc", "lcp", "event", "moreau", "ecp", "spook"};

void ReadOptions(SceneReader& reader, const YamlNode& node) {
  const std::string path = "simulation.options";
  reader.ExpectNamedMap(node, path);
  for (const YamlEntry& entry : node.entries) {
    const std::string at = JoinPath(path, Printable(entry.key));
    if (!IsName(entry.key)) {
      throw InputError(reader.Where(entry), at, fmt::format("`{}` cannot be a name.", Printable(entry.key)),
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

// `poses` is every body's pose, `NAME` a body's pose or a joint's angle, `NAME.column` one column.
void CheckChannel(const SceneReader& reader, const Scene& scene, const YamlNode& node, const std::string& path,
                  const std::string& channel) {
  if (channel == "poses" || scene.BodyIndex(channel) >= 0 || ChannelQuantity(scene, channel)) return;
  std::vector<std::string> known = {"poses"};
  for (std::string& name : StateChannels(scene)) known.push_back(std::move(name));
  reader.Fail(node, path, fmt::format("`{}` is nothing that a recording of this scene has.", Printable(channel)),
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
        reader.Fail(node.items[i], at, fmt::format("`{}` is here twice.", channel), "Keep one of them.");
    }
    channels.push_back(channel);
  }
}

// An offset per observed column; those not written are 0 and have paths too.
void ReadOffsets(SceneReader& reader, const YamlNode& node) {
  Observation& observe = reader.scene().observe;
  const std::string path = "observe.offset";
  reader.ExpectNamedMap(node, path);
  for (const YamlEntry& entry : node.entries) {
    const std::string at = JoinPath(path, Printable(entry.key, 80));
    const std::optional<Quantity> quantity = ChannelQuantity(reader.scene(), entry.key);
    if (!quantity) {
      throw InputError(reader.Where(entry), at, "is no column that a recording of this scene has.",
                       SuggestName(entry.key, StateChannels(reader.scene())));
    }
    observe.offsets.push_back({entry.key, reader.Number(entry.value, at, *quantity)});
  }
  for (const std::string& channel : observe.channels) {
    const std::optional<Quantity> quantity = ChannelQuantity(reader.scene(), channel);
    bool given = !quantity;
    for (const Observation::Offset& offset : observe.offsets) given = given || offset.channel == channel;
    if (!given) observe.offsets.push_back({channel, reader.Default(JoinPath(path, channel), *quantity, 0)});
  }
}

}  // namespace

void ReadSimulation(SceneReader& reader, const YamlNode* node) {
  const YamlNode& map = node != nullptr ? *node : EmptyMap();
  const std::string path = "simulation";
  reader.ExpectMap(map, path, {"method", "step", "duration", "tolerance", "options"});
  Simulation& simulation = reader.scene().simulation;
  if (const YamlNode* method = map.Get("method")) {
    simulation.method = reader.Choice(*method, "simulation.method", kMethods);
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
    reader.ExpectMap(*map, "observe", {"channels", "noise", "length_scale", "delay", "offset"});
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
}

}  // namespace ricochet
