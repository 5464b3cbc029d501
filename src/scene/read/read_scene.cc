// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <utility>

#include "core/input_file.h"
#include "core/text.h"
#include "ricochet/error.h"
#include "ricochet/scene.h"
#include "scene/check_scene.h"
#include "scene/read/scene_reader.h"

namespace ricochet {

void ReadTree(Scene& scene, const YamlNode& root) {
  SceneReader reader(scene);
  if (root.kind != YamlNode::Kind::kMap) {
    reader.Fail(root, "", "this is not a scene: it has no `key: value` pairs.", "Start with `ricochet: 1`.");
  }
  reader.ExpectMap(root, "",
                   {"ricochet", "space", "gravity", "bodies", "surfaces", "contact", "joints", "initial", "actions",
                    "simulation", "observe"});
  const YamlNode& version = reader.Require(root, "", "ricochet", "Write `ricochet: 1`, the version of the format.");
  if (version.kind != YamlNode::Kind::kScalar || version.scalar != "1") {
    reader.Fail(version, "ricochet",
                fmt::format("the format `{}` is not known.",
                            version.kind == YamlNode::Kind::kScalar ? Printable(version.scalar) : "?"),
                "Write `ricochet: 1`.");
  }
  const YamlNode& space = reader.Require(root, "", "space", "Write `space: planar` or `space: spatial`.");
  scene.space = reader.Choice(space, "space", {"planar", "spatial"}) == "planar" ? Space::kPlanar : Space::kSpatial;

  // Names first, then what refers to them.
  ReadGravity(reader, root.Get("gravity"));
  ReadBodies(reader, reader.Require(root, "", "bodies", "Describe at least one body."), root.Get("joints") != nullptr);
  if (const YamlNode* node = root.Get("surfaces")) ReadSurfaces(reader, *node);
  if (const YamlNode* node = root.Get("joints")) ReadJoints(reader, *node);
  ReadContact(reader, root.Get("contact"));
  if (const YamlNode* node = root.Get("initial")) ReadInitial(reader, *node);
  if (const YamlNode* node = root.Get("actions")) ReadActions(reader, *node);
  ReadSimulation(reader, root.Get("simulation"));
  ReadObserve(reader, root.Get("observe"));
}

Scene MakeScene(const YamlNode& root, std::string text, std::string file) {
  Scene scene;
  scene.file = std::move(file);
  scene.text = std::move(text);
  ReadTree(scene, root);
  CheckShapes(scene);
  UpdateDerivedNumbers(scene);
  CheckScene(scene);
  return scene;
}

namespace {

/// Whether the text begins like a recording, `t,x,...`: the usual sign of swapped arguments.
bool LooksLikeRecording(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\"");
  return first != std::string::npos && (text.compare(first, 2, "t,") == 0 || text.compare(first, 3, "t\",") == 0);
}

}  // namespace

Scene ParseScene(const std::string& text, const std::string& name_in_messages) {
  if (LooksLikeRecording(text))
    throw InputError({name_in_messages, 1, 1}, "", "this is a recording (CSV), not a scene.",
                     "Give the scene (YAML) first, then the recordings.");
  return MakeScene(ParseYaml(text, name_in_messages), text, name_in_messages);
}

Scene ReadScene(const std::string& file) { return ParseScene(ReadInputFile(file), file); }

}  // namespace ricochet
