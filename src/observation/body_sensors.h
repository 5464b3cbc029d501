// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which columns the sensors of a scene record of its bodies, and their values (sensor.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "observation/sensor.h"
#include "ricochet/scene.h"

namespace ricochet {

/// A point of a body, or its tracked frame.
class BodySensor {
 public:
  BodySensor(const Scene& scene, const SensorNumbers& numbers, std::string name, bool is_point)
      : body(numbers.body),
        name(std::move(name)),
        is_point(is_point),
        space_(scene.space),
        planar_(numbers, scene),
        spatial_(numbers, scene) {}

  int body = -1;     // index into the scene's bodies
  std::string name;  // of the point or of the body
  bool is_point = false;

  /// x, y, ... of a point; those of a pose.
  std::vector<std::string> Columns() const;

  /// What is recorded while the body frame has this pose, behind `out`.
  void Record(std::span<const double> pose, std::vector<double>& out) const;

 private:
  Space space_;
  PlanarSensor<double> planar_;
  SpatialSensor<double> spatial_;
};

/// Sensors of the bodies that move, in the order of bodies, points before the frame. A body with observed points is
/// recorded by them; its pose is recorded where `observe.channels` lists `poses`, the body or one of its columns, and,
/// without a list, where it has no points.
std::vector<BodySensor> BodySensors(const Scene& scene);

}  // namespace ricochet
