// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "core/atomic_file.h"
#include "core/text.h"
#include "ricochet/scene.h"
#include "scene/path_pattern.h"
#include "scene/read/scene_reader.h"
#include "scene/text/number_text.h"
#include "scene/text/text_edits.h"

namespace ricochet {
namespace {

// The keys of a path: `actions[0].at` is actions, 0, at. Columns below `observe` have points in their names.
std::vector<std::string> KeysOf(std::string_view path) {
  for (const std::string_view key : {"offset", "scale", "eccentricity"}) {
    const std::string start = fmt::format("observe.{}.", key);
    if (!path.starts_with(start)) continue;
    const std::string_view list = ListPath(path);
    std::vector<std::string> keys = {"observe", std::string(key), std::string(list.substr(start.size()))};
    if (list != path) keys.emplace_back(path.substr(list.size() + 1, path.size() - list.size() - 2));
    return keys;
  }
  std::vector<std::string> keys;
  const std::optional<std::vector<PathStep>> steps = SplitPath(path);
  for (const PathStep& step : *steps)
    keys.push_back(step.is_index ? std::to_string(step.first) : std::string(step.name));
  return keys;
}

const YamlNode& NodeOf(const YamlNode& root, const std::string& path) {
  const YamlNode* node = &root;
  for (const std::string& key : KeysOf(path)) {
    // An observed point that names its body, `tip: {body: box, at: [...]}`, has its coordinates below `at`.
    const bool index = !key.empty() && std::isdigit(static_cast<unsigned char>(key[0])) != 0;
    if (index && node->kind == YamlNode::Kind::kMap && node->Get("at") != nullptr) node = node->Get("at");
    node = node->kind == YamlNode::Kind::kList ? &node->items.at(static_cast<std::size_t>(std::stoi(key)))
                                               : node->Get(key);
    if (node == nullptr) throw std::logic_error(fmt::format("{} is given but not in the scene's text", path));
  }
  return *node;
}

// Degrees stay degrees where that is exact.
std::string FormatLike(const std::string& written, Quantity quantity, double value) {
  const std::size_t unit = written.find("deg");
  if (unit != std::string::npos) {
    const std::string text =
        fmt::format("{} {}", FormatSceneNumber(value * 180 / std::numbers::pi), written.substr(unit));
    double again = 0;
    if (ParseNumber(text, quantity, again) == NumberText::kGood && again == value) return text;
  }
  return FormatSceneNumber(value);
}

bool IsGravityVector(std::string_view path) { return path.starts_with("gravity["); }
bool IsGravityPolar(std::string_view path) { return path.starts_with("gravity."); }

class SceneWriter {
 public:
  explicit SceneWriter(const Scene& scene)
      : scene_(scene),
        before_(ParseScene(scene.text, scene.file)),
        root_(ParseYaml(scene.text, scene.file)),
        edits_(scene.text, root_) {}

  std::string Write() {
    edits_.WrapList("observe", "channels");
    for (std::size_t i = 0; i < scene_.numbers().size(); ++i) {
      const SceneNumber& number = scene_.numbers()[i];
      const NumberId id = before_.Find(number.path);
      if (!id) {
        throw InputError({}, number.path, fmt::format("the text of {} has no place for this parameter.", scene_.file),
                         "Write it into the scene.");
      }
      if (!before_.number(id).given) {
        if (IsListStart(i)) AddMissing(i);
      } else if (IsWritten(number) && before_[id] != number.value) {
        const YamlNode& node = NodeOf(root_, number.path);
        edits_.Replace(node, FormatLike(node.scalar, number.quantity, number.value));
      }
    }
    std::string text = edits_.Apply();
    Compare(text);
    return text;
  }

 private:
  bool IsInText(std::string_view path) const {
    const YamlNode* gravity = root_.Get("gravity");
    if (IsGravityVector(path)) return gravity != nullptr && gravity->kind == YamlNode::Kind::kList;
    if (IsGravityPolar(path)) return gravity != nullptr && gravity->kind == YamlNode::Kind::kMap;
    return true;
  }

  // Whether the number belongs in the text: gravity in the form the text has (both forms are always up to date), all
  // else if it was given or set.
  bool IsWritten(const SceneNumber& number) const {
    if (IsGravityVector(number.path) || IsGravityPolar(number.path)) {
      if (root_.Get("gravity") != nullptr) return IsInText(number.path);
    }
    return number.given;
  }

  bool IsListStart(std::size_t i) const {
    return i == 0 || ListPath(scene_.numbers()[i].path) == scene_.numbers()[i].path ||
           ListPath(scene_.numbers()[i].path) != ListPath(scene_.numbers()[i - 1].path);
  }

  // A number, or the list that begins with it, which the text does not have: added if any of it differs.
  void AddMissing(std::size_t first) {
    const std::string_view list = ListPath(scene_.numbers()[first].path);
    bool differs = false;
    std::string value;
    for (std::size_t i = first; i < scene_.numbers().size() && ListPath(scene_.numbers()[i].path) == list; ++i) {
      const SceneNumber& number = scene_.numbers()[i];
      differs = differs || (IsWritten(number) && number.value != before_[before_.Find(number.path)]);
      value += (value.empty() ? "" : ", ") + FormatSceneNumber(number.value);
      if (number.path == list) break;
    }
    if (!differs) return;
    if (list != scene_.numbers()[first].path) value = "[" + value + "]";
    edits_.AddValue(KeysOf(list), value);
  }

  // The text means this scene: every number is read back exactly, but for gravity's form that the text does not have.
  void Compare(const std::string& text) const {
    const Scene after = ParseScene(text, scene_.file);
    for (const SceneNumber& number : scene_.numbers()) {
      const NumberId id = after.Find(number.path);
      // A vector has many tilts; what it means is compared by its components.
      if (IsGravityPolar(number.path) && !after.gravity.polar) continue;
      const bool other_form = IsGravityVector(number.path) && scene_.gravity.polar != after.gravity.polar;
      const double tolerance = other_form ? 1e-9 * std::max(1.0, std::abs(number.value)) : 0.0;
      if (!id || !(std::abs(after[id] - number.value) <= tolerance)) {
        throw std::logic_error(fmt::format("writing {}: {} is {} but was read back as {}", scene_.file, number.path,
                                           FormatDouble(number.value), id ? FormatDouble(after[id]) : "nothing"));
      }
    }
  }

  const Scene& scene_;
  const Scene before_;
  const YamlNode root_;
  TextEdits edits_;
};

}  // namespace

std::string FormatScene(const Scene& scene) {
  if (scene.text.empty()) {
    throw InputError({}, "", "the scene was created in code and has no text to write its values to.",
                     "Give Scene::text, or read the scene from a file.");
  }
  return SceneWriter(scene).Write();
}

void WriteScene(const Scene& scene, const std::string& file) { WriteFileAtomically(file, FormatScene(scene)); }

}  // namespace ricochet
