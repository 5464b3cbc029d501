// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/read/scene_reader.h"

#include <fmt/format.h>

#include "core/text.h"
#include "ricochet/parameter.h"
#include "scene/text/number_text.h"

namespace ricochet {
namespace {

// "a list", "the text `abc`": what stands there, for messages about a wrong type.
std::string Describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return node.quoted ? fmt::format("the text \"{}\"", Printable(node.scalar))
                         : fmt::format("`{}`", Printable(node.scalar));
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a map";
  }
  return "nothing";
}

}  // namespace

const YamlNode& EmptyMap() {
  static const YamlNode empty = [] {
    YamlNode node;
    node.kind = YamlNode::Kind::kMap;
    return node;
  }();
  return empty;
}

std::string JoinPath(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string IndexPath(const std::string& path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

void SceneReader::Fail(const YamlNode& at, std::string_view path, std::string problem, std::string remedy) const {
  throw InputError(Where(at), std::string(path), std::move(problem), std::move(remedy));
}

void SceneReader::ExpectNamedMap(const YamlNode& node, const std::string& path) const {
  if (node.kind != YamlNode::Kind::kMap) {
    Fail(node, path, fmt::format("expected a map, but found {}.", Describe(node)),
         node.kind == YamlNode::Kind::kNull ? "Give it a value, or leave the key out." : "Write `key: value` pairs.");
  }
}

void SceneReader::ExpectMap(const YamlNode& node, const std::string& path,
                            std::initializer_list<const char*> keys) const {
  ExpectMap(node, path, std::vector<std::string>(keys.begin(), keys.end()));
}

void SceneReader::ExpectMap(const YamlNode& node, const std::string& path,
                            const std::vector<std::string>& known) const {
  ExpectNamedMap(node, path);
  for (const YamlEntry& entry : node.entries) {
    bool found = false;
    for (const std::string& key : known) found = found || key == entry.key;
    if (!found) {
      throw InputError(Where(entry), JoinPath(path, Printable(entry.key)), "unknown key.",
                       SuggestName(entry.key, known));
    }
  }
}

void SceneReader::ExpectList(const YamlNode& node, const std::string& path, const std::string& of_what) const {
  if (node.kind != YamlNode::Kind::kList) {
    Fail(node, path, fmt::format("expected a list, but found {}.", Describe(node)),
         fmt::format("Write a list of {} in brackets.", of_what));
  }
}

const YamlNode& SceneReader::Require(const YamlNode& map, const std::string& path, const char* key,
                                     std::string remedy) const {
  const YamlNode* node = map.Get(key);
  if (node == nullptr) Fail(map, JoinPath(path, key), "is missing.", std::move(remedy));
  return *node;
}

NumberId SceneReader::Number(const YamlNode& node, const std::string& path, Quantity quantity) {
  if (node.kind != YamlNode::Kind::kScalar || node.quoted) {
    const std::string_view unit = InfoOf(quantity).unit;
    Fail(node, path, fmt::format("expected a number, but found {}.", Describe(node)),
         node.quoted   ? "Leave the quotes out."
         : unit == "-" ? "Write one plain number."
                       : fmt::format("Write one number in {}.", unit));
  }
  double value = 0;
  const NumberText result = ParseNumber(node.scalar, quantity, value);
  if (result != NumberText::kGood) {
    NumberComplaint complaint = ExplainNumber(result, node.scalar, quantity);
    Fail(node, path, std::move(complaint.problem), std::move(complaint.remedy));
  }
  if (!IsAllowed(quantity, value)) {
    NumberComplaint complaint = ExplainBounds(value, quantity);
    Fail(node, path, std::move(complaint.problem), std::move(complaint.remedy));
  }
  return scene_.Add({path, value, quantity, Where(node), true});
}

NumberId SceneReader::NumberOr(const YamlNode& map, const std::string& path, const char* key, Quantity quantity,
                               double value) {
  const YamlNode* node = map.Get(key);
  return node != nullptr ? Number(*node, JoinPath(path, key), quantity) : Default(JoinPath(path, key), quantity, value);
}

NumberId SceneReader::Default(const std::string& path, Quantity quantity, double value) {
  return scene_.Add({path, value, quantity, {scene_.file, 0, 0}, false});
}

std::vector<NumberId> SceneReader::Vector(const YamlNode& node, const std::string& path, Quantity quantity,
                                          std::size_t count) {
  ExpectList(node, path, fmt::format("{} numbers", count));
  if (node.items.size() != count) {
    const bool of_space = (count == 2 && node.items.size() == 3) || (count == 3 && node.items.size() == 2);
    Fail(node, path, fmt::format("expected {} numbers, but found {}.", count, node.items.size()),
         of_space ? fmt::format("The scene is `space: {}`.", planar() ? "planar" : "spatial")
                  : fmt::format("Write a list of {} numbers.", count));
  }
  std::vector<NumberId> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(Number(node.items[i], IndexPath(path, i), quantity));
  return numbers;
}

std::vector<NumberId> SceneReader::ScalarOrVector(const YamlNode& node, const std::string& path, Quantity quantity,
                                                  std::size_t count) {
  if (count == 1) return {Number(node, path, quantity)};
  return Vector(node, path, quantity, count);
}

std::vector<NumberId> SceneReader::VectorOr(const YamlNode& map, const std::string& path, const char* key,
                                            Quantity quantity, const std::vector<double>& values) {
  const std::string at = JoinPath(path, key);
  if (const YamlNode* node = map.Get(key)) return ScalarOrVector(*node, at, quantity, values.size());
  if (values.size() == 1) return {Default(at, quantity, values[0])};
  std::vector<NumberId> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) numbers.push_back(Default(IndexPath(at, i), quantity, values[i]));
  return numbers;
}

std::vector<NumberId> SceneReader::Points(const YamlNode& node, const std::string& path, std::size_t dimension,
                                          std::size_t at_least) {
  ExpectList(node, path, fmt::format("points, each a list of {} numbers,", dimension));
  if (node.items.size() < at_least) {
    Fail(node, path, fmt::format("{} points do not define a shape.", node.items.size()),
         fmt::format("Give at least {}.", at_least));
  }
  constexpr std::size_t kMost = 1000;
  if (node.items.size() > kMost) {
    Fail(node, path, fmt::format("{} points exceed the limit of {}.", node.items.size(), kMost),
         "Leave out those that are not corners, or simplify the shape.");
  }
  std::vector<NumberId> numbers;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    for (NumberId id : Vector(node.items[i], IndexPath(path, i), Quantity::kPosition, dimension)) numbers.push_back(id);
  }
  return numbers;
}

std::string SceneReader::Word(const YamlNode& node, const std::string& path, const std::string& what) const {
  if (node.kind != YamlNode::Kind::kScalar || node.scalar.empty()) {
    Fail(node, path, fmt::format("expected {}, but found {}.", what, Describe(node)), "Write one word.");
  }
  return node.scalar;
}

std::string SceneReader::Choice(const YamlNode& node, const std::string& path,
                                const std::vector<std::string>& words) const {
  const std::string word = Word(node, path, "a word");
  for (const std::string& known : words) {
    if (word == known) return word;
  }
  Fail(node, path, fmt::format("`{}` is not a valid value.", Printable(word)), SuggestName(word, words));
}

bool SceneReader::Bool(const YamlNode& node, const std::string& path) const {
  const bool scalar = node.kind == YamlNode::Kind::kScalar && !node.quoted;
  if (scalar && node.scalar == "true") return true;
  if (scalar && node.scalar == "false") return false;
  Fail(node, path, fmt::format("expected true or false, but found {}.", Describe(node)), "Write `true` or `false`.");
}

void SceneReader::CheckName(const YamlEntry& entry, const std::string& path) const {
  const std::string shown = Printable(entry.key);
  if (!IsName(entry.key)) {
    throw InputError(Where(entry), JoinPath(path, shown), fmt::format("`{}` is not a valid name.", shown),
                     "Use letters, digits and `_`, and begin with a letter or `_`.");
  }
  if (entry.key == "world") {
    throw InputError(Where(entry), JoinPath(path, shown), "`world` is reserved.", "Choose another name.");
  }
  const char* other = scene_.BodyIndex(entry.key) >= 0      ? "body"
                      : scene_.SurfaceIndex(entry.key) >= 0 ? "surface"
                      : scene_.JointIndex(entry.key) >= 0   ? "joint"
                                                            : nullptr;
  if (other != nullptr) {
    throw InputError(Where(entry), JoinPath(path, shown), fmt::format("a {} has the same name.", other),
                     "Names are unique over bodies, surfaces and joints; rename one.");
  }
}

}  // namespace ricochet
