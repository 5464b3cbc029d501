// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/random_planar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.h"

namespace ricochet::testing {
namespace {

/// A convex polygon inscribed in an ellipse.
std::string RandomPolygon(Random& random, double size) {
  const int count = 3 + static_cast<int>(random.Below(6));
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back((i + 0.1 + 0.8 * random.Uniform()) * 2 * std::numbers::pi / count);
  const double aspect = random.Uniform(0.4, 1.0);
  std::string text;
  for (double angle : angles)
    text +=
        fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", size * std::cos(angle), aspect * size * std::sin(angle));
  return fmt::format("{{polygon: {{vertices: [{}]}}}}", text);
}

}  // namespace

std::string RandomPlanarText(std::uint64_t seed, const RandomPlanarOptions& options) {
  Random random(seed);
  const double size = std::pow(10, random.Uniform(-1.5, 0.5));
  const double speed = std::sqrt(9.81 * size) * random.Uniform(0.2, 4);
  std::string shape;
  switch (random.Below(4)) {
    case 0:
      shape = fmt::format("{{ellipse: {{semi_axes: [{}, {}]}}}}", size, size * random.Uniform(0.2, 1));
      break;
    case 1:
      shape = fmt::format("{{circle: {{radius: {}}}}}", size);
      break;
    case 2:
      shape = fmt::format("{{rectangle: {{size: [{}, {}]}}}}", size, size * random.Uniform(0.2, 1));
      break;
    default:
      shape = RandomPolygon(random, size);
  }
  const double mass = std::pow(10, random.Uniform(-2, 2));
  const double inertia = mass * size * size * random.Uniform(0.1, 0.8);

  // Lines pass below the start, far enough apart that nothing overlaps at the start.
  std::string surfaces;
  const int count = 1 + static_cast<int>(random.Below(3));
  for (int i = 0; i < count; ++i) {
    const double angle = i == 0 ? random.Uniform(-0.4, 0.4) : random.Uniform(-1.2, 1.2);
    const double distance = size * random.Uniform(1.8, 3.0);
    surfaces += fmt::format("  line{}: {{line: {{point: [{}, {}], angle: {}}}", i, distance * std::sin(angle),
                            -distance * std::cos(angle), angle);
    if (options.moving_surfaces && random.Uniform() < 0.5) {
      const double along = random.Uniform(-2, 2);
      surfaces += fmt::format(", velocity: [{}, {}]", along * std::cos(angle), along * std::sin(angle));
    }
    surfaces += "}\n";
  }
  std::string loads;
  if (options.loads)
    loads =
        fmt::format("actions:\n  - {{body: body, force: [{}, {}], torque: {}, from: 0, until: 100}}\n",
                    mass * random.Uniform(-3, 3), mass * random.Uniform(-3, 3), mass * size * random.Uniform(-1, 1));
  return fmt::format(R"(ricochet: 1
space: planar
gravity: [{}, -9.81]
bodies:
  body: {{shape: {}, mass: {}, inertia: {}, center_of_mass: [{}, {}]}}
surfaces:
{}contact: {{friction: {}, restitution: {}, tangential_restitution: {}}}
initial:
  body: {{pose: [0, 0, {}], velocity: [{}, {}], angular_velocity: {}}}
{}simulation: {{method: irc, step: {}, duration: 1}}
)",
                     random.Uniform(-1, 1), shape, mass, inertia, size * random.Uniform(-0.1, 0.1),
                     size * random.Uniform(-0.1, 0.1), surfaces, random.Uniform() < 0.1 ? 0.0 : random.Uniform(0, 1.2),
                     options.restitution ? random.Uniform(0, 0.9) : 0.0,
                     options.restitution && random.Uniform() < 0.3 ? random.Uniform(0, 0.5) : 0.0,
                     random.Uniform(-4, 4), random.Uniform(-1, 1) * speed, random.Uniform(-1, 0.3) * speed,
                     random.Uniform(-2, 2) * speed / size, loads, 0.01 * std::sqrt(size / 9.81));
}

Scene RandomPlanarScene(std::uint64_t seed, const RandomPlanarOptions& options) {
  return ParseScene(RandomPlanarText(seed, options), fmt::format("random{}.yaml", seed));
}

}  // namespace ricochet::testing
