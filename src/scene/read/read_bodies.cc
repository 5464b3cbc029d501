// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "scene/read/scene_reader.h"

namespace ricochet {
namespace {

struct ShapeWord {
  const char* word;
  ShapeType type;
  bool planar;
};
constexpr ShapeWord kShapes[] = {
    {"ellipse", ShapeType::kEllipse, true},
    {"circle", ShapeType::kCircle, true},
    {"rectangle", ShapeType::kRectangle, true},
    {"polygon", ShapeType::kPolygon, true},
    {"box", ShapeType::kBox, false},
    {"sphere", ShapeType::kSphere, false},
    {"cylinder", ShapeType::kCylinder, false},
    {"ellipsoid", ShapeType::kEllipsoid, false},
    {"polytope", ShapeType::kPolytope, false},
    {"intersection", ShapeType::kIntersection, false},
};
constexpr std::size_t kMostParts = 64;

void Append(std::vector<NumberId>& to, const std::vector<NumberId>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// A polygon written clockwise is turned: the numbers stay where they are written, the shape lists them in reverse.
void TurnCounterClockwise(const Scene& scene, std::vector<NumberId>& numbers) {
  const std::size_t n = numbers.size() / 2;
  double twice_area = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t j = (i + 1) % n;
    twice_area += scene[numbers[2 * i]] * scene[numbers[2 * j + 1]] - scene[numbers[2 * j]] * scene[numbers[2 * i + 1]];
  }
  if (twice_area >= 0) return;
  std::vector<NumberId> turned;
  for (std::size_t i = n; i-- > 0;) {
    turned.push_back(numbers[2 * i]);
    turned.push_back(numbers[2 * i + 1]);
  }
  numbers = turned;
}

void ReadParts(SceneReader& reader, const YamlNode& node, const std::string& path, Shape& shape);

/// The numbers of a shape of known type. `placed`: the map also has position and orientation, which are read elsewhere.
void ReadShapeNumbers(SceneReader& reader, const YamlNode& value, const std::string& at, bool placed, Shape& shape) {
  const auto expect = [&](std::vector<std::string> keys) {
    if (placed) {
      keys.emplace_back("position");
      if (shape.type != ShapeType::kSphere && shape.type != ShapeType::kEllipsoid) keys.emplace_back("orientation");
    }
    reader.ExpectMap(value, at, keys);
  };
  switch (shape.type) {
    case ShapeType::kEllipse:
    case ShapeType::kEllipsoid:
      expect({"semi_axes"});
      shape.numbers =
          reader.Vector(reader.Require(value, at, "semi_axes", "Give the half lengths along the body's axes."),
                        JoinPath(at, "semi_axes"), Quantity::kLength, reader.dimension());
      break;
    case ShapeType::kCircle:
    case ShapeType::kSphere:
      expect({"radius"});
      shape.numbers = {reader.Number(reader.Require(value, at, "radius", "Give the radius in meters."),
                                     JoinPath(at, "radius"), Quantity::kLength)};
      break;
    case ShapeType::kRectangle:
    case ShapeType::kBox:
      expect({"size"});
      shape.numbers = reader.Vector(reader.Require(value, at, "size", "Give the full lengths along the body's axes."),
                                    JoinPath(at, "size"), Quantity::kLength, reader.dimension());
      break;
    case ShapeType::kCylinder:
      expect({"radius", "length", "axis"});
      shape.numbers = {reader.Number(reader.Require(value, at, "radius", "Give the radius in meters."),
                                     JoinPath(at, "radius"), Quantity::kLength),
                       reader.Number(reader.Require(value, at, "length", "Give the full length in meters."),
                                     JoinPath(at, "length"), Quantity::kLength)};
      Append(shape.numbers, reader.VectorOr(value, at, "axis", Quantity::kDirection, {0, 0, 1}));
      break;
    case ShapeType::kPolygon:
    case ShapeType::kPolytope:
      expect({"vertices"});
      shape.numbers = reader.Points(reader.Require(value, at, "vertices", "Give the corners as a list of points."),
                                    JoinPath(at, "vertices"), reader.dimension(), reader.dimension() + 1);
      if (shape.type == ShapeType::kPolygon) TurnCounterClockwise(reader.scene(), shape.numbers);
      break;
    case ShapeType::kHalfSpace:
      reader.ExpectMap(value, at, {"point", "normal"});
      shape.numbers = reader.Vector(reader.Require(value, at, "point", "Give a point of the bounding plane."),
                                    JoinPath(at, "point"), Quantity::kPosition, 3);
      Append(shape.numbers, reader.Vector(reader.Require(value, at, "normal", "Give the direction out of the solid."),
                                          JoinPath(at, "normal"), Quantity::kDirection, 3));
      break;
    case ShapeType::kIntersection:
      ReadParts(reader, value, at, shape);
      break;
  }
}

/// `intersection: [{half_space: {...}}, {sphere: {radius, position}}, ...]`.
void ReadParts(SceneReader& reader, const YamlNode& node, const std::string& path, Shape& shape) {
  reader.ExpectList(node, path, "convex parts");
  if (node.items.empty() || node.items.size() > kMostParts) {
    reader.Fail(node, path, fmt::format("expected 1 to {} parts, but found {}.", kMostParts, node.items.size()),
                "List half spaces, boxes, cylinders, spheres, ellipsoids or polytopes.");
  }
  std::vector<std::string> words = {"half_space"};
  for (const ShapeWord& each : kShapes) {
    if (!each.planar && each.type != ShapeType::kIntersection) words.emplace_back(each.word);
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string item = IndexPath(path, i);
    reader.ExpectNamedMap(node.items[i], item);
    if (node.items[i].entries.size() != 1) {
      reader.Fail(node.items[i], item, fmt::format("expected one part, but found {}.", node.items[i].entries.size()),
                  fmt::format("Write one of {}.", JoinList(words, "or")));
    }
    const YamlEntry& entry = node.items[i].entries[0];
    const std::string at = JoinPath(item, Printable(entry.key));
    if (std::find(words.begin(), words.end(), entry.key) == words.end()) {
      throw InputError(reader.Where(entry), at, "unknown part.", SuggestName(entry.key, words));
    }
    ShapePart& part = shape.parts.emplace_back();
    part.shape.where = reader.Where(entry);
    part.shape.type = ShapeType::kHalfSpace;
    for (const ShapeWord& each : kShapes) {
      if (entry.key == each.word) part.shape.type = each.type;
    }
    const bool placed = part.shape.type != ShapeType::kHalfSpace;
    ReadShapeNumbers(reader, entry.value, at, placed, part.shape);
    if (!placed) continue;
    part.position = reader.VectorOr(entry.value, at, "position", Quantity::kPosition, {0, 0, 0});
    if (part.shape.type == ShapeType::kSphere || part.shape.type == ShapeType::kEllipsoid) continue;
    part.orientation = reader.VectorOr(entry.value, at, "orientation", Quantity::kDirection, {1, 0, 0, 0});
  }
}

Shape ReadShape(SceneReader& reader, const YamlNode& node, const std::string& path) {
  // `shape: {box: {size: [...]}}`: one key that is the type.
  reader.ExpectNamedMap(node, path);
  std::vector<std::string> here;
  for (const ShapeWord& shape : kShapes) {
    if (shape.planar == reader.planar()) here.emplace_back(shape.word);
  }
  if (node.entries.size() != 1) {
    reader.Fail(node, path, fmt::format("expected one shape, but found {}.", node.entries.size()),
                fmt::format("Write one of {}.", JoinList(here, "or")));
  }
  const YamlEntry& entry = node.entries[0];
  const ShapeWord* found = nullptr;
  for (const ShapeWord& shape : kShapes) {
    if (entry.key == shape.word) found = &shape;
  }
  const std::string at = JoinPath(path, Printable(entry.key));
  if (found == nullptr) {
    throw InputError(reader.Where(entry), at, "unknown shape.", SuggestName(entry.key, here));
  }
  if (found->planar != reader.planar()) {
    throw InputError(reader.Where(entry), at,
                     fmt::format("a {} is a {} shape, but the scene is `space: {}`.", entry.key,
                                 found->planar ? "planar" : "spatial", reader.planar() ? "planar" : "spatial"),
                     fmt::format("Use one of {}.", JoinList(here, "or")));
  }

  Shape shape{found->type, {}, reader.Where(entry), {}};
  ReadShapeNumbers(reader, entry.value, at, false, shape);
  return shape;
}

// Whether the central inertia has no products, whatever the shape's numbers are set to.
bool HasAlignedInertia(const Shape& shape) {
  return shape.type != ShapeType::kPolytope && shape.type != ShapeType::kCylinder;
}

Quantity InertiaQuantity(std::size_t index) { return index < 3 ? Quantity::kInertia : Quantity::kProductOfInertia; }

void ReadInertia(SceneReader& reader, const YamlNode& map, const std::string& body_path, Body& body) {
  const std::string path = JoinPath(body_path, "inertia");
  if (const YamlNode* node = map.Get("inertia")) {
    if (reader.planar()) {
      body.inertia = {reader.Number(*node, path, Quantity::kInertia)};
      return;
    }
    reader.ExpectList(*node, path, "3 moments or 6 matrix entries");
    const std::size_t count = node->items.size();
    if (count != 3 && count != 6) {
      reader.Fail(*node, path, fmt::format("expected 3 or 6 numbers, but found {}.", count),
                  "Write 3 moments, or 6 entries of the matrix: ixx, iyy, izz, ixy, ixz, iyz.");
    }
    for (std::size_t i = 0; i < count; ++i) {
      body.inertia.push_back(reader.Number(node->items[i], IndexPath(path, i), InertiaQuantity(i)));
    }
    return;
  }
  if (body.fixed) return;
  if (!body.shape) {
    reader.Fail(map, path, "is missing, and without a `shape` it cannot be derived.",
                "Give the inertia about the center of mass.");
  }
  if (body.shape->type == ShapeType::kIntersection) {
    reader.Fail(map, path, "is missing: the inertia of an intersection is not derived from its density.",
                "Give the inertia about the center of mass.");
  }
  // Uniform density: the entries are here, their values are derived from shape and mass.
  if (reader.planar()) {
    body.inertia = {reader.Default(path, Quantity::kInertia, 0)};
    return;
  }
  const std::size_t count = HasAlignedInertia(*body.shape) ? 3 : 6;
  for (std::size_t i = 0; i < count; ++i) {
    body.inertia.push_back(reader.Default(IndexPath(path, i), InertiaQuantity(i), 0));
  }
}

void ReadDrag(SceneReader& reader, const YamlNode& map, const std::string& body_path, bool jointed, Body& body) {
  const YamlNode* node = map.Get("drag");
  const std::string path = JoinPath(body_path, "drag");
  if (body.fixed) {
    if (node != nullptr) reader.Fail(*node, path, "a fixed body does not move.", "Leave it out.");
    return;
  }
  if (node == nullptr && !jointed) return;
  const YamlNode& drag = node != nullptr ? *node : EmptyMap();
  reader.ExpectMap(drag, path, {"linear", "quadratic"});
  body.drag = Drag{reader.NumberOr(drag, path, "linear", Quantity::kDrag, 0),
                   reader.NumberOr(drag, path, "quadratic", Quantity::kQuadraticDrag, 0)};
}

}  // namespace

void ReadBodies(SceneReader& reader, const YamlNode& node, bool jointed) {
  reader.ExpectNamedMap(node, "bodies");
  if (node.entries.empty()) reader.Fail(node, "bodies", "there is no body.", "Describe at least one.");
  for (const YamlEntry& entry : node.entries) {
    reader.CheckName(entry, "bodies");
    const std::string path = JoinPath("bodies", entry.key);
    const YamlNode& map = entry.value;
    reader.ExpectMap(map, path, {"shape", "mass", "inertia", "center_of_mass", "drag", "fixed"});
    Body body;
    body.name = entry.key;
    body.where = reader.Where(entry);
    if (const YamlNode* fixed = map.Get("fixed")) body.fixed = reader.Bool(*fixed, JoinPath(path, "fixed"));
    if (const YamlNode* shape = map.Get("shape")) body.shape = ReadShape(reader, *shape, JoinPath(path, "shape"));
    if (body.fixed && !body.shape) {
      reader.Fail(map, JoinPath(path, "shape"), "is missing: a fixed body is an obstacle.", "Give it a shape.");
    }
    if (const YamlNode* mass = map.Get("mass")) {
      body.mass = reader.Number(*mass, JoinPath(path, "mass"), Quantity::kMass);
    } else if (!body.fixed) {
      reader.Require(map, path, "mass", "Give the mass in kilograms, or write `fixed: true` for an obstacle.");
    }
    ReadInertia(reader, map, path, body);
    body.center_of_mass =
        reader.VectorOr(map, path, "center_of_mass", Quantity::kPosition, std::vector<double>(reader.dimension(), 0.0));
    ReadDrag(reader, map, path, jointed, body);
    reader.scene().bodies.push_back(std::move(body));
  }
}

}  // namespace ricochet
