// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/planar_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.h"
#include "ricochet/error.h"

namespace ricochet {
namespace {

Scene DiscScene() {
  return ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -10]\nbodies:\n  disc:\n    shape: {circle: {radius: 0.1}}\n    mass: "
      "1\n"
      "surfaces:\n  floor: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, restitution: 0.5}\n",
      "disc.yaml");
}

/// A flight that turns at a constant rate, then bounces at 0.5 s, with noise; the angle wrapped as cameras do.
Recording Bounce(double noise, bool wrap, std::uint64_t seed) {
  Recording recording;
  recording.columns = {"x", "y", "theta"};
  recording.values.resize(3);
  Random random(seed);
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.01 * i, s = t - 0.5;
    const double y = 0.1 + (s < 0 ? -5 * s - 5 * s * s : 3 * s - 5 * s * s), angle = s < 0 ? 7 * t : 3.5 + 2 * s;
    recording.time.push_back(t);
    recording.values[0].push_back(2 * t + noise * random.Normal());
    recording.values[1].push_back(y + noise * random.Normal());
    const double value = angle + noise * random.Normal();
    recording.values[2].push_back(wrap ? std::remainder(value, 2 * std::numbers::pi) : value);
  }
  return recording;
}

TEST(PlanarTrack, TakesWrapsOutOfTheAngle) {
  const PlanarTrack track = MakePlanarTrack(DiscScene(), Bounce(0, true, 0), 0);
  EXPECT_NEAR(track.pose.back()[2], 3.5 + 2 * 0.5, 1e-12);
  ASSERT_EQ(track.log.size(), 1u);
  EXPECT_NE(track.log[0].find("wraps 1 times"), std::string::npos);
}

TEST(PlanarTrack, EstimatesTheNoise) {
  double sum = 0;
  for (int seed = 0; seed < 20; ++seed) {
    PlanarTrack track = MakePlanarTrack(DiscScene(), Bounce(1e-3, false, 100 + seed), 0);
    EstimateNoise({0, -10, 0}, track);
    sum += track.noise_position / 20;
  }
  EXPECT_NEAR(sum, 1e-3, 1.5e-4);
}

TEST(PlanarTrack, CutsAtTheBounce) {
  for (int seed = 0; seed < 10; ++seed) {
    PlanarTrack track = MakePlanarTrack(DiscScene(), Bounce(1e-3, false, seed), 0);
    EstimateNoise({0, -10, 0}, track);
    const auto arcs = CutIntoArcs(track, {0, -10, 0});
    ASSERT_EQ(arcs.size(), 2u);
    EXPECT_NEAR(arcs[1].first, 50, 1);
    EXPECT_NEAR(arcs[1].velocity[2], 2, 5 * std::sqrt(arcs[1].velocity_variance[2]));
    EXPECT_NEAR(arcs[0].velocity[0], 2, 5 * std::sqrt(arcs[0].velocity_variance[0]));
  }
}

TEST(PlanarTrack, ColumnsWithoutPrefixBelongToTheFirstBodyThatMoves) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\nbodies:\n  block: {shape: {rectangle: {size: [1, 1]}}, fixed: true}\n"
      "  disc: {shape: {circle: {radius: 0.1}}, mass: 1}\ninitial: {block: {pose: [9, 0, 0]}}\n",
      "disc.yaml");
  EXPECT_EQ(MakePlanarTrack(scene, Bounce(0, false, 0), 1).size(), 101);
}

TEST(PlanarTrack, LeavesOutMissingRowsAndRefusesTooFew) {
  Recording recording = Bounce(0, false, 0);
  recording.values[1][7] = NAN;
  const PlanarTrack track = MakePlanarTrack(DiscScene(), recording, 0);
  EXPECT_EQ(track.size(), 100);
  EXPECT_EQ(track.dropped_rows, 1);
  recording.time.resize(3);
  for (auto& column : recording.values) column.resize(3);
  EXPECT_THROW(MakePlanarTrack(DiscScene(), recording, 0), InputError);
}

}  // namespace
}  // namespace ricochet
