// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A ball of which only the center is recorded: restitution always, friction and spin where bounces show them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

std::string BallScene(double friction, double restitution, const std::string& initial) {
  return fmt::format(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
      "bodies:\n  ball: {{shape: {{circle: {{radius: 0.02}}}}, mass: 0.0027, inertia: 7.2e-7}}\n"
      "surfaces:\n  table: {{line: {{point: [0, 0], angle: 0}}}}\n"
      "contact: {{friction: {}, restitution: {}}}\n{}"
      "observe: {{points: {{center: [0, 0]}}}}\n"
      "simulation: {{method: event, step: 5e-3, duration: 1.6}}\n",
      friction, restitution, initial);
}

TEST(Ball, RestitutionAndFrictionFromItsCenterWithUnknownSpin) {
  int frictions = 0;
  for (std::uint64_t seed = 300; seed < 316; ++seed) {
    Random draws(seed, 11);
    const double friction = draws.Uniform(0.05, 0.3), restitution = draws.Uniform(0.5, 0.9);
    const std::string initial =
        fmt::format("initial:\n  ball: {{pose: [0, 0.4, 0], velocity: [{}, {}], angular_velocity: {}}}\n",
                    draws.Uniform(0.5, 3), draws.Uniform(-1, 1.5), draws.Uniform(-250, 250));
    Recording seen = Simulate(ParseScene(BallScene(friction, restitution, initial), "rally.yaml")).recording;
    seen.file = "rally.csv";
    for (std::vector<double>& column : seen.values)
      for (double& value : column) value += 4e-4 * draws.Normal();
    const Scene scene = ParseScene(BallScene(0.4, 0.6, ""), "ball.yaml");
    const Estimate estimate = Identify(scene, {seen}, "contact.friction,contact.restitution").estimate;
    const EstimatedParameter& e = estimate.at("contact.restitution");
    ASSERT_TRUE(e.value && e.std) << seed;
    EXPECT_NEAR(*e.value, restitution, 3.5 * *e.std) << seed;
    const EstimatedParameter& mu = estimate.at("contact.friction");
    if (!mu.value || !mu.std) continue;  // every bounce sticks
    ++frictions;
    EXPECT_NEAR(*mu.value, friction, 3.5 * *mu.std) << seed;
  }
  EXPECT_GE(frictions, 5);
}

}  // namespace
}  // namespace ricochet
