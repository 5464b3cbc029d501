// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From the tree of a scene's text to the typed scene. SceneReader has what every section needs: typed access that
// complains with position, path and remedy, and that puts each number in the scene's table. The sections are free
// functions, one file each; the rules that numbers must obey together are in check_scene.cc.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene.h"
#include "scene/text/yaml_tree.h"

namespace ricochet {

class SceneReader {
 public:
  explicit SceneReader(Scene& scene) : scene_(scene) {}

  Scene& scene() { return scene_; }
  bool planar() const { return scene_.space == Space::kPlanar; }
  std::size_t dimension() const { return planar() ? 2 : 3; }       // of positions and velocities
  std::size_t turn_dimension() const { return planar() ? 1 : 3; }  // of angular velocities and torques

  [[noreturn]] void Fail(const YamlNode& at, std::string_view path, std::string problem, std::string remedy) const;

  /// Checks that the node is a map with only these keys.
  void ExpectMap(const YamlNode& node, const std::string& path, std::initializer_list<const char*> keys) const;
  void ExpectMap(const YamlNode& node, const std::string& path, const std::vector<std::string>& known) const;
  /// Checks that the node is a map; its keys are names that the user chose.
  void ExpectNamedMap(const YamlNode& node, const std::string& path) const;
  /// Checks that the node is a list.
  void ExpectList(const YamlNode& node, const std::string& path, const std::string& of_what) const;

  /// The value of a key that must be there.
  const YamlNode& Require(const YamlNode& map, const std::string& path, const char* key, std::string remedy) const;

  NumberId Number(const YamlNode& node, const std::string& path, Quantity quantity);
  /// The number of a key, or a default that is not `given`.
  NumberId NumberOr(const YamlNode& map, const std::string& path, const char* key, Quantity quantity, double value);
  NumberId Default(const std::string& path, Quantity quantity, double value);

  /// A list of exactly `count` numbers.
  std::vector<NumberId> Vector(const YamlNode& node, const std::string& path, Quantity quantity, std::size_t count);
  /// As above; a count of 1 is a single number, not a list.
  std::vector<NumberId> VectorOr(const YamlNode& map, const std::string& path, const char* key, Quantity quantity,
                                 const std::vector<double>& values);
  std::vector<NumberId> ScalarOrVector(const YamlNode& node, const std::string& path, Quantity quantity,
                                       std::size_t count);
  /// A list of points: lists of `dimension` numbers each, one after the other.
  std::vector<NumberId> Points(const YamlNode& node, const std::string& path, std::size_t dimension,
                               std::size_t at_least);

  std::string Word(const YamlNode& node, const std::string& path, const std::string& what) const;
  /// A word out of a list; an unknown one names the nearest.
  std::string Choice(const YamlNode& node, const std::string& path, const std::vector<std::string>& words) const;
  bool Bool(const YamlNode& node, const std::string& path) const;
  /// Checks a name that the user chose for a body, surface or joint.
  void CheckName(const YamlEntry& entry, const std::string& path) const;

  SourcePosition Where(const YamlNode& node) const { return PositionOf(node, scene_.file); }
  SourcePosition Where(const YamlEntry& entry) const { return {scene_.file, entry.line, entry.column}; }

 private:
  Scene& scene_;
};

/// Stands for a map that is not written.
const YamlNode& EmptyMap();

std::string JoinPath(const std::string& path, std::string_view key);
std::string IndexPath(const std::string& path, std::size_t index);

void ReadGravity(SceneReader& reader, const YamlNode* node);
/// With `jointed`, bodies that move have drag numbers, written or not.
void ReadBodies(SceneReader& reader, const YamlNode& node, bool jointed);
void ReadSurfaces(SceneReader& reader, const YamlNode& node);
void ReadJoints(SceneReader& reader, const YamlNode& node);
void ReadContact(SceneReader& reader, const YamlNode* node);
void ReadInitial(SceneReader& reader, const YamlNode& node);
void ReadActions(SceneReader& reader, const YamlNode& node);
void ReadSimulation(SceneReader& reader, const YamlNode* node);
void ReadObserve(SceneReader& reader, const YamlNode* node);

/// Reads a tree into a scene without the checks of CheckScene.
void ReadTree(Scene& scene, const YamlNode& root);

/// The checked scene of a tree whose text is `text`. Throws InputError.
Scene MakeScene(const YamlNode& root, std::string text, std::string file);

}  // namespace ricochet
