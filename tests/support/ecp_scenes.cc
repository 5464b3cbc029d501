// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/ecp_scenes.h"

#include <fmt/format.h>

#include <cmath>

namespace ricochet {

Scene RandomToss(Random random, bool box) {
  const auto u = [&](double lower, double upper) { return random.Uniform(lower, upper); };
  std::string shape;
  double radius = 0;
  if (box) {
    const double a = u(0.05, 0.4), b = u(0.05, 0.4), c = u(0.05, 0.4);
    shape = fmt::format("{{box: {{size: [{}, {}, {}]}}}}", a, b, c);
    radius = 0.5 * std::sqrt(a * a + b * b + c * c);
  } else {
    const double r = u(0.03, 0.2), l = u(0.01, 0.5);
    shape = fmt::format("{{cylinder: {{radius: {}, length: {}}}}}", r, l);
    radius = std::hypot(r, l / 2);
  }
  const double q[4] = {random.Normal(), random.Normal(), random.Normal(), random.Normal()};
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const std::string text = fmt::format(
      R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  body: {{shape: {}, mass: {}}}
surfaces:
  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}
contact: {{friction: {}, patch: [1, 1, {}]}}
initial:
  body: {{position: [0, 0, {}], orientation: [{}, {}, {}, {}], velocity: [{}, {}, {}], angular_velocity: [{}, {}, {}]}}
simulation: {{method: ecp, step: 0.01, duration: 2, tolerance: 1.0e-10}}
)",
      shape, u(0.2, 3), u(0.05, 1), u(0.2, 0.6) * radius, radius + u(0, 0.5), q[0] / norm, q[1] / norm, q[2] / norm,
      q[3] / norm, u(-2, 2), u(-2, 2), u(-2, 1), u(-10, 10), u(-10, 10), u(-10, 10));
  return ParseScene(text, "random_toss");
}

Scene SettlingCoin() {
  return ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  coin: {shape: {cylinder: {radius: 0.1, length: 0.02}}, mass: 0.5}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.4, patch: [1, 1, 0.066]}
initial:
  coin: {position: [0, 0, 0.14], orientation: [0.8660254037844386, 0.5, 0, 0], velocity: [0.1, 0.2, 0], angular_velocity: [0, 0.5, 3]}
simulation: {method: ecp, step: 0.002, duration: 3, tolerance: 1.0e-10}
)",
                    "settling_coin");
}

Scene BoxAndTableEdge(bool as_surface, double friction) {
  const std::string table = as_surface ? "" : "  table: {shape: {box: {size: [1, 1, 1]}}, fixed: true}\n";
  const std::string surfaces =
      as_surface
          ? "surfaces:\n  top: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}, extent: [[-0.5, 0.5], [-0.5, 0.5]]}\n"
          : "";
  const std::string start = as_surface ? "" : "  table: {position: [0, 0, -0.5], orientation: [1, 0, 0, 0]}\n";
  return ParseScene(fmt::format(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  box: {{shape: {{box: {{size: [0.2, 0.2, 0.2]}}}}, mass: 1}}
{}{}contact: {{friction: {}, patch: [1, 1, 0.08]}}
initial:
  box: {{position: [0.3, 0, 0.1], orientation: [1, 0, 0, 0], velocity: [0.2, 0, 0], angular_velocity: [0, 0, 0]}}
{}actions:
  - {{body: box, force: [{}, 0, 0]}}
simulation: {{method: ecp, step: 0.005, duration: 2, tolerance: 1.0e-10}}
)",
                                table, surfaces, friction, start, 9.8 * friction),
                    "table_edge");
}

}  // namespace ricochet
