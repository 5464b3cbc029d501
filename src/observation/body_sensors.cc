// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/body_sensors.h"

#include <algorithm>
#include <utility>

#include "recording/channels.h"

namespace ricochet {
namespace {

/// `first`: the first body that moves, whose columns need no prefix.
bool IsListed(const Scene& scene, const std::string& body, bool first) {
  const std::vector<std::string> own = PoseColumns(scene.space);
  return std::any_of(scene.observe.channels.begin(), scene.observe.channels.end(), [&](const std::string& channel) {
    return channel == "poses" || channel == body || channel.starts_with(body + ".") ||
           (first && std::find(own.begin(), own.end(), channel) != own.end());
  });
}

}  // namespace

std::vector<std::string> BodySensor::Columns() const {
  std::vector<std::string> columns = PoseColumns(space_);
  if (is_point) columns.resize(space_ == Space::kPlanar ? 2 : 3);
  return columns;
}

void BodySensor::Record(std::span<const double> pose, std::vector<double>& out) const {
  // A point has no rotation of its own: its position is the head of the pose that it shows.
  if (space_ == Space::kPlanar) {
    const PlanarPose<double> seen = planar_.PoseOfBody({pose[0], pose[1], pose[2]});
    out.insert(out.end(), seen.data(), seen.data() + (is_point ? 2 : 3));
  } else {
    const SpatialPose<double> seen = spatial_.PoseOfBody(Eigen::Map<const SpatialPose<double>>(pose.data()));
    out.insert(out.end(), seen.data(), seen.data() + (is_point ? 3 : 7));
  }
}

std::vector<BodySensor> BodySensors(const Scene& scene) {
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  std::vector<BodySensor> sensors;
  bool first = true;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b];
    if (body.fixed) continue;
    bool by_points = false;
    for (std::size_t i = 0; i < numbers.points.size(); ++i) {
      if (numbers.points[i].body != static_cast<int>(b)) continue;
      by_points = true;
      sensors.emplace_back(scene, numbers.points[i], scene.observe.points[i].name, true);
    }
    if (IsListed(scene, body.name, std::exchange(first, false)) || (!by_points && scene.observe.channels.empty()))
      sensors.emplace_back(scene, numbers.frames[b], body.name, false);
  }
  return sensors;
}

}  // namespace ricochet
