// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Coulomb torques and air drag against closed forms, in minimal coordinates and in `spook`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "dynamics/tree/tree_flow.h"
#include "steppers/spook/spook.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

struct Flow {
  Scene scene;
  Model model;
  TreeMechanism mechanism;
  TreeConstants<double> constants;
  FlowOptions options;

  explicit Flow(Scene from)
      : scene(std::move(from)),
        model(CompileModel(scene)),
        mechanism(model),
        constants(mechanism.Constants<double>(model.spatial)) {
    options.tolerance = 1e-12;
    options.slides.assign(static_cast<std::size_t>(mechanism.dof()), 1);
  }

  TreeFlow::End Run(const TreeMechanism::Vector& x, const TreeMechanism::Vector& r, double duration,
                    const std::function<void(const FlowPiece&)>& piece = nullptr) const {
    TreeFlow::End end;
    EXPECT_TRUE(TreeFlow(mechanism, constants, {}, options).Run(x, r, 0, duration, InputSignal(), false, piece, end));
    return end;
  }
};

constexpr double kMass = 0.3, kReach = 0.2, kGravity = 9.81;

/// A rod of 0.3 kg whose center of mass is 0.2 m below a hinge along y.
Scene Rod(const std::string& joint, const std::string& body = "", const std::string& options = "") {
  return ParseScene(
      fmt::format("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  rod:\n    mass: 0.3\n    inertia: "
                  "[4.0e-3, 4.0e-3, 1.0e-3]\n{}joints:\n  pivot:\n    type: hinge\n    parent: world\n    child: rod\n"
                  "    parent_frame: {{point: [0, 0, 0], axis: [0, 1, 0], zero: [0, 0, 1]}}\n"
                  "    child_frame: {{point: [0, 0, 0.2], axis: [0, 1, 0], zero: [0, 0, 1]}}\n{}"
                  "initial:\n  pivot: {{angle: 1.2, rate: 0}}\nsimulation: {{method: spook, step: 1.0e-3{}}}\n",
                  body, joint, options),
      "rod");
}

/// A body of 0.3 kg that falls along a vertical slider.
Scene Faller(const std::string& joint, const std::string& body) {
  return ParseScene(
      fmt::format(
          "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  stone:\n    mass: 0.3\n    inertia: "
          "[1.0e-3, 1.0e-3, 1.0e-3]\n{}joints:\n  shaft:\n    type: slider\n    parent: world\n    child: stone\n"
          "    parent_frame: {{point: [0, 0, 0], axis: [0, 0, -1], zero: [1, 0, 0]}}\n"
          "    child_frame: {{point: [0, 0, 0], axis: [0, 0, -1], zero: [1, 0, 0]}}\n{}"
          "initial:\n  shaft: {{angle: 0, rate: 0}}\nsimulation: {{method: spook, step: 1.0e-3}}\n",
          body, joint),
      "faller");
}

/// Half a swing from x0 to x1 loses coulomb (|x0| + |x1|), whatever the amplitude.
TEST(CoulombTorque, APendulumLosesItTimesTheAnglePerHalfSwing) {
  const double coulomb = 0.02;
  const Flow flow(Rod(fmt::format("    coulomb: {}\n", coulomb)));
  std::vector<double> turns;
  flow.Run({1.2}, {0}, 12, [&](const FlowPiece& piece) {
    if (std::abs(piece.r1[0]) < 1e-9) turns.push_back(piece.x1[0]);
  });
  ASSERT_GE(turns.size(), 8u);
  double from = 1.2;
  int swings = 0;
  for (const double to : turns) {
    if (std::abs(to - from) < 1e-9) continue;
    const double height = kMass * kGravity * kReach * (std::cos(to) - std::cos(from));
    EXPECT_NEAR(height, coulomb * std::abs(to - from), 1e-8) << "from " << from << " to " << to;
    from = to;
    ++swings;
  }
  EXPECT_GE(swings, 8);
  // It stops for good where gravity no longer moves it.
  EXPECT_LE(kMass * kGravity * kReach * std::abs(std::sin(from)), coulomb);
}

TEST(CoulombTorque, ASliderAcceleratesByTheRest) {
  const Flow flow(Faller("    coulomb: 1.2\n", ""));
  EXPECT_NEAR(flow.Run({0}, {0}, 2).x[0], 0.5 * (kGravity - 1.2 / kMass) * 4, 1e-9);
  const Flow held(Faller("    coulomb: 3\n", ""));  // more than its weight of 2.943 N
  EXPECT_EQ(held.Run({0.1}, {0}, 2).x[0], 0.1);
}

TEST(AirDrag, AFallingBodyFollowsTheClosedForms) {
  const double t = 1.5;
  const Flow linear(Faller("", "    drag: {linear: 0.4}\n"));
  EXPECT_NEAR(linear.Run({0}, {0}, t).r[0], kMass * kGravity / 0.4 * (1 - std::exp(-0.4 / kMass * t)), 1e-9);
  const Flow quadratic(Faller("", "    drag: {quadratic: 0.2}\n"));
  const double limit = std::sqrt(kMass * kGravity / 0.2);
  EXPECT_NEAR(quadratic.Run({0}, {0}, t).r[0], limit * std::tanh(kGravity * t / limit), 1e-9);
}

TEST(AirDrag, APendulumLosesThePowerOfTheDrag) {
  const Flow flow(Rod("", "    drag: {linear: 0.05, quadratic: 0.1}\n"));
  const double inertia = 4e-3 + kMass * kReach * kReach;
  const auto energy = [&](double x, double r) {
    return 0.5 * inertia * r * r - kMass * kGravity * kReach * std::cos(x);
  };
  TreeWorkspace ws;
  TreeMechanism::Modes modes;
  modes.fill(1);
  for (const double r : {-3.0, 0.7, 5.0}) {
    const double x = 0.4, speed = std::abs(r) * kReach;
    TreeMechanism::Vector at{x}, rate{r}, a{};
    flow.mechanism.Accelerate(flow.constants, at.data(), rate.data(), {}, modes, a.data(), ws);
    const double power = inertia * r * a[0] + kMass * kGravity * kReach * std::sin(x) * r;
    EXPECT_NEAR(power, -(0.05 + 0.1 * speed) * speed * speed, 1e-12);
  }
  EXPECT_LT(energy(flow.Run({1.2}, {0}, 3).x[0], flow.Run({1.2}, {0}, 3).r[0]), energy(1.2, 0));
}

/// Largest difference of the angles of `spook` from the exact motion.
double DifferenceOfSpook(const Scene& scene, double h, double duration, double* unbalanced = nullptr) {
  const Flow flow(scene);
  const auto workspace = Spook().MakeWorkspace(flow.model);
  State state = InitialState(flow.model);
  StepResult step;
  double worst = 0, dissipated = 0;
  const Energy before = ComputeEnergy(flow.model, state);
  TreeMechanism::Vector x{}, r{};
  const double start = scene[scene.Find("initial.pivot.angle")];
  x[0] = start;
  for (int k = 1; k * h < duration + 0.5 * h; ++k) {
    Spook().Step(flow.model, state, {}, h, *workspace, step);
    EXPECT_EQ(step.status, StepStatus::kSolved);
    state = step.end;
    dissipated += step.dissipated;
    const double angle = std::atan2(-state.q[0], -state.q[2]);
    worst = std::max(worst, std::abs(angle - flow.Run(x, r, k * h).x[0]));
  }
  const Energy after = ComputeEnergy(flow.model, state);
  if (unbalanced) *unbalanced = before.kinetic + before.potential - after.kinetic - after.potential - dissipated;
  return worst;
}

TEST(CoulombTorque, SpookApproachesTheMotionAsTheStepShrinks) {
  for (const char* body : {"", "    drag: {linear: 0.05, quadratic: 0.1}\n"}) {
    const std::string joint = "    compliance: {linear: 1.0e-9, angular: 1.0e-9}\n    coulomb: 0.02\n";
    const Scene scene = Rod(joint, body);
    const double coarse = DifferenceOfSpook(scene, 4e-3, 0.6), fine = DifferenceOfSpook(scene, 1e-3, 0.6);
    EXPECT_LT(fine, 0.35 * coarse);
    EXPECT_LT(fine, 5e-3);
    // Before the first turn the motion is smooth, and order 2 shows.
    const Scene second = Rod(joint, body, ", options: {order: 2}");
    double lost = 0;
    const double coarse_second = DifferenceOfSpook(second, 4e-3, 0.3),
                 fine_second = DifferenceOfSpook(second, 1e-3, 0.3, &lost);
    EXPECT_LT(fine_second, 0.12 * coarse_second);
    EXPECT_LT(fine_second, 1e-5);
    EXPECT_NEAR(lost, 0, 1e-5);
  }
}

TEST(CoulombTorque, SpookHoldsAJointThatItsTorqueCanHold) {
  Scene scene = Rod("    compliance: {linear: 1.0e-9, angular: 1.0e-9}\n    coulomb: 0.6\n");
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  const State start = InitialState(model);
  State state = start;
  StepResult step;
  for (int k = 0; k < 200; ++k) {
    Spook().Step(model, state, {}, 1e-3, *workspace, step);
    state = step.end;
  }
  EXPECT_LT((state.q - start.q).norm(), 1e-6);
}

}  // namespace
}  // namespace ricochet
