// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Motion with exact flights and located impacts: against closed form, against an independent simulator, against itself
// with other steps, and its smoothness in the start.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "rollout/rollout.h"
#include "tests/support/box_world.h"

namespace ricochet {
namespace {

using testing::BoxState;
using testing::BoxWorld;

Scene BoxScene(const BoxWorld& world, const std::string& more = "") {
  return ParseScene(fmt::format("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                                "  box: {{shape: {{box: {{size: [{}, {}, {}]}}}}, mass: 1, inertia: [{}, {}, {}]}}\n{}"
                                "surfaces:\n  table: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\n"
                                "contact: {{friction: {}, restitution: {}}}\n"
                                "simulation: {{method: moreau, step: 1e-3, duration: 1}}\n",
                                world.size[0], world.size[1], world.size[2], world.inertia[0], world.inertia[1],
                                world.inertia[2], more, world.friction, world.restitution),
                    "box.yaml");
}

constexpr double kUntil = 0.212;  // [s], after the first impact and before the second

BoxWorld World(double friction, double restitution) {
  BoxWorld world;
  world.size = {0.2, 0.12, 0.09};
  world.inertia = testing::UniformInertia(world.size);
  world.friction = friction;
  world.restitution = restitution;
  return world;
}

BoxState Thrown() {
  BoxState s;
  s.position = {0, 0, 0.25};
  s.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 0.5).normalized()));
  s.velocity = {1.2, 0.3, 0.2};
  s.spin = {3, -2, 1};
  return s;
}

State StateOf(const Model& model, const BoxState& s) {
  State state = StateAtRest(model);
  const Eigen::Vector<double, 7> pose(s.position.x(), s.position.y(), s.position.z(), s.rotation.w(), s.rotation.x(),
                                      s.rotation.y(), s.rotation.z());
  SetBodyPose(model, 0, {pose.data(), 7}, state);
  state.v << s.velocity, s.spin;
  return state;
}

Eigen::Vector3d PositionAt(const Scene& scene, const BoxState& start, double step, double t) {
  const Model model = CompileModel(scene);
  Rollout rollout(StepperOf(scene), model, {.located = 1});
  rollout.Start(StateOf(model, start), step);
  EXPECT_TRUE(rollout.AdvanceTo(t));
  return rollout.state().q.head<3>();
}

TEST(LocatedMotion, FlightIsAParabola) {
  const BoxState s = Thrown();
  const Eigen::Vector3d expected = s.position + 0.1 * s.velocity + 0.005 * Eigen::Vector3d(0, 0, -9.81);
  EXPECT_LT((PositionAt(BoxScene(World(0.3, 0.2)), s, 1e-3, 0.1) - expected).norm(), 1e-14);
}

// A sphere that falls straight down rebounds at the instant of its touch: heights in closed form.
TEST(LocatedMotion, SphereBounces) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -10]\nbodies: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1}}\n"
      "surfaces: {table: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
      "contact: {friction: 0.3, restitution: 0.5}\nsimulation: {method: moreau, step: 1e-2, duration: 1}\n",
      "ball.yaml");
  const Model model = CompileModel(scene);
  Rollout rollout(StepperOf(scene), model, {.located = 1});
  BoxState s;
  s.position = {0, 0, 0.6};  // 0.5 m to fall: sqrt(0.1) s, then 5 sqrt(0.1) m/s upward
  rollout.Start(StateOf(model, s), 1e-3);
  const double fall = std::sqrt(0.1);
  ASSERT_TRUE(rollout.AdvanceTo(fall + 0.1));
  EXPECT_NEAR(rollout.state().q[2], 0.1 + 0.5 * 10 * fall * 0.1 - 5 * 0.01, 5e-6);
  ASSERT_TRUE(rollout.AdvanceTo(3));
  EXPECT_NEAR(rollout.state().q[2], 0.1, 5e-6);
  EXPECT_LT(rollout.state().v.norm(), 0.01);
}

// The first impact and what follows it as an independent simulator has them with steps of 2 us; steps on a grid of 1 ms
// are at least ten times farther off. Later impacts amplify the differences of all three.
TEST(LocatedMotion, AgreesWithAnIndependentSimulator) {
  for (const auto& [friction, restitution] : {std::pair{0.3, 0.0}, std::pair{0.4, 0.3}, std::pair{0.6, 0.6}}) {
    BoxWorld world = World(friction, restitution);
    world.step = 2e-6;
    const Scene scene = BoxScene(world);
    const Model model = CompileModel(scene);
    Rollout located(StepperOf(scene), model, {.located = 1});
    Rollout grid(StepperOf(scene), model);
    located.Start(StateOf(model, Thrown()), 5e-4);
    grid.Start(StateOf(model, Thrown()), 1e-3);
    double apart = 0, grid_apart = 0;
    const std::vector<BoxState> states = SimulateBox(world, Thrown(), 1000, kUntil, 1);
    for (std::size_t k = 0; k < states.size(); ++k) {
      const double t = static_cast<double>(k) / 1000;
      ASSERT_TRUE(located.AdvanceTo(t));
      ASSERT_TRUE(grid.AdvanceTo(t));
      apart = std::max(apart, (located.state().q.head<3>() - states[k].position).norm());
      grid_apart = std::max(grid_apart, (grid.state().q.head<3>() - states[k].position).norm());
    }
    EXPECT_LT(apart, 5e-5) << friction << " " << restitution;
    EXPECT_LT(apart, 0.1 * grid_apart) << friction << " " << restitution;
  }
}

TEST(LocatedMotion, TheStepHardlyMatters) {
  const Scene scene = BoxScene(World(0.4, 0.3));
  const Eigen::Vector3d fine = PositionAt(scene, Thrown(), 5e-5, 0.35);
  EXPECT_LT((PositionAt(scene, Thrown(), 5e-4, 0.35) - fine).norm(), 1e-4);
  EXPECT_LT((PositionAt(scene, Thrown(), 1e-3, 0.35) - fine).norm(), 4e-4);
}

// Differences over steps that differ tenfold give one derivative, through two impacts and what follows them.
TEST(LocatedMotion, IsSmoothInItsStart) {
  const Scene scene = BoxScene(World(0.4, 0.3));
  for (int axis = 0; axis < 3; ++axis) {
    const auto slope = [&](double by) {
      BoxState up = Thrown(), down = Thrown();
      up.spin[axis] += by;
      down.spin[axis] -= by;
      return Eigen::Vector3d((PositionAt(scene, up, 5e-4, 0.3) - PositionAt(scene, down, 5e-4, 0.3)) / (2 * by));
    };
    const Eigen::Vector3d wide = slope(1e-3), narrow = slope(1e-4);
    EXPECT_LT((wide - narrow).norm(), 0.02 * wide.norm() + 1e-4) << axis;
  }
}

class CountSteps final : public StepSink {
 public:
  bool OnStep(const StepResult& /*step*/) override {
    ++steps;
    return true;
  }
  int steps = 0;
};

TEST(LocatedMotion, RestsOnItsFace) {
  const Scene scene = BoxScene(World(0.5, 0));
  const Model model = CompileModel(scene);
  Rollout rollout(StepperOf(scene), model, {.located = 1});
  rollout.Start(StateOf(model, Thrown()), 1e-3);
  CountSteps count;
  rollout.SetSink(&count);
  ASSERT_TRUE(rollout.AdvanceTo(2));
  const int steps = count.steps;
  EXPECT_GT(steps, 10);
  const Eigen::VectorXd q = rollout.state().q;
  ASSERT_TRUE(rollout.AdvanceTo(10));
  EXPECT_EQ(count.steps, steps);
  EXPECT_EQ(rollout.state().q, q);
  EXPECT_EQ(rollout.state().time, 10);
}

// A copy taken in the middle of the motion goes on as the original does.
TEST(LocatedMotion, ACopyGoesOnAlike) {
  const Scene scene = BoxScene(World(0.4, 0.3));
  const Model model = CompileModel(scene);
  Rollout rollout(StepperOf(scene), model, {.located = 1});
  rollout.Start(StateOf(model, Thrown()), 1e-3);
  ASSERT_TRUE(rollout.AdvanceTo(0.25));
  Rollout copy(rollout);
  ASSERT_TRUE(rollout.AdvanceTo(1));
  ASSERT_TRUE(copy.AdvanceTo(1));
  EXPECT_EQ(copy.state().q, rollout.state().q);
  EXPECT_EQ(copy.state().v, rollout.state().v);
}

TEST(LocatedMotion, SupportsOneBodyOnSurfaces) {
  EXPECT_TRUE(LocatedSteps::Supports(CompileModel(BoxScene(World(0.3, 0.2)))));
  const std::string other = "  other: {shape: {sphere: {radius: 0.1}}, mass: 1}\n";
  EXPECT_FALSE(LocatedSteps::Supports(CompileModel(BoxScene(World(0.3, 0.2), other))));
}

}  // namespace
}  // namespace ricochet
