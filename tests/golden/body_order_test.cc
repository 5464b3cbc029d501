// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Simulations and fits in space do not depend on the order in which the scene lists its bodies, fixed ones among them.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "ricochet/identify.h"
#include "ricochet/simulate.h"

namespace ricochet {
namespace {

/// Pucks that slide and spin apart on a floor; the post is 9 m away.
Scene Bodies(const std::vector<std::string>& order) {
  const std::map<std::string, std::string> bodies = {
      {"puck",
       "{shape: {cylinder: {radius: 0.1, length: 0.1, axis: [0, 0, 1]}}, mass: 1, inertia: [0.0033, 0.0033, 0.005]}"},
      {"disc",
       "{shape: {cylinder: {radius: 0.12, length: 0.06, axis: [0, 0, 1]}}, mass: 2, inertia: [0.008, 0.008, 0.0144]}"},
      {"post", "{shape: {box: {size: [0.2, 0.2, 0.2]}}, fixed: true}"}};
  const std::map<std::string, std::string> initial = {
      {"puck",
       "{position: [0, 0, 0.05], orientation: [1, 0, 0, 0], velocity: [0.5, 0, 0], angular_velocity: [0, 0, 10]}"},
      {"disc",
       "{position: [1, 1, 0.03], orientation: [1, 0, 0, 0], velocity: [0.1, 0.6, 0], angular_velocity: [0, 0, -9]}"},
      {"post", "{position: [9, 0, 0.1], orientation: [1, 0, 0, 0]}"}};
  std::string text = "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.8]\nbodies:\n";
  for (const std::string& name : order) text += "  " + name + ": " + bodies.at(name) + "\n";
  text +=
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
      "contact: {friction: 0.3, patch: [1, 1, 0.0667]}\ninitial:\n";
  for (const std::string& name : order) text += "  " + name + ": " + initial.at(name) + "\n";
  text += "simulation: {method: ecp, step: 0.01, duration: 0.3, tolerance: 1e-10}\n";
  return ParseScene(text, "bodies.yaml");
}

/// As someone has it who does not know the friction, nor where moving bodies start.
Scene Blind(Scene scene) {
  scene.Set("contact.friction", {0.5});
  std::erase_if(scene.initial, [](const Initial& initial) { return initial.name != "post"; });
  return scene;
}

Recording Record(const Scene& scene) {
  SimulateOptions options;
  options.noise_position = 2e-4;
  options.noise_angle = 2e-3;
  return Simulate(scene, options, {.seed = 5}).recording;
}

TEST(BodyOrder, SimulationsAreTheSame) {
  const Recording first = Simulate(Bodies({"puck", "disc", "post"})).recording;
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"post", "puck", "disc"}, {"disc", "post", "puck"}}) {
    const Recording other = Simulate(Bodies(order)).recording;
    ASSERT_EQ(other.columns.size(), first.columns.size());
    for (std::size_t i = 0; i < first.columns.size(); ++i) {
      const int at = other.Find(first.columns[i]);
      ASSERT_GE(at, 0) << first.columns[i];
      for (std::size_t row = 0; row < first.time.size(); ++row)
        ASSERT_NEAR(other.values[static_cast<std::size_t>(at)][row], first.values[i][row], 1e-9) << first.columns[i];
    }
  }
}

TEST(BodyOrder, AFixedBodyFarAwayDoesNotChangeAFit) {
  const char paths[] = "contact.friction, bodies.puck.inertia[2] / bodies.puck.mass";
  const Recording recording = Record(Bodies({"puck"}));
  const Estimate alone = Identify(Blind(Bodies({"puck"})), {recording}, paths).estimate;
  ASSERT_TRUE(alone.converged) << DescribeEstimate(alone);
  for (const std::vector<std::string>& order : {std::vector<std::string>{"post", "puck"}, {"puck", "post"}}) {
    const Estimate beside = Identify(Blind(Bodies(order)), {recording}, paths).estimate;
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(alone.parameters[i].value && beside.parameters[i].value) << DescribeEstimate(beside);
      EXPECT_NEAR(*beside.parameters[i].value, *alone.parameters[i].value, 1e-6 * *alone.parameters[i].std);
      EXPECT_NEAR(*beside.parameters[i].std / *alone.parameters[i].std, 1, 1e-6);
    }
  }
}

TEST(BodyOrder, FitsOfTwoMovingBodiesAreTheSame) {
  const char paths[] = "contact.friction, bodies.disc.inertia[2] / bodies.disc.mass";
  const Recording recording = Record(Bodies({"puck", "disc"}));
  std::vector<Estimate> found;
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"puck", "disc"}, {"disc", "puck"}, {"post", "disc", "puck"}})
    found.push_back(Identify(Blind(Bodies(order)), {recording}, paths).estimate);
  for (const Estimate& estimate : found) {
    ASSERT_TRUE(estimate.converged) << DescribeEstimate(estimate);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(estimate.parameters[i].value) << DescribeEstimate(estimate);
      EXPECT_NEAR(*estimate.parameters[i].value, *found[0].parameters[i].value, 0.01 * *found[0].parameters[i].std);
    }
    EXPECT_LT(std::abs(*estimate.parameters[0].value - 0.3), 4 * *estimate.parameters[0].std);
    EXPECT_LT(std::abs(*estimate.parameters[1].value - 0.0072), 4 * *estimate.parameters[1].std);
  }
}

}  // namespace
}  // namespace ricochet
