// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What each joint type does in a simulation, against motions that are known otherwise: a driven slider and a stopped
// one, friction on a slope, a ball that swings like a hinge, bodies fixed together, Cardan's error of a universal
// joint, a pendulum on a distance, and angles over several turns.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dynamics/joint_angle.h"
#include "dynamics/kinematics.h"
#include "ricochet/simulate.h"
#include "steppers/spook/spook.h"
#include "tests/support/mechanisms.h"
#include "tests/support/spook_walk.h"

namespace ricochet {
namespace {

using testing::Walk;

constexpr const char* kHead = "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n";
constexpr const char* kTail = "simulation: {method: spook, step: 1.0e-3, duration: 1}\n";
constexpr const char* kStiff = "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n";

/// A body of 2 kg on a slider from the world along `axis`.
Scene Slider(const std::string& axis, const std::string& zero, const std::string& extra) {
  return ParseScene(std::string(kHead) +
                        "bodies:\n  b: {mass: 2, inertia: [1.0e-2, 2.0e-2, 1.5e-2]}\njoints:\n  s:\n    type: slider\n"
                        "    parent: world\n    child: b\n    parent_frame: {point: [0, 0, 0], axis: " +
                        axis + ", zero: " + zero + "}\n    child_frame: {point: [0, 0, 0], axis: " + axis +
                        ", zero: " + zero + "}\n" + kStiff + extra + "initial:\n  s: {angle: 0, rate: 0}\n" + kTail,
                    "slider");
}

// m x'' = -m g + k (target - x): about target - m g / k with the rate sqrt(k / m).
TEST(SpookJoints, ADrivenSliderOscillatesAboutWhereTheSpringCarriesIt) {
  const Model model =
      CompileModel(Slider("[0, 0, 1]", "[1, 0, 0]", "    drive: {stiffness: 50, damping: 0, target: 0.3}\n"));
  const double middle = 0.3 - 2 * 9.81 / 50;
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 2e-4 : 1e-4;
    const State end = Walk(model, h, static_cast<int>(std::lround(1 / h)));
    errors[i] = std::abs(ReadJoint(model, end, 0).coordinate - middle * (1 - std::cos(std::sqrt(50.0 / 2))));
  }
  EXPECT_LT(errors[1], 5e-4);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.2) << "order 1";
}

TEST(SpookJoints, ADamperDrivesASliderAtItsRate) {
  const Model model = CompileModel(Slider("[0, 1, 0]", "[1, 0, 0]", "    drive: {damping: 40, rate: 0.7}\n"));
  const State end = Walk(model, 1e-3, 1000);
  EXPECT_NEAR(ReadJoint(model, end, 0).rate, 0.7 * (1 - std::exp(-20)), 1e-6);
}

TEST(SpookJoints, ASliderRestsOnItsLimit) {
  const Model model = CompileModel(Slider("[0, 0, 1]", "[1, 0, 0]", "    limits: {lower: -0.05, upper: 1}\n"));
  double deepest = 0;
  const State end = Walk(model, 1e-3, 1000, [&](const StepResult& step) {
    const State& state = step.end;
    deepest = std::min(deepest, ReadJoint(model, state, 0).coordinate);
  });
  EXPECT_NEAR(ReadJoint(model, end, 0).coordinate, -0.05, 1e-5);
  EXPECT_NEAR(ReadJoint(model, end, 0).rate, 0, 1e-6);
  EXPECT_GT(deepest, -0.05 - 1e-3);
  EXPECT_LT(end.q.segment<2>(0).norm() + end.q.segment<3>(4).norm(), 1e-9) << "neither aside nor turned";
}

// Begun at the limit, at rest: gap and rates are zero up to rounding from the first step on, and the limit carries all.
TEST(SpookJoints, ASliderThatBeginsOnItsLimitStaysThere) {
  for (const char* lower : {"0", "-1.0e-17", "1.0e-17"}) {
    const Model model =
        CompileModel(Slider("[0, 0, 1]", "[1, 0, 0]", std::string("    limits: {lower: ") + lower + ", upper: 1}\n"));
    const State end = Walk(model, 1e-3, 1000);
    EXPECT_NEAR(ReadJoint(model, end, 0).coordinate, 0, 1e-6) << lower;
    EXPECT_NEAR(ReadJoint(model, end, 0).rate, 0, 1e-9) << lower;
  }
}

// On a slope of 30 degrees: held for mu > tan 30, else x'' = g (sin - mu cos).
TEST(SpookJoints, DryFrictionOfASliderOnASlope) {
  const double slope = M_PI / 6, c = std::cos(slope), s = std::sin(slope);
  for (const double mu : {0.3, 0.6}) {
    const Model model =
        CompileModel(Slider(fmt::format("[{:.17g}, 0, {:.17g}]", c, -s), fmt::format("[{:.17g}, 0, {:.17g}]", s, c),
                            fmt::format("    dry: {{radius: 0.1, friction: {}, norm: euclidean}}\n", mu)));
    const State end = Walk(model, 1e-4, 5000);
    const double expected = mu > std::tan(slope) ? 0 : 0.5 * 9.81 * (s - mu * c) * 0.25;
    EXPECT_NEAR(ReadJoint(model, end, 0).coordinate, expected, mu > std::tan(slope) ? 1e-12 : 5e-4) << mu;
  }
}

constexpr const char* kRod = "bodies:\n  rod: {mass: 0.4, inertia: [1.0e-4, 4.0e-3, 4.0e-3]}\n";

// A ball joint keeps a symmetric rod in the plane in which it was released, where it moves like a hinge.
TEST(SpookJoints, ABallSwingsLikeAHingeInAPlane) {
  const Scene hinge = ParseScene(std::string(kHead) + kRod +
                                     "joints:\n  j:\n    type: hinge\n    parent: world\n    child: rod\n"
                                     "    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [0, 0, -1]}\n"
                                     "    child_frame: {point: [-0.2, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n" +
                                     kStiff + "    viscous: 1.0e-3\ninitial:\n  j: {angle: 0.9, rate: 0}\n" + kTail,
                                 "hinge");
  const Model with_hinge = CompileModel(hinge);
  double pose[7];
  BodyPose(with_hinge, InitialState(with_hinge), 0, pose);
  const Scene ball = ParseScene(
      std::string(kHead) + kRod +
          "joints:\n  j:\n    type: ball\n    parent: world\n    child: rod\n    parent_frame: {point: [0, 0, 0]}\n"
          "    child_frame: {point: [-0.2, 0, 0]}\n" +
          kStiff +
          fmt::format("    viscous: 1.0e-3\ninitial:\n  rod: {{position: [{:.17g}, {:.17g}, {:.17g}], orientation: "
                      "[{:.17g}, {:.17g}, {:.17g}, {:.17g}]}}\n",
                      pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6]) +
          kTail,
      "ball");
  const Model with_ball = CompileModel(ball);
  const State a = Walk(with_hinge, 1e-3, 1000), b = Walk(with_ball, 1e-3, 1000);
  EXPECT_LT((a.q - b.q).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((a.v - b.v).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_GT(a.v.norm(), 0.1);
}

// Two bodies fixed together, thrown: one rigid body with the sum of masses and the moments by Steiner's theorem.
TEST(SpookJoints, FixedBodiesMoveAsOne) {
  const std::string throwing = "velocity: [0.3, 0.2, 1], angular_velocity: [2, 1, 3]";
  const Scene two = ParseScene(
      std::string(kHead) +
          "bodies:\n  a: {mass: 1, inertia: [2.0e-3, 3.0e-3, 4.0e-3]}\n  b: {mass: 1, inertia: [2.0e-3, 3.0e-3, "
          "4.0e-3]}\njoints:\n  j:\n    type: fixed\n    parent: a\n    child: b\n    parent_frame: {point: [0.1, 0, "
          "0]}\n    child_frame: {point: [-0.1, 0, 0]}\n" +
          kStiff +
          // v = v_cm + w x r of both centers, which are 0.1 m from the common one.
          "initial:\n  a: {position: [-0.1, 0, 0], velocity: [0.3, -0.1, 1.1], angular_velocity: [2, 1, 3]}\n"
          "  b: {position: [0.1, 0, 0], velocity: [0.3, 0.5, 0.9], angular_velocity: [2, 1, 3]}\n" +
          kTail,
      "two");
  const Scene one = ParseScene(std::string(kHead) +
                                   "bodies:\n  c: {mass: 2, inertia: [4.0e-3, 2.6e-2, 2.8e-2]}\ninitial:\n  c: "
                                   "{position: [0, 0, 0], " +
                                   throwing + "}\n" + kTail,
                               "one");
  const Model with_two = CompileModel(two), with_one = CompileModel(one);
  const State c = Walk(with_one, 1e-4, 5000);
  const State ab = Walk(with_two, 1e-4, 5000);
  const Eigen::Vector3d center = 0.5 * (ab.q.segment<3>(0) + ab.q.segment<3>(7));
  EXPECT_LT((center - c.q.head<3>()).norm(), 1e-6);
  EXPECT_NEAR((ab.q.segment<3>(0) - ab.q.segment<3>(7)).norm(), 0.2, 1e-5);
  EXPECT_LT((ab.q.segment<4>(3) - ab.q.segment<4>(10)).norm(), 1e-5) << "same orientation";
  EXPECT_LT((ab.q.segment<4>(3) - c.q.segment<4>(3)).norm(), 2e-3);
}

// Two shafts at 40 degrees, the first turned steadily: tan(second) = cos(40 deg) tan(first).
TEST(SpookJoints, AUniversalJointHasCardansError) {
  const double bend = 40 * M_PI / 180, c = std::cos(bend), s = std::sin(bend);
  const std::string shaft = "{mass: 0.5, inertia: [1.0e-3, 2.0e-3, 2.0e-3]}\n";
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, 0]\nbodies:\n  a: " + shaft + "  b: " + shaft +
          "joints:\n  ha:\n    type: hinge\n    parent: world\n    child: a\n"
          "    parent_frame: {point: [-0.1, 0, 0], axis: [1, 0, 0], zero: [0, 0, 1]}\n"
          "    child_frame: {point: [0, 0, 0], axis: [1, 0, 0], zero: [0, 0, 1]}\n" +
          kStiff + "    drive: {damping: 5, rate: 3}\n" +
          fmt::format("  hb:\n    type: hinge\n    parent: world\n    child: b\n"
                      "    parent_frame: {{point: [{0:.17g}, {1:.17g}, 0], axis: [{2:.17g}, {3:.17g}, 0], zero: [0, 0, "
                      "1]}}\n    child_frame: {{point: [0, 0, 0], axis: [1, 0, 0], zero: [0, 0, 1]}}\n",
                      0.1 * c, 0.1 * s, c, s) +
          kStiff +
          "  u:\n    type: universal\n    parent: a\n    child: b\n    parent_frame: {point: [0.1, 0, 0], axis: [0, 0, "
          "1]}\n    child_frame: {point: [-0.1, 0, 0], axis: [0, 1, 0]}\n" +
          kStiff + "initial:\n  ha: {angle: 0, rate: 3}\n" + kTail,
      "cardan");
  const Model model = CompileModel(scene);
  double worst = 0, largest = 0;
  Walk(model, 1e-3, 1500, [&](const StepResult& step) {
    const State& state = step.end;
    const double first = ReadJoint(model, state, 0).coordinate, second = ReadJoint(model, state, 1).coordinate;
    const double expected = std::atan2(c * std::sin(first), std::cos(first));
    worst = std::max(worst, std::abs(std::remainder(second - expected, 2 * M_PI)));
    largest = std::max(largest, std::abs(std::remainder(second - first, 2 * M_PI)));
  });
  EXPECT_LT(worst, 1e-4);
  EXPECT_GT(largest, 0.1) << "the shafts do not turn alike";
}

// A ball whose center is held at 0.5 m from a point: the mathematical pendulum.
TEST(SpookJoints, ADistanceMakesAMathematicalPendulum) {
  const double length = 0.5, start = 1.0;
  const Scene scene = ParseScene(
      std::string(kHead) + "bodies:\n  b: {mass: 0.3, inertia: [1.0e-3, 1.0e-3, 1.0e-3]}\njoints:\n  d:\n    type: " +
          "distance\n    parent: world\n    child: b\n    parent_frame: {point: [0, 0, 0]}\n    child_frame: {point: " +
          "[0, 0, 0]}\n    length: 0.5\n" + kStiff +
          fmt::format("initial:\n  b: {{position: [{:.17g}, 0, {:.17g}]}}\n", length * std::sin(start),
                      -length * std::cos(start)) +
          kTail,
      "distance");
  const Model model = CompileModel(scene);
  double angle = start, rate = 0;
  const auto pull = [&](double x) { return -9.81 / length * std::sin(x); };
  for (int k = 0; k < 10000; ++k) {
    // Leapfrog at 1e-4 s: errors of 1e-8.
    rate += 0.5e-4 * pull(angle);
    angle += 1e-4 * rate;
    rate += 0.5e-4 * pull(angle);
  }
  double errors[2], stretched = 0;
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 1e-3 : 5e-4;
    const State end = Walk(model, h, static_cast<int>(std::lround(1 / h)), [&](const StepResult& step) {
      const State& state = step.end;
      stretched = std::max(stretched, std::abs(state.q.head<3>().norm() - length));
    });
    errors[i] = std::abs(std::atan2(end.q[0], -end.q[2]) - angle);
  }
  EXPECT_LT(stretched, 1e-4);
  EXPECT_LT(errors[0], 2e-2);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.3) << "order 1";
}

// An observed angle counts turns.
TEST(SpookJoints, AnObservedAngleCountsTurns) {
  Scene scene = ParseScene(std::string(kHead) + kRod +
                               "joints:\n  j:\n    type: hinge\n    parent: world\n    child: rod\n"
                               "    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
                               "    child_frame: {point: [-0.2, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n" +
                               kStiff + "initial:\n  j: {angle: 0.5, rate: -12}\nobserve: [j.angle]\n" + kTail,
                           "turns");
  SimulateOptions options;
  options.step = 5e-4;
  options.duration = 2;
  const SimulationResult run = Simulate(scene, options);
  const auto& angle = run.recording.values[run.recording.Find("j.angle")];
  EXPECT_NEAR(angle.back(), 0.5 - 24, 0.1) << "almost four turns";
  for (size_t i = 1; i < angle.size(); ++i) ASSERT_NEAR(angle[i] - angle[i - 1], angle[1] - angle[0], 1e-3);
}

}  // namespace
}  // namespace ricochet
