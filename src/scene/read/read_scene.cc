// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
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

/// Throws InputError for files that are given as a scene by mistake: a recording (the usual sign of swapped arguments),
/// a robot description, a result.
void RefuseOtherFile(std::string_view text, const std::string& name) {
  const auto refuse = [&](const char* problem, const std::string& remedy) {
    throw InputError({name, 1, 1}, "", problem, remedy);
  };
  const std::string import = fmt::format("Import it first: ricochet import {} -o ", Printable(name, 200));
  if (text.substr(0, 512).find('\0') != std::string_view::npos)
    refuse("this is a binary file, not a scene.", "Give the scene (YAML) first, then the recordings.");
  while (text.starts_with('#') || text.starts_with(' ') || text.starts_with('\r') || text.starts_with('\n'))
    text.remove_prefix(text[0] == '#' ? std::min(text.find('\n'), text.size()) : 1);
  if (text.starts_with('<'))
    refuse("this is XML, not a scene.", import + "scenes, if it is a robot description (URDF).");
  if (text.starts_with('{') && text.find("\"ricochet\"") == std::string_view::npos &&
      text.find("ricochet:") == std::string_view::npos)
    refuse("this is JSON, as results are, not a scene.", "Give the scene (YAML). `ricochet report` shows results.");
  if (text.starts_with("Format Version") || text.starts_with("PathFileType"))
    refuse("this is a file of motion capture, not a scene.", "Give a scene (YAML) first. " + import + "recordings");
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.starts_with("t,") || line.starts_with("\"t\","))
    refuse("this is a recording (CSV), not a scene.", "Give the scene (YAML) first, then the recordings.");
  if (line.find(':') == std::string_view::npos && line.find_first_of(",;\t") != std::string_view::npos)
    refuse("this is a table, not a scene.", "Give the scene (YAML) first, then the recordings.");
}

}  // namespace

Scene ParseScene(const std::string& text, const std::string& name_in_messages) {
  RefuseOtherFile(text, name_in_messages);
  return MakeScene(ParseYaml(text, name_in_messages), text, name_in_messages);
}

Scene ReadScene(const std::string& file) { return ParseScene(ReadInputFile(file), file); }

}  // namespace ricochet
