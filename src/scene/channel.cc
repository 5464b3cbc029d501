// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/channel.h"

#include <span>

namespace ricochet {
namespace {

struct Column {
  const char* name;
  Quantity quantity;
};
constexpr Column kPlanarColumns[] = {
    {"x", Quantity::kPosition},  {"y", Quantity::kPosition},  {"theta", Quantity::kAngle},
    {"vx", Quantity::kVelocity}, {"vy", Quantity::kVelocity}, {"omega", Quantity::kAngularVelocity},
};
constexpr Column kSpatialColumns[] = {
    {"x", Quantity::kPosition},         {"y", Quantity::kPosition},         {"z", Quantity::kPosition},
    {"qw", Quantity::kDirection},       {"qx", Quantity::kDirection},       {"qy", Quantity::kDirection},
    {"qz", Quantity::kDirection},       {"vx", Quantity::kVelocity},        {"vy", Quantity::kVelocity},
    {"vz", Quantity::kVelocity},        {"wx", Quantity::kAngularVelocity}, {"wy", Quantity::kAngularVelocity},
    {"wz", Quantity::kAngularVelocity},
};

constexpr char kAxes[] = "xyz";

std::span<const Column> BodyColumns(const Scene& scene) {
  if (scene.space == Space::kPlanar) return kPlanarColumns;
  return kSpatialColumns;
}

}  // namespace

std::vector<std::string> StateChannels(const Scene& scene) {
  std::vector<std::string> channels;
  for (const Body& body : scene.bodies) {
    for (const Column& column : BodyColumns(scene)) channels.push_back(body.name + "." + column.name);
  }
  for (const Joint& joint : scene.joints) {
    if (joint.type != JointType::kHinge && joint.type != JointType::kSlider) continue;
    channels.push_back(joint.name + ".angle");
    channels.push_back(joint.name + ".rate");
  }
  for (const ObservedPoint& point : scene.observe.points) {
    for (std::size_t axis = 0; axis < point.at.size(); ++axis) channels.push_back(point.name + "." + kAxes[axis]);
  }
  return channels;
}

std::optional<PointColumn> FindPointColumn(const Scene& scene, std::string_view column) {
  const std::size_t dot = column.rfind('.');
  if (dot == std::string_view::npos || dot + 2 != column.size()) return std::nullopt;
  const std::string_view owner = column.substr(0, dot);
  const std::size_t axis = std::string_view(kAxes).find(column.back());
  const std::vector<ObservedPoint>& points = scene.observe.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (axis >= points[i].at.size()) continue;  // npos, too
    if (owner == points[i].name || owner == points[i].body + "." + points[i].name)
      return PointColumn{static_cast<int>(i), static_cast<int>(axis)};
  }
  return std::nullopt;
}

std::optional<Quantity> ChannelQuantity(const Scene& scene, std::string_view channel) {
  if (FindPointColumn(scene, channel)) return Quantity::kPosition;
  const std::size_t dot = channel.find('.');
  const std::string_view owner = dot == std::string_view::npos ? "" : channel.substr(0, dot);
  const std::string_view name = dot == std::string_view::npos ? channel : channel.substr(dot + 1);
  if (dot == std::string_view::npos || scene.BodyIndex(owner) >= 0) {
    for (const Column& column : BodyColumns(scene)) {
      if (name == column.name) return column.quantity;
    }
    return std::nullopt;
  }
  const int index = scene.JointIndex(owner);
  if (index < 0) return std::nullopt;
  const JointType type = scene.joints[static_cast<std::size_t>(index)].type;
  if (type != JointType::kHinge && type != JointType::kSlider) return std::nullopt;
  const bool slider = type == JointType::kSlider;
  if (name == "angle") return slider ? Quantity::kPosition : Quantity::kAngle;
  if (name == "rate") return slider ? Quantity::kVelocity : Quantity::kAngularVelocity;
  return std::nullopt;
}

}  // namespace ricochet
