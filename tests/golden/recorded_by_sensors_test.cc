// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From `simulate` to `identify` through the sensors of `observe`: the scene that made a recording explains it, and what
// is estimated of the sensors covers the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

struct Sought {
  std::string path;
  double truth;
};

/// Pulls (value - truth) / std of all sought parameters, over seeds of the noise.
std::vector<double> Pulls(const Scene& truth, const Scene& unknown, const SimulateOptions& camera,
                          const std::vector<Sought>& sought, int runs) {
  std::string paths;
  for (const Sought& each : sought) paths += (paths.empty() ? "" : ", ") + each.path;
  std::vector<double> pulls;
  for (int seed = 0; seed < runs; ++seed) {
    const Recording recording = Simulate(truth, camera, {.seed = static_cast<std::uint64_t>(seed)}).recording;
    const Estimate estimate = Identify(unknown, {recording}, paths).estimate;
    EXPECT_TRUE(estimate.converged) << seed << "\n" << DescribeEstimate(estimate);
    for (const Sought& each : sought) {
      const EstimatedParameter& parameter = estimate.at(each.path);
      if (!parameter.value || !parameter.std) {
        ADD_FAILURE() << each.path << "\n" << DescribeEstimate(estimate);
        continue;
      }
      pulls.push_back((*parameter.value - each.truth) / *parameter.std);
      EXPECT_LT(std::abs(pulls.back()), 4) << each.path << " " << *parameter.value << " seed " << seed;
    }
  }
  return pulls;
}

/// The mean of n squares of normal numbers is 1 with a standard deviation of sqrt(2 / n): four of them.
void ExpectSquaresOfNormalNumbers(const std::vector<double>& pulls) {
  const double n = static_cast<double>(pulls.size());
  const double mean = std::inner_product(pulls.begin(), pulls.end(), pulls.begin(), 0.0) / n;
  EXPECT_LT(mean, 1 + 4 * std::sqrt(2 / n));
  EXPECT_GT(mean, std::max(0.15, 1 - 4 * std::sqrt(2 / n)));
}

/// The plywood throw with friction unknown, seen by the sensors of `observe`.
std::pair<Scene, Scene> PlywoodSeenBy(const std::string& observe) {
  const Scene truth = ParseScene(FormatScene(PlywoodScene(0.2)) + "observe: " + observe + "\n", "seen.yaml");
  Scene unknown = truth;
  unknown.Set("contact.friction", {0.35});
  unknown.initial.clear();
  return {truth, unknown};
}

const SimulateOptions kCamera{
    .method = "event", .step = 1.0 / 120, .noise_position = 1e-3, .noise_angle = 2e-3};  // a row per step

TEST(RecordedBySensors, PlanarFrameScaleAndOffset) {
  auto [truth, unknown] = PlywoodSeenBy(
      "{frame: {position: [0.02, -0.01], rotation: 0.4}, length_scale: 1.03, offset: {x: 0.2, theta: -0.3}}");
  const std::vector<double> known = Pulls(truth, unknown, kCamera, {{"contact.friction", 0.2}}, 6);
  // Gravity shows the scale of lengths.
  unknown.Set("observe.length_scale", {1});
  std::vector<double> all =
      Pulls(truth, unknown, kCamera, {{"contact.friction", 0.2}, {"observe.length_scale", 1.03}}, 6);
  all.insert(all.end(), known.begin(), known.end());
  ExpectSquaresOfNormalNumbers(all);
}

TEST(RecordedBySensors, PlanarPointsAndScale) {
  auto [truth, unknown] = PlywoodSeenBy(
      "{points: {tip: [0.06, 0], side: [0, 0.03]}, length_scale: 0.97, offset: {tip.x: 0.1, side.x: 0.1}}");
  ExpectSquaresOfNormalNumbers(Pulls(truth, unknown, kCamera, {{"contact.friction", 0.2}}, 8));
}

/// A sliding and spinning puck, tracked by a frame beside its center, with friction unknown.
std::pair<Scene, Scene> TrackedPuck() {
  Scene truth = ReadScene(testing::DataPath("truth/patch/puck_thick.yaml"));
  truth.Set("simulation.duration", {0.40});
  truth.Set("observe.frame.position", {0.024, -0.018, 0.01});
  truth.Set("observe.frame.rotation", {0.1, -0.2, 0.4});
  Scene unknown = truth;
  unknown.Set("contact.friction", {0.5});
  unknown.initial.clear();
  return {truth, unknown};
}

TEST(RecordedBySensors, SpatialFrameAndScale) {
  auto [truth, unknown] = TrackedPuck();
  for (Scene* scene : {&truth, &unknown}) scene->Set("observe.length_scale", {1.05});
  ExpectSquaresOfNormalNumbers(
      Pulls(truth, unknown, {.noise_position = 2e-4, .noise_angle = 2e-3}, {{"contact.friction", 0.3}}, 8));
}

TEST(RecordedBySensors, SpatialFrameIsEstimated) {
  auto [truth, unknown] = TrackedPuck();
  unknown.Set("observe.frame.position", {0, 0, 0});
  ExpectSquaresOfNormalNumbers(Pulls(truth, unknown, {.noise_position = 2e-4, .noise_angle = 2e-3},
                                     {{"contact.friction", 0.3},
                                      {"observe.frame.position[0]", 0.024},
                                      {"observe.frame.position[1]", -0.018},
                                      {"observe.frame.position[2]", 0.01}},
                                     8));
}

// A force that acts between known times shows how late a row arrives.
TEST(RecordedBySensors, SpatialDelay) {
  const Scene truth = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  ball: {shape: {sphere: {radius: 0.05}}, mass: 0.5}
surfaces:
  floor: {plane: {point: [0, 0, -9], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0}
initial:
  ball: {position: [0, 0, 0], velocity: [1, 0, 2], angular_velocity: [0, 1, 0]}
actions:
  - {body: ball, force: [3, 0, 0], from: 0.1, until: 0.2}
simulation: {method: moreau, step: 0.001, duration: 0.4}
observe: {delay: 0.02}
)",
                                 "delayed.yaml");
  Scene unknown = truth;
  unknown.Set("observe.delay", {0});
  unknown.initial.clear();
  ExpectSquaresOfNormalNumbers(Pulls(truth, unknown, {.rate = 100, .noise_position = 5e-4, .noise_angle = 2e-3},
                                     {{"observe.delay", 0.02}, {"bodies.ball.mass", 0.5}}, 8));
}

// The angle of a driven pendulum: delay and offset of the encoder beside the friction of the hinge.
TEST(RecordedBySensors, JointDelayAndOffset) {
  const Scene truth = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  link: {mass: 0.3, inertia: [1.0e-4, 1.2e-3, 1.2e-3]}
joints:
  hinge:
    type: hinge
    parent: world
    child: link
    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [0, 0, -1]}
    child_frame: {point: [-0.1, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}
    viscous: 2.0e-3
    motor: {gain: 0.1, input: u, interpolation: linear}
initial:
  hinge: {angle: 0.3}
simulation: {method: spook, step: 5.0e-4, duration: 4, options: {order: 2}}
observe: {channels: [hinge.angle], delay: 0.012, offset: {hinge.angle: 0.05}}
)",
                                 "driven.yaml");
  Recording inputs;
  inputs.columns = {"u"};
  inputs.values.resize(1);
  for (int i = 0; i <= 410; ++i) {
    inputs.time.push_back(0.01 * i);
    inputs.values[0].push_back(0.8 * std::sin(3 * inputs.time.back()) + 0.5 * std::sin(11 * inputs.time.back()));
  }
  Scene unknown = truth;
  unknown.Set("observe.delay", {0});
  unknown.Set("observe.offset.hinge.angle", {0});
  unknown.initial.clear();
  ExpectSquaresOfNormalNumbers(
      Pulls(truth, unknown, {.rate = 200, .noise_angle = 1e-3, .inputs = &inputs},
            {{"observe.delay", 0.012}, {"observe.offset.hinge.angle", 0.05}, {"joints.hinge.viscous", 2e-3}}, 6));
}

}  // namespace
}  // namespace ricochet
