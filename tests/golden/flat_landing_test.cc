// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Several contacts at once: a square that falls without spin lands on an edge, both corners at one instant. Gabiccini's
// and Fazeli's methods stop there. A fit that lands on one corner first finds no restitution that explains the rebound:
// two impacts in a row leave 0.38 of the fall where the edge leaves 0.5.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/identify.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

constexpr double kFriction = 0.3, kRestitution = 0.5;

Scene Square(double friction, double restitution, const std::string& initial) {
  return ParseScene(fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
                                "bodies:\n  square: {{shape: {{rectangle: {{size: [0.05, 0.05]}}}}, mass: 0.1}}\n"
                                "surfaces:\n  table: {{line: {{point: [0, 0], angle: 0}}}}\n"
                                "contact: {{friction: {}, restitution: {}}}\n{}"
                                "simulation: {{method: event, step: 0.00416666666666667, duration: 0.6}}\n",
                                friction, restitution, initial),
                    "square.yaml");
}

Estimate Identified(const std::string& method, double vx, std::uint64_t seed) {
  SimulateOptions options;
  options.noise_position = 1e-3;
  options.noise_angle = 2e-3;
  const Recording recording =
      Simulate(Square(kFriction, kRestitution,
                      fmt::format("initial:\n  square: {{pose: [0, 0.15, 0], velocity: [{}, 0]}}\n", vx)),
               options, {.seed = seed})
          .recording;
  return Identify(Square(0.5, 0.3, ""), {recording}, "contact.friction, contact.restitution", {.method = method})
      .estimate;
}

class FlatLanding : public ::testing::TestWithParam<const char*> {};

TEST_P(FlatLanding, RestitutionAndFrictionAreFound) {
  const Estimate estimate = Identified(GetParam(), 1.5, 1);
  EXPECT_TRUE(estimate.converged);
  const double truth[2] = {kFriction, kRestitution};
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(estimate.parameters[i].value && estimate.parameters[i].std);
    EXPECT_LT(*estimate.parameters[i].std, 0.002);
    EXPECT_NEAR(*estimate.parameters[i].value, truth[i], 4 * *estimate.parameters[i].std) << i;
  }
}

TEST_P(FlatLanding, ContactsThatStickBoundFrictionFromBelow) {
  // The first impact stops 0.5 m/s by (1 + e) sqrt(2 g h) of normal impulse over mass: friction is at least 0.213.
  const Estimate estimate = Identified(GetParam(), 0.5, 3);
  EXPECT_TRUE(estimate.converged);
  EXPECT_FALSE(estimate.parameters[0].value);
  ASSERT_TRUE(estimate.parameters[0].lower);
  const double needed = 0.5 / ((1 + kRestitution) * std::sqrt(2 * 9.81 * 0.125));
  EXPECT_NEAR(*estimate.parameters[0].lower, needed, 0.01);
  ASSERT_TRUE(estimate.parameters[1].value && estimate.parameters[1].std);
  EXPECT_NEAR(*estimate.parameters[1].value, kRestitution, 4 * *estimate.parameters[1].std);
}

INSTANTIATE_TEST_SUITE_P(Methods, FlatLanding, ::testing::Values("trajectory", "joint"));

}  // namespace
}  // namespace ricochet
