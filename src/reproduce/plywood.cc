// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "reproduce/plywood.h"

#include <fmt/format.h>

#include <cmath>

#include "core/context.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

Scene EllipseScene(double inertia, double friction, double restitution, const char* initial) {
  return ParseScene(fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies:\n  ellipse:\n    shape: {{ellipse: {{semi_axes: [0.050, 0.025]}}}}\n"
                                "    mass: 0.064\n    inertia: {}\n"
                                "surfaces:\n  bar: {{line: {{point: [0, 0], angle: 0}}}}\n"
                                "contact: {{friction: {}, restitution: {}}}\n{}"
                                "simulation: {{method: event, step: 0.5, duration: 0.5}}\n",
                                inertia, friction, restitution, initial),
                    "plywood.yaml");
}

}  // namespace

const std::array<std::array<double, 5>, 9> kGabicciniTable1 = {{{-72, -60, -53, -48, -37},
                                                                {NAN, -16, -5, 0, -2},
                                                                {-8, 12, 4, 2, -11},
                                                                {-21, -19, -4, -3, -6},
                                                                {-3, 3, 1, -1, 1},
                                                                {31, 11, 0, 5, -6},
                                                                {0, -6, 5, 5, 3},
                                                                {27, 2, 8, 6, 7},
                                                                {24, 1, 1, 7, 1}}};

Scene PlywoodScene(double friction) {
  return EllipseScene(kPlywoodRatio * 0.064, friction, 0.2,
                      "initial:\n  ellipse: {pose: [0, 0.1, -0.785], velocity: [3, -5], angular_velocity: 0}\n");
}

Scene PlywoodBlindScene() { return EllipseScene(1e-4, 0.4, 0.5, ""); }

Recording PlywoodRecording(double friction, double noise_angle, int rate, int seed) {
  const int source = rate == 200 ? 200 : 240, keep = source / rate;
  SimulateOptions options;
  options.method = "event";
  options.step = 1.0 / source;
  options.noise_position = 1e-3;
  options.noise_angle = noise_angle;
  const std::uint64_t noise =
      static_cast<std::uint64_t>(1000 * seed + source) * 1000003 +
      static_cast<std::uint64_t>(std::lround(1e4 * friction) * 100 + std::lround(1e3 * noise_angle));
  const Recording all = Simulate(PlywoodScene(friction), options, ContextWithSeed(noise)).recording;
  Recording out;
  out.columns = all.columns;
  out.values.resize(all.values.size());
  for (int row = 0; row < all.rows(); row += keep) {
    out.time.push_back(all.time[row]);
    for (std::size_t c = 0; c < all.values.size(); ++c) out.values[c].push_back(all.values[c][row]);
  }
  return out;
}

}  // namespace ricochet
