// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` in space: friction and e_r of a body that slides and spins (Xie, remark 5), friction and restitution of
// tossed boxes, and what is not identifiable.
#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

const char kPatchLaw[] = "contact.friction, contact.patch[2]";

Scene Puck() { return ReadScene(testing::DataPath("truth/patch/puck_thick.yaml")); }

Recording Record(const Scene& scene, double duration, double noise_position, double noise_angle, std::uint64_t seed) {
  SimulateOptions options;
  options.duration = duration;
  options.noise_position = noise_position;
  options.noise_angle = noise_angle;
  Recording recording = Simulate(scene, options, {.seed = seed}).recording;
  recording.file = "recording.csv";
  return recording;
}

/// The scene as someone has it who does not know the numbers, nor where the body started.
Scene Blind(Scene scene, double friction, double radius) {
  scene.Set("contact.friction", {friction});
  scene.Set("contact.patch[2]", {radius});
  scene.initial.clear();
  return scene;
}

/// Error in standard deviations.
double Score(const Estimate& estimate, const std::string& path, double truth) {
  const EstimatedParameter& parameter = estimate.at(path);
  EXPECT_TRUE(parameter.value && parameter.std) << path;
  return parameter.value && parameter.std ? (*parameter.value - truth) / *parameter.std : 1e9;
}

TEST(SpatialTrajectory, FrictionAndPatchRadiusOfASlidingAndSpinningPuck) {
  const Scene truth = Puck();
  double square = 0;
  const int seeds = 4;
  for (int seed = 0; seed < seeds; ++seed) {
    const Recording recording = Record(truth, 0.40, 2e-4, 2e-3, static_cast<std::uint64_t>(seed));
    const Identification found = Identify(Blind(truth, 0.6, 0.15), {recording}, kPatchLaw);
    ASSERT_TRUE(found.estimate.converged) << DescribeEstimate(found.estimate);
    const double friction = Score(found.estimate, "contact.friction", 0.3);
    const double radius = Score(found.estimate, "contact.patch[2]", 1.0 / 15);
    EXPECT_LT(std::abs(friction), 3.5) << DescribeEstimate(found.estimate);
    EXPECT_LT(std::abs(radius), 3.5) << DescribeEstimate(found.estimate);
    square += friction * friction + radius * radius;
    EXPECT_LT(*found.estimate.at("contact.friction").std, 0.01);
    EXPECT_LT(*found.estimate.at("contact.patch[2]").std, 0.01);
    EXPECT_NEAR(*found.estimate.chi2_per_dof, 1, 0.3);
    EXPECT_NEAR(*found.estimate.recordings[0].noise_position, 2e-4, 6e-5);
    EXPECT_NEAR(*found.estimate.recordings[0].noise_angle, 2e-3, 6e-4);
    EXPECT_EQ(found.calibrated[found.calibrated.Find("contact.friction")],
              *found.estimate.at("contact.friction").value);
  }
  // 2 seeds of chi^2: mean 2 per seed, 99.9 % below 26.
  EXPECT_LT(square, 26);
}

TEST(SpatialTrajectory, BootstrapAndProfileAgreeWithTheLikelihood) {
  const Recording recording = Record(Puck(), 0.40, 2e-4, 2e-3, 1);
  const IdentifyOptions options{.bootstrap = 60, .profiles = {"contact.friction", "contact.patch[2]"}};
  const Estimate plain = Identify(Blind(Puck(), 0.6, 0.15), {recording}, kPatchLaw).estimate;
  const Estimate more = Identify(Blind(Puck(), 0.6, 0.15), {recording}, kPatchLaw, options).estimate;
  ASSERT_EQ(more.profiles.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const double value = *plain.parameters[i].value, deviation = *plain.parameters[i].std;
    EXPECT_EQ(*more.parameters[i].value, value);
    // 60 repetitions determine a standard deviation to 1 / sqrt(120).
    EXPECT_NEAR(*more.parameters[i].std / deviation, 1, 0.3);
    ASSERT_TRUE(more.profiles[i].lower && more.profiles[i].upper) << more.profiles[i].words;
    EXPECT_NEAR((*more.profiles[i].upper - value) / (1.96 * deviation), 1, 0.05);
    EXPECT_NEAR((value - *more.profiles[i].lower) / (1.96 * deviation), 1, 0.05);
  }
}

TEST(SpatialTrajectory, ExactDataGiveTheTruth) {
  const Scene truth = Puck();
  const Recording recording = Record(truth, 0.40, 0, 0, 0);
  const Identification found = Identify(Blind(truth, 0.2, 0.1), {recording}, kPatchLaw);
  EXPECT_TRUE(found.estimate.converged) << DescribeEstimate(found.estimate);
  EXPECT_NEAR(*found.estimate.at("contact.friction").value, 0.3, 1e-7);
  EXPECT_NEAR(*found.estimate.at("contact.patch[2]").value, 1.0 / 15, 1e-7);
}

TEST(SpatialTrajectory, SeveralRecordingsWithGapsAtOnceOnAnyNumberOfThreads) {
  Scene truth = Puck();
  std::vector<Recording> recordings;
  for (int k = 0; k < 3; ++k) {
    truth.Set("initial.body.velocity", {0.4 + 0.2 * k, 0.1 * k, 0});
    truth.Set("initial.body.angular_velocity", {0, 0, 12.0 - 9 * k});
    Recording recording = Record(truth, 0.35, 2e-4, 2e-3, 40 + static_cast<std::uint64_t>(k));
    recording.file = "throw" + std::to_string(k) + ".csv";
    for (const std::size_t row : {5u, 6u, 15u})
      for (std::vector<double>& column : recording.values) column[row + static_cast<std::size_t>(k)] = NAN;
    recordings.push_back(recording);
  }
  // The second is spoilt: it cannot belong to this body.
  Recording spoilt = recordings[1];
  spoilt.file = "spoilt.csv";
  for (std::size_t row = 10; row < spoilt.time.size(); ++row)
    spoilt.values[0][row] += 0.02 * static_cast<double>(row % 7);
  recordings.insert(recordings.begin() + 1, spoilt);
  std::string first;
  for (const int threads : {1, 2}) {
    Identification found = Identify(Blind(truth, 0.4, 0.1), recordings, kPatchLaw, {}, {.threads = threads});
    const Estimate& estimate = found.estimate;
    EXPECT_TRUE(estimate.converged) << DescribeEstimate(estimate);
    EXPECT_LT(std::abs(Score(estimate, "contact.friction", 0.3)), 3.5) << DescribeEstimate(estimate);
    EXPECT_LT(std::abs(Score(estimate, "contact.patch[2]", 1.0 / 15)), 3.5) << DescribeEstimate(estimate);
    ASSERT_EQ(estimate.recordings.size(), 4u);
    EXPECT_FALSE(estimate.recordings[1].used);
    EXPECT_NE(estimate.recordings[1].reason.find("no motion of the model explains it"), std::string::npos);
    EXPECT_TRUE(estimate.recordings[0].used && estimate.recordings[2].used && estimate.recordings[3].used);
    found.estimate.seconds = 0;
    const std::string text = FormatEstimate(found.estimate);
    if (first.empty()) first = text;
    EXPECT_EQ(first, text) << threads;
  }
}

TEST(SpatialTrajectory, MassIsRefusedAndRatiosAreGiven) {
  const Scene truth = Puck();
  const Recording recording = Record(truth, 0.40, 2e-4, 2e-3, 9);
  const Identification found =
      Identify(Blind(truth, 0.4, 0.1), {recording}, "bodies.body.mass, bodies.body.inertia[2], contact.friction");
  const Estimate& estimate = found.estimate;
  EXPECT_FALSE(estimate.at("bodies.body.mass").value);
  EXPECT_FALSE(estimate.at("bodies.body.mass").identifiable);
  EXPECT_EQ(estimate.at("bodies.body.inertia[2]").combination,
            "bodies.body.inertia[2]/bodies.body.mass (without a known force only this ratio is identifiable)");
  EXPECT_TRUE(estimate.at("bodies.body.inertia[2]/bodies.body.mass").value);
  EXPECT_EQ(estimate.covariance.rows(), 4);
}

TEST(SpatialTrajectory, WhatHasNoEffectIsNamedAndHeld) {
  // A puck that slides level: moments about horizontal axes do nothing.
  const Scene truth = Puck();
  const Recording recording = Record(truth, 0.40, 2e-4, 2e-3, 5);
  const Identification found =
      Identify(Blind(truth, 0.4, 0.0667), {recording}, "contact.friction, bodies.body.inertia[0]");
  const EstimatedParameter& moment = found.estimate.at("bodies.body.inertia[0]");
  EXPECT_FALSE(moment.identifiable);
  EXPECT_FALSE(moment.value);
  EXPECT_EQ(moment.combination.find("the recorded motion determines it only to"), 0u) << moment.combination;
  EXPECT_TRUE(std::isnan(found.estimate.covariance(1, 1)));
  EXPECT_LT(std::abs(Score(found.estimate, "contact.friction", 0.3)), 3.5);
  EXPECT_EQ(found.calibrated[found.calibrated.Find("bodies.body.inertia[0]")],
            truth[truth.Find("bodies.body.inertia[0]")]);
}

TEST(SpatialTrajectory, StickingGivesABoundFromBelow) {
  // A box carried by a push it resists: it would slide with friction below 2 N / (1 kg 9.8) = 0.2041.
  const Scene truth = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.8]
bodies:
  box: {shape: {box: {size: [0.2, 0.2, 0.1]}}, mass: 1}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.5, patch: [1, 1, 0.08]}
initial:
  box: {position: [0, 0, 0.05]}
actions:
  - {body: box, force: [2, 0, 0]}
simulation: {method: ecp, step: 0.005, duration: 0.3}
)",
                                 "stick.yaml");
  const Recording recording = Record(truth, 0.3, 1e-4, 1e-3, 2);
  const Identification found = Identify(truth, {recording}, "contact.friction");
  const EstimatedParameter& friction = found.estimate.at("contact.friction");
  EXPECT_FALSE(friction.identifiable);
  EXPECT_FALSE(friction.value);
  ASSERT_TRUE(friction.lower) << DescribeEstimate(found.estimate);
  EXPECT_LT(*friction.lower, 0.2041);
  EXPECT_GT(*friction.lower, 0.19);
}

TEST(SpatialTrajectory, FrictionAndRestitutionOfTossedBoxes) {
  // Made with friction 0.40, restitution 0.25, pose noise 0.3 mm and 0.1 degrees per axis (tests/data/truth/box).
  Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  scene.Set("contact.friction", {0.3});
  scene.Set("contact.restitution", {0.1});
  scene.initial.clear();
  const Recording toss = ReadRecording(testing::DataPath("truth/box/campaign/toss_00.csv"));
  const Identification found = Identify(scene, {toss}, "contact.friction, contact.restitution");
  EXPECT_TRUE(found.estimate.converged) << DescribeEstimate(found.estimate);
  EXPECT_LT(std::abs(Score(found.estimate, "contact.friction", 0.40)), 3.5) << DescribeEstimate(found.estimate);
  EXPECT_LT(std::abs(Score(found.estimate, "contact.restitution", 0.25)), 3.5) << DescribeEstimate(found.estimate);
  EXPECT_NEAR(*found.estimate.recordings[0].noise_position, 3e-4, 1e-4);
  EXPECT_NEAR(*found.estimate.recordings[0].noise_angle, 0.1 * M_PI / 180, 6e-4);
}

}  // namespace
}  // namespace ricochet
