// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/sensor_numbers.h"

#include <algorithm>
#include <string>

namespace ricochet {
namespace {

std::array<NumberId, 3> Axes(const std::vector<NumberId>& ids) {
  std::array<NumberId, 3> axes;
  std::copy_n(ids.begin(), std::min<std::size_t>(ids.size(), 3), axes.begin());
  return axes;
}

/// The offset of a column, or none.
NumberId OffsetOf(const Scene& scene, const std::string& column) {
  for (const Observation::Offset& offset : scene.observe.offsets)
    if (offset.channel == column) return offset.value;
  return {};
}

/// The offset of `owner.name`, or of `name` where columns without a prefix belong to the owner.
NumberId OffsetOf(const Scene& scene, const std::string& owner, const char* name, bool unprefixed) {
  const NumberId own = OffsetOf(scene, owner + "." + name);
  return own || !unprefixed ? own : OffsetOf(scene, name);
}

}  // namespace

ObservationNumbers FindObservationNumbers(const Scene& scene) {
  constexpr const char* kAxes[] = {"x", "y", "z"};
  ObservationNumbers out;
  out.delay = scene.observe.delay;
  bool first_moving = true;
  for (const Body& body : scene.bodies) {
    SensorNumbers& frame = out.frames.emplace_back();
    frame.body = static_cast<int>(out.frames.size()) - 1;
    frame.length_scale = scene.observe.length_scale;
    frame.center_of_mass = Axes(body.center_of_mass);
    for (const TrackedFrame& tracked : scene.observe.frames) {
      if (tracked.body != body.name) continue;
      frame.place = Axes(tracked.position);
      frame.rotation = Axes(tracked.rotation);
    }
    const bool unprefixed = !body.fixed && first_moving;
    if (!body.fixed) first_moving = false;
    for (std::size_t i = 0; i < 3; ++i) frame.offset[i] = OffsetOf(scene, body.name, kAxes[i], unprefixed);
    frame.angle_offset = OffsetOf(scene, body.name, "theta", unprefixed);
  }
  for (const ObservedPoint& observed : scene.observe.points) {
    SensorNumbers& point = out.points.emplace_back();
    point.body = scene.BodyIndex(observed.body);
    point.length_scale = scene.observe.length_scale;
    point.center_of_mass = Axes(scene.bodies[static_cast<std::size_t>(point.body)].center_of_mass);
    point.place = Axes(observed.at);
    for (std::size_t i = 0; i < 3; ++i) point.offset[i] = OffsetOf(scene, observed.name, kAxes[i], false);
  }
  for (const Joint& joint : scene.joints) {
    const std::string angle = joint.name + ".angle", rate = joint.name + ".rate";
    JointSensorNumbers& numbers = out.joints.emplace_back();
    numbers.angle_offset = OffsetOf(scene, angle);
    numbers.rate_offset = OffsetOf(scene, rate);
    for (const Observation::ChannelScale& scale : scene.observe.scales) {
      if (scale.channel == angle) numbers.angle_scale = scale.value;
      if (scale.channel == rate) numbers.rate_scale = scale.value;
    }
    for (const Observation::Eccentricity& eccentricity : scene.observe.eccentricities)
      if (eccentricity.channel == angle) numbers.eccentricity = {eccentricity.value[0], eccentricity.value[1]};
  }
  return out;
}

}  // namespace ricochet
