// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/observe_recording.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "observation/body_sensors.h"
#include "observation/joint_sensor.h"
#include "recording/channels.h"

namespace ricochet {
namespace {

bool IsListed(const Scene& scene, const std::string& channel) {
  const std::vector<std::string>& channels = scene.observe.channels;
  return std::find(channels.begin(), channels.end(), channel) != channels.end();
}

/// The value of a column that is held between rows.
std::vector<double> HeldAt(const std::vector<double>& times, const std::vector<double>& time,
                           const std::vector<double>& values) {
  std::vector<double> out;
  for (const double t : times) {
    const auto after = std::upper_bound(time.begin(), time.end(), t);
    out.push_back(values[after == time.begin() ? 0 : static_cast<std::size_t>(after - time.begin()) - 1]);
  }
  return out;
}

}  // namespace

Recording ObserveRecording(const Scene& scene, const Recording& motion) {
  const Channels channels = ResolveChannels(motion, scene);
  const ObservationNumbers numbers = FindObservationNumbers(scene);
  const auto rows = static_cast<std::size_t>(motion.rows());
  Recording out;
  out.file = motion.file;
  out.time = motion.time;
  for (double& time : out.time) time += numbers.delay ? scene[numbers.delay] : 0.0;
  const auto add = [&](const std::string& name) -> std::vector<double>& {
    out.columns.push_back(name);
    return out.values.emplace_back(rows);
  };
  for (const BodySensor& sensor : BodySensors(scene)) {
    const std::vector<int>& columns = channels.bodies[static_cast<std::size_t>(sensor.body)].pose;
    if (columns.empty()) continue;
    const std::size_t first = out.values.size();
    for (const std::string& column : sensor.Columns()) add(sensor.name + "." + column);
    std::vector<double> pose(columns.size()), seen;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        pose[k] = motion.values[static_cast<std::size_t>(columns[k])][row];
      seen.clear();
      sensor.Record(pose, seen);
      for (std::size_t k = 0; k < seen.size(); ++k) out.values[first + k][row] = seen[k];
    }
  }
  for (std::size_t j = 0; j < scene.joints.size(); ++j) {
    const std::string& name = scene.joints[j].name;
    const JointSensor<double> sensor(numbers.joints[j], scene);
    const auto add_joint = [&](int column, const std::string& channel, const auto& shown) {
      if (column < 0) return;
      std::vector<double>& values = add(channel);
      values = motion.values[static_cast<std::size_t>(column)];
      for (double& value : values) value = shown(value);
    };
    add_joint(channels.joints[j].angle, name + ".angle", [&](double x) { return sensor.Angle(x); });
    if (IsListed(scene, name + ".rate"))
      add_joint(channels.joints[j].rate, name + ".rate", [&](double r) { return sensor.Rate(r); });
  }
  std::vector<int> inputs = channels.motor_inputs;
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  for (const int column : inputs) {
    if (column < 0) continue;
    const auto at = static_cast<std::size_t>(column);
    add(motion.columns[at]) = HeldAt(out.time, motion.time, motion.values[at]);
  }
  return out;
}

}  // namespace ricochet
