// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a step with respect to every number of scenes that together have every joint type, every part of a
// joint, limits, contacts with surfaces and between bodies, impacts and loads.
#include <gtest/gtest.h>

#include "steppers/spook/spook_derivatives.h"
#include "tests/support/mechanisms.h"
#include "tests/support/spook_derivative_check.h"

namespace ricochet {
namespace {

const auto kAnything = [](const StepResult&) {};

const std::string kSoft = "    compliance: {linear: 1.0e-4, angular: 2.0e-4}\n    damping: 0.01\n";

TEST(SpookDerivativePaths, AHingeWithAllItsParts) {
  RandomVectors random(71);
  Scene scene = RandomChain(
      random, 2, 1e-4,
      "    viscous: 1.0e-3\n    coulomb: 0.02\n    dry: {radius: 0.02, friction: 0.1, norm: euclidean}\n    stribeck: "
      "{static: 0.2, rate: "
      "2}\n    motor: {gain: 0.1, shaft_inertia: 1.0e-4, input: u}\n    drive: {stiffness: 0.2, damping: 0.01, target: "
      "0.3, rate: 0.2}\n    limits: {lower: -2.9, upper: 2.9}\n");
  scene.Set("bodies.*.drag.linear", {0.3});
  scene.Set("bodies.*.drag.quadratic", {0.2});
  CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-6, 5, kAnything);
}

// World, slider, ball, universal, fixed, and a distance back to the world; a force on one body.
Scene AllTypes() {
  const auto body = [](const char* name) {
    return std::string("  ") + name +
           ":\n    mass: 0.7\n    inertia: [4.0e-3, 5.0e-3, 6.0e-3, 2.0e-4, -3.0e-4, 1.0e-4]\n    center_of_mass: "
           "[0.01, -0.02, 0.015]\n";
  };
  return ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: {magnitude: 9.81, tilt: [0.1, -0.2]}\nbodies:\n" + body("a") + body("b") +
          body("c") + body("d") +
          "joints:\n  slider:\n    type: slider\n    parent: world\n    child: a\n    parent_frame: {point: [0, 0, "
          "0.1], "
          "axis: [0.6, 0, 0.8], zero: [0.8, 0, -0.6]}\n    child_frame: {point: [0.02, 0, 0], axis: [0, 0, 1], zero: "
          "[1, "
          "0, 0]}\n" +
          kSoft +
          "    viscous: 0.1\n    dry: {radius: 0.05, friction: 0.1, norm: l1}\n    stribeck: {static: 0.2, rate: 0.5}\n"
          "    motor: {gain: 0.3, shaft_inertia: 0.1, input: u}\n    drive: {stiffness: 20, damping: 0.5, target: 0.1, "
          "rate: 0.1}\n    limits: {lower: -0.8, upper: 0.9}\n"
          "  ball:\n    type: ball\n    parent: a\n    child: b\n    parent_frame: {point: [0.1, 0.02, 0]}\n    "
          "child_frame: {point: [-0.1, 0, 0.01]}\n" +
          kSoft +
          "    viscous: 0.01\n  universal:\n    type: universal\n    parent: b\n    child: c\n    parent_frame: "
          "{point: "
          "[0.1, 0, 0], axis: [0, 1, 0]}\n    child_frame: {point: [-0.1, 0, 0], axis: [0, 0, 1]}\n" +
          kSoft +
          "    viscous: 0.02\n  fixed:\n    type: fixed\n    parent: c\n    child: d\n    parent_frame: {point: [0.1, "
          "0, "
          "0.02]}\n    child_frame: {point: [-0.1, 0, 0]}\n" +
          kSoft +
          "  distance:\n    type: distance\n    parent: world\n    child: d\n    parent_frame: {point: [0.9, 0.2, "
          "0.4]}\n    child_frame: {point: [0.1, 0, 0]}\n    length: 0.5\n" +
          kSoft +
          "initial:\n  slider: {angle: 0.05, rate: 0.4}\nactions:\n  - {body: c, force: [0.5, 0.2, -0.1], torque: "
          "[0.01, "
          "0, 0.02]}\nsimulation: {method: spook}\n",
      "all");
}

TEST(SpookDerivativePaths, EveryJointType) {
  const Scene scene = AllTypes();
  CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-6, 5, kAnything);
}

// A rod pressed against the upper limit of its hinge by gravity and a drive, with dry friction that slides or sticks.
TEST(SpookDerivativePaths, ALimitThatHolds) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0.3, -9.81]\nbodies:\n  rod: {mass: 0.4, inertia: [1.0e-3, 4.0e-3, "
      "4.0e-3]}\njoints:\n  j:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
      "    child_frame: {point: [-0.2, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n" +
          kSoft + "    viscous: 0.01\n    limits: {lower: -1, upper: 0.2}\ninitial:\n  j: {angle: 0.2, rate: 0.01}\n" +
          "simulation: {method: spook}\n",
      "limit");
  CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-6, 8, kAnything);
}

// A limit that is hit: the impulse stage with restitution.
TEST(SpookDerivativePaths, ALimitThatIsHit) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0.3, -9.81]\nbodies:\n  rod: {mass: 0.4, inertia: [1.0e-3, 4.0e-3, "
      "4.0e-3]}\njoints:\n  j:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
      "    child_frame: {point: [-0.2, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n" +
          kSoft + "    viscous: 0.01\n    limits: {lower: -1, upper: 0.2}\ninitial:\n  j: {angle: 0.19, rate: 4}\n" +
          "simulation: {method: spook, options: {limit_restitution: 0.5}}\n",
      "limit");
  CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-5, 0,
                     [](const StepResult& step) { EXPECT_LT(step.end.v[4], 0) << "it came back"; });
}

// A ball on a moving slope: sliding, and at an impact with restitution.
TEST(SpookDerivativePaths, ABallOnAMovingSlope) {
  for (const bool impact : {false, true}) {
    const Scene scene = ParseScene(
        std::string("ricochet: 1\nspace: spatial\ngravity: {magnitude: 9.81, tilt: [0.05, 0.02]}\nbodies:\n"
                    "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.4, inertia: [1.6e-3, 1.7e-3, 1.8e-3]}\n"
                    "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0.1, 0, 1]}, velocity: [0.3, 0.1, "
                    "-0.03]}\ncontact: {friction: 0.2, restitution: 0.5}\ninitial:\n  ball: {position: [0, 0, ") +
            (impact ? "0.101], velocity: [1, 0.4, -2]}\n" : "0.1005], velocity: [1, 0.4, -0.13]}\n") +
            "simulation: {method: spook, options: {contact_compliance: 1.0e-4}}\n",
        "slope");
    CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-5, impact ? 0 : 6,
                       [](const StepResult& step) { EXPECT_FALSE(step.contacts.empty()); });
  }
}

// A ball that rests and slides on another body.
TEST(SpookDerivativePaths, ABallOnAFreeBox) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0.2, 0, -9.81]\nbodies:\n"
      "  box: {shape: {box: {size: [0.6, 0.6, 0.1]}}, mass: 3, inertia: [0.1, 0.11, 0.2]}\n"
      "  ball: {shape: {sphere: {radius: 0.1}}, mass: 0.4, inertia: [1.6e-3, 1.7e-3, 1.8e-3]}\n"
      "joints:\n  rail:\n    type: slider\n    parent: world\n    child: box\n"
      "    parent_frame: {point: [0, 0, 0], axis: [1, 0, 0], zero: [0, 0, 1]}\n"
      "    child_frame: {point: [0, 0, 0], axis: [1, 0, 0], zero: [0, 0, 1]}\n" +
          kSoft +
          "contact: {friction: 0.2}\ninitial:\n  rail: {angle: 0, rate: 0.1}\n  ball: {position: [0.03, 0.02, 0.15], "
          "velocity: [1, 0.4, 0]}\nsimulation: {method: spook, options: {contact_compliance: 1.0e-4}}\n",
      "pair");
  CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-5, 6,
                     [](const StepResult& step) { EXPECT_FALSE(step.contacts.empty()); });
}

}  // namespace
}  // namespace ricochet
