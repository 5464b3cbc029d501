// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What inference says about `trajectory` in space, on simulated data: intervals of profiles and bootstrap cover the
// truth as often as they claim, and cross-validation finds the noise.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/identifiability.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/coverage.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr double kFriction = 0.3, kRadius = 1.0 / 15;
const char kPatchLaw[] = "contact.friction, contact.patch[2]";

Scene Puck() { return ReadScene(testing::DataPath("truth/patch/puck_thick.yaml")); }

Recording Slide(double speed, double spin, std::uint64_t seed) {
  Scene scene = Puck();
  scene.Set("initial.body.velocity", {speed, 0, 0});
  scene.Set("initial.body.angular_velocity", {0, 0, spin});
  SimulateOptions options;
  options.duration = 0.25;
  options.noise_position = 2e-4;
  options.noise_angle = 2e-3;
  Recording recording = Simulate(scene, options, {.seed = seed}).recording;
  recording.file = "slide" + std::to_string(seed) + ".csv";
  return recording;
}

/// The scene as someone has it who knows neither the law nor the start.
Scene Blind() {
  Scene scene = Puck();
  scene.Set("contact.friction", {0.5});
  scene.Set("contact.patch[2]", {0.1});
  scene.initial.clear();
  return scene;
}

TEST(SpatialTrajectoryInference, ProfilesCoverTheTruth) {
  const IdentifyOptions options{.profiles = {"contact.friction"}};
  int covered = 0;
  double square = 0;
  constexpr int kSeeds = 24;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Estimate estimate = Identify(Blind(), {Slide(0.5, 10, 100 + seed)}, kPatchLaw, options).estimate;
    ASSERT_EQ(estimate.profiles.size(), 1u);
    const EstimatedProfile& profile = estimate.profiles[0];
    ASSERT_TRUE(profile.lower && profile.upper) << profile.words;
    covered += *profile.lower < kFriction && kFriction < *profile.upper;
    square += std::pow((*estimate.parameters[0].value - kFriction) / (*profile.upper - *profile.lower) * 2 * 1.96, 2);
  }
  // Of 24 intervals of 95 % fewer than 20 cover with a probability of 0.006; the mean square of scores is 1 +- 0.29.
  EXPECT_GE(covered, 20);
  EXPECT_NEAR(square / kSeeds, 1, 0.9);
}

TEST(SpatialTrajectoryInference, BootstrapCoversTheTruth) {
  double square = 0;
  constexpr int kSeeds = 8;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const IdentifyOptions options{.bootstrap = 25};
    const Estimate estimate =
        Identify(Blind(), {Slide(0.5, 10, 200 + seed)}, kPatchLaw, options, {.seed = seed}).estimate;
    ASSERT_TRUE(estimate.parameters[0].value && estimate.parameters[1].value) << DescribeEstimate(estimate);
    const double friction = (*estimate.parameters[0].value - kFriction) / *estimate.parameters[0].std;
    const double radius = (*estimate.parameters[1].value - kRadius) / *estimate.parameters[1].std;
    EXPECT_LT(std::abs(friction), 4) << seed;
    EXPECT_LT(std::abs(radius), 4) << seed;
    square += 0.5 * (friction * friction + radius * radius);
  }
  // 8 scores of one degree of freedom (the two are strongly correlated): their mean is 1 +- 0.5.
  EXPECT_GT(square / kSeeds, 0.2);
  EXPECT_LT(square / kSeeds, 2.5);
}

TEST(SpatialTrajectoryInference, AttainableDeviationsAreThoseOfTheScatter) {
  constexpr int kSeeds = 16;
  const double truth[] = {kFriction, kRadius};
  double squares[] = {0, 0};
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Identifiability result = AnalyzeIdentifiability(Blind(), {Slide(0.5, 10, 400 + seed)}, kPatchLaw);
    ASSERT_EQ(result.parameters.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(result.parameters[i].std) << seed;
      squares[i] += std::pow((result.parameters[i].value - truth[i]) / *result.parameters[i].std, 2) / kSeeds;
    }
  }
  const auto [least, most] = testing::MeanSquareLimits(kSeeds);
  for (const double square : squares) {
    EXPECT_GT(square, least);
    EXPECT_LT(square, most);
  }
}

TEST(SpatialTrajectoryInference, CrossValidationFindsTheNoise) {
  std::vector<Recording> recordings;
  for (int k = 0; k < 4; ++k)
    recordings.push_back(Slide(0.4 + 0.1 * k, 12.0 - 2 * k, 300 + static_cast<std::uint64_t>(k)));
  const Estimate estimate = Identify(Blind(), recordings, kPatchLaw, {.folds = 4}).estimate;
  ASSERT_TRUE(estimate.cross_validation);
  const EstimatedCrossValidation& result = *estimate.cross_validation;
  ASSERT_EQ(result.recordings.size(), 4u);
  ASSERT_TRUE(result.residual_over_noise);
  EXPECT_NEAR(*result.residual_over_noise, 1, 0.1);
  for (int k = 0; k < 4; ++k) {
    const HeldOutRecording& held_out = result.recordings[static_cast<std::size_t>(k)];
    EXPECT_EQ(held_out.recording, k);
    ASSERT_TRUE(held_out.residual_over_noise);
    EXPECT_NEAR(*held_out.residual_over_noise, 1, 0.25);
    // Three recordings in place of four, and another three each time.
    ASSERT_EQ(result.values[static_cast<std::size_t>(k)].size(), 2u);
    const double value = result.values[static_cast<std::size_t>(k)][0];
    EXPECT_NE(value, *estimate.parameters[0].value);
    EXPECT_LT(std::abs(value - kFriction), 4.5 * *estimate.parameters[0].std);
  }
}

}  // namespace
}  // namespace ricochet
