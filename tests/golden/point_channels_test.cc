// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Points of a body as channels of a fit: their places are estimated beside parameters of the contact, intervals cover
// the truth, rows that show some of the points take part, and the center of a disc is enough.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Scene WithPoints(const Scene& scene, const std::string& points) {
  return ParseScene(FormatScene(scene) + "observe: {points: " + points + "}\n", "points.yaml");
}

Recording Noisy(Recording recording, double sigma, std::uint64_t seed) {
  Random random(seed);
  for (std::vector<double>& column : recording.values)
    for (double& value : column) value += sigma * random.Normal();
  return recording;
}

/// (value - truth) / std.
double Pull(const Estimate& estimate, const std::string& path, double truth) {
  const EstimatedParameter& parameter = estimate.at(path);
  EXPECT_TRUE(parameter.value && parameter.std) << path << "\n" << DescribeEstimate(estimate);
  return parameter.value && parameter.std ? (*parameter.value - truth) / *parameter.std : 1e9;
}

class PlanarPoints : public ::testing::Test {
 protected:
  PlanarPoints() {
    unknown_ = truth_;
    unknown_.Set("contact.friction", {0.4});
    unknown_.Set("observe.points.side", {0.004, 0.025});  // 4 and 5 mm off
    unknown_.initial.clear();
  }
  const Scene truth_ = WithPoints(PlywoodScene(0.2), "{tip: [0.06, 0], side: [0, 0.03], heel: [-0.05, -0.01]}");
  const Recording exact_ = ObserveScene(truth_, 120, 0, 0, 0);
  Scene unknown_ = truth_;
};

TEST_F(PlanarPoints, PlaceOfOneIsEstimatedExactly) {
  const Estimate estimate = Identify(unknown_, {exact_}, "observe.points.side, contact.friction").estimate;
  ASSERT_TRUE(estimate.converged) << DescribeEstimate(estimate);
  EXPECT_NEAR(*estimate.at("observe.points.side[0]").value, 0, 1e-6);
  EXPECT_NEAR(*estimate.at("observe.points.side[1]").value, 0.03, 1e-6);
  EXPECT_NEAR(*estimate.at("contact.friction").value, 0.2, 1e-5);
}

TEST_F(PlanarPoints, IntervalsCoverTheTruth) {
  constexpr int kRuns = 12;
  double squares = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    Recording recording = Noisy(exact_, 3e-4, static_cast<std::uint64_t>(seed));
    // A third of the rows lacks a point, some two of three.
    for (int row = 0; row < recording.rows(); ++row) {
      if (row % 3 == 1) recording.values[0][static_cast<std::size_t>(row)] = NAN;
      if (row % 9 == 1) recording.values[5][static_cast<std::size_t>(row)] = NAN;
    }
    const Estimate estimate = Identify(unknown_, {recording}, "observe.points.side, contact.friction").estimate;
    ASSERT_TRUE(estimate.converged) << seed << "\n" << DescribeEstimate(estimate);
    EXPECT_NEAR(*estimate.recordings[0].noise_position, 3e-4, 6e-5);
    for (const double pull :
         {Pull(estimate, "observe.points.side[0]", 0), Pull(estimate, "observe.points.side[1]", 0.03),
          Pull(estimate, "contact.friction", 0.2)}) {
      EXPECT_LT(std::abs(pull), 4) << seed;
      squares += pull * pull / (3 * kRuns);
    }
  }
  // The mean of 36 squares of normal numbers has a standard deviation of 0.24.
  EXPECT_GT(squares, 0.4);
  EXPECT_LT(squares, 1.7);
}

TEST_F(PlanarPoints, FramesThatNoPointShowsAreNotIdentifiable) {
  Scene scene = truth_;
  scene.initial.clear();
  const Estimate estimate =
      Identify(scene, {Noisy(exact_, 3e-4, 1)}, "observe.frame.rotation, contact.friction").estimate;
  EXPECT_FALSE(estimate.at("observe.frame.rotation").identifiable) << DescribeEstimate(estimate);
  EXPECT_LT(std::abs(Pull(estimate, "contact.friction", 0.2)), 4);
}

TEST(PointChannels, CenterOfADiscAlone) {
  const Scene truth = ParseScene(R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  disc: {shape: {circle: {radius: 0.04}}, mass: 0.1}
surfaces:
  floor: {line: {point: [0, 0], angle: 0}}
contact: {friction: 0.15, restitution: 0.6}
initial:
  disc: {pose: [0, 0.3, 0], velocity: [1.5, 0], angular_velocity: 0}
simulation: {method: event, duration: 0.9}
observe: {points: {center: [0, 0]}}
)",
                                 "disc.yaml");
  Scene unknown = truth;
  unknown.Set("contact.restitution", {0.4});
  unknown.initial.clear();
  SimulateOptions options;
  options.method = "event";
  options.step = 1.0 / 120;
  const Recording exact = Simulate(truth, options).recording;
  ASSERT_EQ(exact.columns, (std::vector<std::string>{"center.x", "center.y"}));
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Estimate estimate =
        Identify(unknown, {Noisy(exact, 3e-4, seed)}, "contact.restitution, contact.friction").estimate;
    ASSERT_TRUE(estimate.converged) << DescribeEstimate(estimate);
    EXPECT_LT(std::abs(Pull(estimate, "contact.restitution", 0.6)), 4);
    EXPECT_LT(*estimate.at("contact.restitution").std, 0.01);
    // The first bounce slides, but with a spin that nothing shows it could as well stick.
    EXPECT_FALSE(estimate.at("contact.friction").identifiable);
    EXPECT_LT(estimate.at("contact.friction").lower.value_or(1), 0.15);
  }
}

TEST(PointChannels, SpatialIntervalsCoverTheTruth) {
  const Scene truth = WithPoints(ReadScene(testing::DataPath("truth/patch/puck_thick.yaml")),
                                 "{a: [0.1, 0, 0.05], b: [-0.05, 0.08, 0.05], c: [-0.05, -0.08, -0.05]}");
  SimulateOptions options;
  options.duration = 0.40;
  options.rate = 120;
  const Recording exact = Simulate(truth, options).recording;
  Scene unknown = truth;
  unknown.Set("contact.friction", {0.5});
  unknown.Set("observe.points.c[0:2]", {-0.045, -0.084});
  unknown.initial.clear();
  constexpr int kRuns = 8;
  double squares = 0;
  for (int seed = 0; seed < kRuns; ++seed) {
    Recording recording = Noisy(exact, 2e-4, static_cast<std::uint64_t>(seed));
    for (int row = 2; row < recording.rows(); row += 3) recording.values[4][static_cast<std::size_t>(row)] = NAN;
    const Estimate estimate =
        Identify(unknown, {recording}, "observe.points.c[0:2], contact.friction, contact.patch[2]").estimate;
    ASSERT_TRUE(estimate.converged) << seed << "\n" << DescribeEstimate(estimate);
    for (const double pull :
         {Pull(estimate, "observe.points.c[0]", -0.05), Pull(estimate, "observe.points.c[1]", -0.08),
          Pull(estimate, "contact.friction", 0.3), Pull(estimate, "contact.patch[2]", 1.0 / 15)}) {
      EXPECT_LT(std::abs(pull), 4) << seed;
      squares += pull * pull / (4 * kRuns);
    }
  }
  // The mean of 32 squares of normal numbers has a standard deviation of 0.25.
  EXPECT_GT(squares, 0.4);
  EXPECT_LT(squares, 1.75);
}

TEST(PointChannels, MethodsThatNeedPosesRefuseToEstimatePlaces) {
  const Scene scene = WithPoints(PlywoodScene(0.2), "{tip: [0.06, 0], side: [0, 0.03]}");
  const Recording recording = ObserveScene(scene, 120, 0, 0, 0);
  try {
    Identify(scene, {recording}, "observe.points.tip", {.method = "joint"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("use trajectory"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ricochet
