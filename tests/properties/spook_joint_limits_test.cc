// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Limits and drives of ball, universal and distance joints, and limits and contacts at order 2: where they hold, what
// motion they leave, derivatives, and the inverse of the step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dynamics/joints/limit_part.h"
#include "dynamics/kinematics.h"
#include "steppers/spook/spook.h"
#include "steppers/spook/spook_inverse.h"
#include "tests/support/spook_derivative_check.h"
#include "tests/support/spook_walk.h"

namespace ricochet {
namespace {

using testing::Walk;

constexpr const char* kStiffLimit = "    compliance: {linear: 1.0e-8, angular: 1.0e-8}\n    damping: 0.02\n";
constexpr const char* kSoft = "    compliance: {linear: 1.0e-5, angular: 2.0e-5}\n    damping: 0.02\n";

/// One body on a joint from the world's origin; the joint's point is `arm` from its center of mass.
Scene OneBody(const std::string& joint, const std::string& child, const std::string& initial,
              const std::string& gravity = "[0, 0, -9.81]", const std::string& simulation = "",
              const std::string& actions = "", const std::string& parent = "axis: [0, 0, 1], zero: [1, 0, 0]") {
  return ParseScene("ricochet: 1\nspace: spatial\ngravity: " + gravity +
                        "\nbodies:\n  b: {mass: 0.4, inertia: [2.0e-3, 3.0e-3, 4.0e-3]}\njoints:\n  j:\n    parent: "
                        "world\n    child: b\n    parent_frame: {point: [0, 0, 0], " +
                        parent + "}\n    child_frame: " + child + "\n" + joint +
                        (initial.empty() ? "" : "initial:\n  b: {" + initial + "}\n") + actions +
                        "simulation: {method: spook, step: 1.0e-3, duration: 1" + simulation + "}\n",
                    "joint");
}

JointMotions<double> Limited(const Model& model, const State& state) {
  const auto q = state.q.head<7>();
  const MassPose<double> pose{q.head<3>(), RotationMatrix<double>(q.tail<4>())};
  const SpatialJoint<double>& joint = model.spatial.joints[0];
  return LimitedMotionsOf<double>(joint, FramesOf<double>(model.spatial, joint, {}, pose));
}

// A rod along the axis of its frame, pulled aside by gravity: it falls to the cone and rests there.
TEST(SpookJointLimits, TheSwingOfABallEndsOnItsCone) {
  const Model model = CompileModel(
      OneBody(std::string("    type: ball\n    viscous: 0.02\n    limits: {swing: 0.6}\n") + kStiffLimit,
              "{point: [0, 0, -0.2], axis: [0, 0, 1], zero: [1, 0, 0]}", "position: [0, 0, 0.2]", "[3, 1, -9.81]"));
  double most = 0;
  const State end = Walk(model, 1e-3, 5000, [&](const StepResult& step) {
    most = std::max(most, Limited(model, step.end).motion[0].coordinate);
  });
  EXPECT_LT(most, 0.6 + 1e-3);
  EXPECT_NEAR(Limited(model, end).motion[0].coordinate, 0.6, 1e-5);
  EXPECT_LT(end.v.norm(), 1e-2) << "at rest, along the pull";
  EXPECT_NEAR(std::atan2(end.q[1], end.q[0]), std::atan2(1, 3), 1e-2);
}

TEST(SpookJointLimits, TheTwistOfABallEndsAtItsLimits) {
  for (const double torque : {0.02, -0.02}) {
    const Model model =
        CompileModel(OneBody(std::string("    type: ball\n    limits: {lower: -0.4, upper: 0.7}\n") + kStiffLimit,
                             "{point: [0, 0, -0.2], axis: [0, 0, 1], zero: [1, 0, 0]}", "position: [0, 0, 0.2]",
                             "[0, 0, 0]", "", fmt::format("actions:\n  - {{body: b, torque: [0, 0, {}]}}\n", torque)));
    const State end = Walk(model, 1e-3, 2000);
    EXPECT_NEAR(Limited(model, end).motion[1].coordinate, torque > 0 ? 0.7 : -0.4, 1e-5);
    EXPECT_NEAR(end.v[5], 0, 1e-6);
  }
}

// About a principal axis I x'' = -k x; damping 0: x = x0 cos(sqrt(k / I) t), order 1 in h.
TEST(SpookJointLimits, ADrivenBallOscillatesLikeATorsionSpring) {
  const Model model = CompileModel(
      OneBody(std::string("    type: ball\n    drive: {stiffness: 0.3}\n") + kStiffLimit,
              "{point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}",
              fmt::format("position: [0, 0, 0], orientation: [{:.17g}, 0, {:.17g}, 0]", std::cos(0.4), std::sin(0.4)),
              "[0, 0, 0]"));
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 2e-4 : 1e-4;
    const State end = Walk(model, h, static_cast<int>(std::lround(0.5 / h)));
    const double angle = 2 * std::atan2(end.q[5], end.q[3]);
    errors[i] = std::abs(angle - 0.8 * std::cos(std::sqrt(0.3 / 3e-3) * 0.5));
    EXPECT_LT(std::hypot(end.q[4], end.q[6]), 1e-9) << "about one axis";
  }
  EXPECT_LT(errors[1], 5e-3);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.2);
}

constexpr const char* kCross = "{point: [0, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}";

TEST(SpookJointLimits, AUniversalJointIsDrivenToBothAngles) {
  const Model model = CompileModel(
      OneBody(std::string("    type: universal\n    drive: {stiffness: 0.5, damping: 0.08, target: [0.5, -0.3]}\n") +
                  kStiffLimit,
              kCross, "position: [0, 0, 0]", "[0, 0, 0]"));
  const auto at_start = Limited(model, InitialState(model));
  EXPECT_NEAR(at_start.motion[0].coordinate, 0, 1e-14);
  EXPECT_NEAR(at_start.motion[1].coordinate, 0, 1e-14);
  const State end = Walk(model, 1e-3, 4000);
  EXPECT_NEAR(Limited(model, end).motion[0].coordinate, 0.5, 1e-6);
  EXPECT_NEAR(Limited(model, end).motion[1].coordinate, -0.3, 1e-6);
}

TEST(SpookJointLimits, AUniversalJointStopsAtBothAngles) {
  const Model model = CompileModel(
      OneBody(std::string("    type: universal\n    viscous: 0.01\n    limits: {lower: [-0.2, -0.5], upper: [0.6, "
                          "0.4]}\n") +
                  kStiffLimit,
              kCross, "position: [0, 0, 0]", "[0, 0, 0]", "", "actions:\n  - {body: b, torque: [-0.03, 0, 0.02]}\n"));
  const State end = Walk(model, 1e-3, 4000, [&](const StepResult& step) {
    const auto at = Limited(model, step.end);
    EXPECT_LT(at.motion[0].coordinate, 0.6 + 1e-3);
    EXPECT_GT(at.motion[1].coordinate, -0.5 - 1e-3);
  });
  EXPECT_NEAR(Limited(model, end).motion[0].coordinate, 0.6, 1e-5);
  EXPECT_NEAR(Limited(model, end).motion[1].coordinate, -0.5, 1e-5);
}

constexpr const char* kCenter = "{point: [0, 0, 0]}";

// A ball on a rope falls freely until it is taut, then hangs.
TEST(SpookJointLimits, ARopeHoldsOnlyWhenTaut) {
  for (const int order : {1, 2}) {
    const Model model = CompileModel(
        OneBody(std::string("    type: distance\n    limits: {upper: 0.5}\n") + kStiffLimit, kCenter,
                "position: [0, 0, -0.1]", "[0, 0, -9.81]", fmt::format(", options: {{order: {}}}", order)));
    const double taut = std::sqrt(2 * 0.4 / 9.81);
    double worst = 0, longest = 0;
    const State end = Walk(model, 1e-3, 2000, [&](const StepResult& step) {
      const double t = step.end.time;
      if (t < taut - 2e-3) worst = std::max(worst, std::abs(step.end.q[2] - (-0.1 - 0.5 * 9.81 * t * t)));
      longest = std::max(longest, step.end.q.head<3>().norm());
    });
    EXPECT_LT(worst, order == 1 ? 2e-3 : 1e-12) << "free fall: exact at order 2";
    EXPECT_LT(longest, 0.5 + 1e-4);
    EXPECT_NEAR(end.q[2], -0.5, 1e-5);
    EXPECT_NEAR(end.v[2], 0, 1e-6);
  }
}

TEST(SpookJointLimits, AStrutPushesOnlyWhenShort) {
  const Model model = CompileModel(OneBody(std::string("    type: distance\n    limits: {lower: 0.3}\n") + kStiffLimit,
                                           kCenter, "position: [0, 0, 0.5]"));
  const State end =
      Walk(model, 1e-3, 1000, [&](const StepResult& step) { EXPECT_GT(step.end.q.head<3>().norm(), 0.3 - 1e-4); });
  EXPECT_NEAR(end.q[2], 0.3, 1e-5);
}

// m x'' = m g - k (x - rest): the spring of a distance.
TEST(SpookJointLimits, ADistanceWithADriveIsASpring) {
  const Model model =
      CompileModel(OneBody(std::string("    type: distance\n    drive: {stiffness: 30, target: 0.5}\n") + kStiffLimit,
                           kCenter, "position: [0, 0, -0.5]"));
  const double carried = 0.4 * 9.81 / 30;
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    const double h = i == 0 ? 2e-4 : 1e-4;
    const State end = Walk(model, h, static_cast<int>(std::lround(1 / h)));
    errors[i] = std::abs(-end.q[2] - (0.5 + carried * (1 - std::cos(std::sqrt(30 / 0.4)))));
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.3);
}

/// Scenes that gravity, a torque and drives press against limits; joints place the body where they can.
std::vector<Scene> Pressed(const char* compliance) {
  return {
      OneBody(std::string("    type: ball\n    viscous: 2.0e-3\n    limits: {swing: 0.5, lower: -0.3, upper: 0.28}\n"
                          "    drive: {stiffness: 0.1, damping: 0.01}\n") +
                  compliance,
              "{point: [0.01, 0.02, -0.2], axis: [0, 0, 1], zero: [1, 0, 0]}", "", "[3, 1, -9.81]", "",
              "actions:\n  - {body: b, torque: [0, 0, 0.08]}\n"),
      OneBody(
          std::string("    type: universal\n    viscous: 2.0e-3\n    limits: {lower: [-0.4, -0.5], upper: [0.25, "
                      "0.3]}\n    drive: {stiffness: 0.2, damping: 0.01, target: [0.1, -0.1], rate: [0.2, 0.1]}\n") +
              compliance,
          "{point: [0.05, 0.02, -0.1], axis: [1, 0, 0], zero: [0, 0, -1]}", "", "[2, -3, -5]"),
      OneBody(std::string("    type: distance\n    viscous: 0.2\n    limits: {lower: 0.1, upper: 0.22}\n    drive: "
                          "{stiffness: 5, damping: 0.1, target: 0.3, rate: 0.1}\n") +
                  compliance,
              "{point: [0.02, 0.01, 0]}",
              "position: [0.1, 0.05, -0.18], velocity: [0.1, 0.1, 0.1], orientation: [0.95, 0.1, -0.2, 0.15], "
              "angular_velocity: [0.3, -0.2, 0.4]")};
}

// Multipliers of joints, and with them those of limits, from the states of a step alone.
TEST(SpookJointLimits, InverseOfForward) {
  for (const Scene& scene : Pressed(kSoft)) {
    const Model model = CompileModel(scene);
    SpookWorkspace workspace(model);
    SpookInverse inverse;
    int held = 0;
    Walk(model, 2e-3, 300, [&](const StepResult& step) {
      InvertSpookStep(model, step.start, step.end.v, {}, 2e-3, {}, workspace, inverse);
      if (inverse.had_impact) return;
      for (const Eigen::Vector3d& impulse : inverse.unilateral_impulse) held += impulse[0] > 0;
      const double scale = std::max(1e-3, step.multipliers.size() ? step.multipliers.cwiseAbs().maxCoeff() : 0);
      if (step.multipliers.size() > 0) {
        ASSERT_LE((inverse.lambda - step.multipliers).cwiseAbs().maxCoeff(), 1e-9 * scale);
      }
      ASSERT_LE(inverse.residual.cwiseAbs().maxCoeff(), 1e-9 * scale) << step.start.time;
    });
    EXPECT_GT(held, 20) << "limits held";
  }
}

TEST(SpookJointLimits, DerivativesByEveryNumber) {
  for (const Scene& scene : Pressed("    compliance: {linear: 1.0e-3, angular: 5.0e-3}\n    damping: 0.01\n")) {
    for (const int later : {3, 200}) {
      SCOPED_TRACE(fmt::format("type {}, {} steps", static_cast<int>(scene.joints[0].type), later));
      CheckStepByNumbers(scene, NumbersOfStep(scene), 1e-5, later, [](const StepResult&) {});
    }
  }
}

// At order 2 a pendulum moves at order 2 until it is stopped; the step that meets the limit is one of order 1.
TEST(SpookJointLimits, OrderTwoUntilALimitIsMet) {
  const auto scene = [](const char* limits) {
    return OneBody(std::string("    type: ball\n") + limits, "{point: [0, 0, -0.2], axis: [0, 0, 1], zero: [1, 0, 0]}",
                   "position: [0, 0, 0.2]", "[3, 1, -9.81]", ", options: {order: 2}");
  };
  const Model free = CompileModel(scene("")), stopped = CompileModel(scene("    limits: {swing: 0.6}\n"));
  const auto workspace = Spook().MakeWorkspace(free);
  StepResult step;
  State state = InitialState(free);
  int alike = 0, stops = 0;
  Walk(stopped, 1e-3, 1000, [&](const StepResult& with) {
    EXPECT_LT(Limited(stopped, with.end).motion[0].coordinate, 0.6 + 1e-3);
    if (stops > 0) return;
    Spook().Step(free, state, {}, 1e-3, *workspace, step);
    state = step.end;
    stops += (with.end.q - state.q).norm() > 0;
    alike += stops == 0;
  });
  EXPECT_GT(alike, 100);
  EXPECT_EQ(stops, 1);
  CheckStepByNumbers(scene("    limits: {swing: 0.6}\n"), {}, 1e-6, 3, [](const auto&) {});
}

}  // namespace
}  // namespace ricochet
