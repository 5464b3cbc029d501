// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Gravity, surfaces and the contact laws.
#include <fmt/format.h>

#include "core/text.h"
#include "scene/read/scene_reader.h"

namespace ricochet {
namespace {

constexpr double kStandardGravity = 9.81;  // [m/s^2], where the scene does not say

void DefaultGravityVector(SceneReader& reader, Gravity& gravity) {
  for (std::size_t i = 0; i < reader.dimension(); ++i) {
    const double value = i + 1 == reader.dimension() ? -kStandardGravity : 0.0;
    gravity.vector.push_back(reader.Default(IndexPath("gravity", i), Quantity::kAcceleration, value));
  }
}

void DefaultTilt(SceneReader& reader, Gravity& gravity) {
  if (reader.planar()) {
    gravity.tilt = {reader.Default("gravity.tilt", Quantity::kAngle, 0)};
  } else {
    for (std::size_t i = 0; i < 2; ++i) {
      gravity.tilt.push_back(reader.Default(IndexPath("gravity.tilt", i), Quantity::kAngle, 0));
    }
  }
}

void ReadPatch(SceneReader& reader, const YamlNode& node, const std::string& path, std::vector<NumberId>& patch) {
  if (reader.planar()) {
    reader.Fail(node, path, "a contact patch needs `space: spatial`.", "Leave `patch` out.");
  }
  reader.ExpectList(node, path, "3 numbers");
  if (node.items.size() != 3) {
    reader.Fail(node, path, fmt::format("expected 3 numbers, but found {}.", node.items.size()),
                "Write [e_t, e_o, e_r].");
  }
  const Quantity quantities[] = {Quantity::kScale, Quantity::kScale, Quantity::kLength};
  for (std::size_t i = 0; i < 3; ++i) {
    patch.push_back(reader.Number(node.items[i], IndexPath(path, i), quantities[i]));
  }
}

const std::vector<std::string> kLawKeys = {"friction",       "restitution", "tangential_restitution", "patch",
                                           "compliance",     "damping",     "restitution_speed",      "rounding",
                                           "restitution_low"};
const std::vector<std::string> kCommonLawKeys = {"friction",        "restitution", "tangential_restitution", "patch",
                                                 "compliance",      "damping",     "restitution_speed",      "rounding",
                                                 "restitution_low", "pairs"};

/// Numbers of a law that exist only where the file, or for a pair the common law, gives them.
void ReadRefinements(SceneReader& reader, const YamlNode& map, const std::string& path, const ContactLaw* common,
                     ContactLaw& law) {
  const auto read = [&](const char* key, Quantity quantity, NumberId ContactLaw::*member) {
    const YamlNode* node = map.Get(key);
    if (node != nullptr) {
      if (reader.planar())
        reader.Fail(*node, JoinPath(path, key), fmt::format("`{}` needs `space: spatial`.", key),
                    fmt::format("Leave `{}` out.", key));
      law.*member = reader.Number(*node, JoinPath(path, key), quantity);
    } else if (common != nullptr && common->*member) {
      law.*member = reader.Default(JoinPath(path, key), quantity, reader.scene()[common->*member]);
    }
  };
  const auto together = [&](NumberId have, NumberId need, const char* key, const char* other, const char* remedy) {
    if (have && !need)
      reader.Fail(map, JoinPath(path, key), fmt::format("requires `{}`, which is missing.", other), remedy);
  };
  read("restitution_low", Quantity::kRestitution, &ContactLaw::restitution_low);
  read("restitution_speed", Quantity::kPositiveSpeed, &ContactLaw::restitution_speed);
  read("compliance", Quantity::kContactCompliance, &ContactLaw::compliance);
  read("damping", Quantity::kNonNegativeTime, &ContactLaw::damping);
  read("rounding", Quantity::kNonNegativeLength, &ContactLaw::rounding);
  together(law.restitution_low, law.restitution_speed, "restitution_low", "restitution_speed",
           "Give the speed over which the restitution changes.");
  together(law.restitution_speed, law.restitution_low, "restitution_speed", "restitution_low",
           "Give the restitution at zero speed.");
  together(law.damping, law.compliance, "damping", "compliance", "Give the compliance of a contact point.");
  if (law.compliance && !law.damping)
    law.damping = reader.Default(JoinPath(path, "damping"), Quantity::kNonNegativeTime, 0);
}

void ReadPair(SceneReader& reader, const YamlEntry& entry) {
  Scene& scene = reader.scene();
  const std::string path = JoinPath("contact.pairs", Printable(entry.key, 80));
  const auto fail = [&](std::string problem, std::string remedy) {
    throw InputError(reader.Where(entry), path, std::move(problem), std::move(remedy));
  };
  const std::size_t slash = entry.key.find('/');
  if (slash == std::string::npos || entry.key.find('/', slash + 1) != std::string::npos) {
    fail("is not a pair of names.", "Write the names of two bodies, or of a body and a surface, as `A/B`.");
  }
  PairLaw pair{entry.key.substr(0, slash), entry.key.substr(slash + 1), {}};
  std::vector<std::string> known;
  for (const Body& body : scene.bodies) known.push_back(body.name);
  for (const Surface& surface : scene.surfaces) known.push_back(surface.name);
  for (const std::string& name : {pair.a, pair.b}) {
    if (scene.BodyIndex(name) < 0 && scene.SurfaceIndex(name) < 0) {
      fail(fmt::format("there is no body or surface `{}`.", Printable(name)), SuggestName(name, known));
    }
  }
  if (pair.a == pair.b || (scene.BodyIndex(pair.a) < 0 && scene.BodyIndex(pair.b) < 0)) {
    fail("these two never touch.", "Name two bodies, or a body and a surface.");
  }
  for (const PairLaw& other : scene.pair_laws) {
    if ((other.a == pair.a && other.b == pair.b) || (other.a == pair.b && other.b == pair.a)) {
      fail("this pair occurs twice.", "Keep one of them.");
    }
  }
  const YamlNode& map = entry.value;
  reader.ExpectMap(map, path, kLawKeys);
  const ContactLaw& common = scene.contact;
  pair.law.friction = reader.NumberOr(map, path, "friction", Quantity::kFriction, scene[common.friction]);
  pair.law.restitution = reader.NumberOr(map, path, "restitution", Quantity::kRestitution, scene[common.restitution]);
  pair.law.tangential_restitution = reader.NumberOr(map, path, "tangential_restitution", Quantity::kRestitution,
                                                    scene[common.tangential_restitution]);
  if (const YamlNode* patch = map.Get("patch")) {
    ReadPatch(reader, *patch, JoinPath(path, "patch"), pair.law.patch);
  } else {
    for (std::size_t i = 0; i < common.patch.size(); ++i) {
      const SceneNumber& number = scene.number(common.patch[i]);
      pair.law.patch.push_back(reader.Default(IndexPath(JoinPath(path, "patch"), i), number.quantity, number.value));
    }
  }
  ReadRefinements(reader, map, path, &common, pair.law);
  scene.pair_laws.push_back(std::move(pair));
}

void ReadExtent(SceneReader& reader, const YamlNode& node, const std::string& path, Surface& surface) {
  if (reader.planar()) {
    surface.extent = reader.Vector(node, path, Quantity::kPosition, 2);
    return;
  }
  reader.ExpectList(node, path, "2 intervals");
  if (node.items.size() != 2) {
    reader.Fail(node, path, fmt::format("expected 2 intervals, but found {}.", node.items.size()),
                "Write [[x0, x1], [y0, y1]] in the plane's frame.");
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (NumberId id : reader.Vector(node.items[i], IndexPath(path, i), Quantity::kPosition, 2)) {
      surface.extent.push_back(id);
    }
  }
}

}  // namespace

void ReadGravity(SceneReader& reader, const YamlNode* node) {
  Gravity& gravity = reader.scene().gravity;
  if (node != nullptr && node->kind == YamlNode::Kind::kMap) {
    gravity.polar = true;
    reader.ExpectMap(*node, "gravity", {"magnitude", "tilt"});
    gravity.magnitude =
        reader.NumberOr(*node, "gravity", "magnitude", Quantity::kNonNegativeAcceleration, kStandardGravity);
    const YamlNode* tilt = node->Get("tilt");
    if (tilt == nullptr) {
      DefaultTilt(reader, gravity);
    } else if (reader.planar() && tilt->kind != YamlNode::Kind::kList) {
      gravity.tilt = {reader.Number(*tilt, "gravity.tilt", Quantity::kAngle)};
    } else {
      gravity.tilt = reader.Vector(*tilt, "gravity.tilt", Quantity::kAngle, reader.planar() ? 1 : 2);
    }
    DefaultGravityVector(reader, gravity);
    return;
  }
  if (node != nullptr) {
    gravity.vector = reader.Vector(*node, "gravity", Quantity::kAcceleration, reader.dimension());
  } else {
    DefaultGravityVector(reader, gravity);
  }
  gravity.magnitude = reader.Default("gravity.magnitude", Quantity::kNonNegativeAcceleration, kStandardGravity);
  DefaultTilt(reader, gravity);
}

void ReadSurfaces(SceneReader& reader, const YamlNode& node) {
  reader.ExpectNamedMap(node, "surfaces");
  const char* type = reader.planar() ? "line" : "plane";
  for (const YamlEntry& entry : node.entries) {
    reader.CheckName(entry, "surfaces");
    const std::string path = JoinPath("surfaces", entry.key);
    const YamlNode& map = entry.value;
    reader.ExpectNamedMap(map, path);
    const char* other = reader.planar() ? "plane" : "line";
    if (map.Get(other) != nullptr) {
      reader.Fail(map, JoinPath(path, other),
                  fmt::format("a {} is not possible with `space: {}`.", other, reader.planar() ? "planar" : "spatial"),
                  fmt::format("Use a `{}`.", type));
    }
    reader.ExpectMap(map, path, {type, "velocity", "extent"});
    Surface surface;
    surface.name = entry.key;
    surface.where = reader.Where(entry);
    const YamlNode& form = reader.Require(map, path, type,
                                          reader.planar() ? "Write `line: {point: [x, y], angle: a}`."
                                                          : "Write `plane: {point: [x, y, z], normal: [x, y, z]}`.");
    const std::string at = JoinPath(path, type);
    reader.ExpectMap(form, at, {"point", reader.planar() ? "angle" : "normal"});
    surface.point = reader.Vector(reader.Require(form, at, "point", "Give a point on it."), JoinPath(at, "point"),
                                  Quantity::kPosition, reader.dimension());
    if (reader.planar()) {
      surface.angle = reader.Number(reader.Require(form, at, "angle", "Give the angle of the line; 0 is level ground."),
                                    JoinPath(at, "angle"), Quantity::kAngle);
    } else {
      surface.normal = reader.Vector(reader.Require(form, at, "normal", "Give the direction out of the surface."),
                                     JoinPath(at, "normal"), Quantity::kDirection, 3);
    }
    surface.velocity =
        reader.VectorOr(map, path, "velocity", Quantity::kVelocity, std::vector<double>(reader.dimension(), 0.0));
    if (const YamlNode* extent = map.Get("extent")) ReadExtent(reader, *extent, JoinPath(path, "extent"), surface);
    reader.scene().surfaces.push_back(std::move(surface));
  }
}

void ReadContact(SceneReader& reader, const YamlNode* node) {
  const YamlNode& map = node != nullptr ? *node : EmptyMap();
  reader.ExpectMap(map, "contact", kCommonLawKeys);
  ContactLaw& law = reader.scene().contact;
  law.friction = reader.NumberOr(map, "contact", "friction", Quantity::kFriction, 0);
  law.restitution = reader.NumberOr(map, "contact", "restitution", Quantity::kRestitution, 0);
  law.tangential_restitution = reader.NumberOr(map, "contact", "tangential_restitution", Quantity::kRestitution, 0);
  if (const YamlNode* patch = map.Get("patch")) ReadPatch(reader, *patch, "contact.patch", law.patch);
  ReadRefinements(reader, map, "contact", nullptr, law);
  if (const YamlNode* pairs = map.Get("pairs")) {
    reader.ExpectNamedMap(*pairs, "contact.pairs");
    for (const YamlEntry& entry : pairs->entries) ReadPair(reader, entry);
  }
}

}  // namespace ricochet
