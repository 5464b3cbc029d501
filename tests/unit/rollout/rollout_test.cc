// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The driver of all steppers: its grid of times, states between steps, which steps it takes, triggers, sinks, and no
// allocation on the way.
#include "rollout/rollout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "ricochet/simulate.h"
#include "tests/support/allocation_count.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Scene Ball() {
  return ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, 0]
bodies:
  ball: {shape: {sphere: {radius: 0.1}}, mass: 1}
initial:
  ball: {position: [1, 2, 3], orientation: [1, 0, 0, 0], velocity: [1, 0, -2], angular_velocity: [0, 0, 30]}
simulation: {method: moreau, step: 0.01, duration: 1}
)",
                    "ball.yaml");
}

/// Flies straight on; the step that ends at `at` goes wrong.
class Scripted final : public Stepper {
 public:
  StepperInfo info() const override { return {.name = "scripted", .summary = "", .paper = "", .spatial = true}; }
  std::unique_ptr<Workspace> MakeWorkspace(const Model&) const override { return std::make_unique<Workspace>(); }
  void Step(const Model&, const State& start, const StepInputs&, double h, Workspace&, StepResult& out) const override {
    BeginResult(start, h, out);
    out.end.v = start.v;
    out.end.q.head<3>() = start.q.head<3>() + h * start.v.head<3>();
    out.end.q.tail<4>() =
        -BoxPlusRotation<double>(Quaternion<double>(start.q.tail<4>()), Eigen::Vector3d(h * start.v.tail<3>()));
    if (std::abs(out.end.time - at) > 0.5 * h) return;
    out.status = StepStatus::kFailed;
    out.residual = residual;
    if (infinite) out.end.q[0] = INFINITY;
  }
  void Differentiate(const Model&, const StepResult&, const StepInputs&, std::span<const NumberId>, Workspace&,
                     StepDerivatives&) const override {}

  double at = INFINITY, residual = 1e-7;
  bool infinite = false;
};

TEST(Rollout, TimesAreOnTheGridAndNotSums) {
  const Model model = CompileModel(Ball());
  State start = InitialState(model);
  start.time = 0.7;
  const Scripted stepper;
  Rollout rollout(stepper, model);
  rollout.Start(start, 1e-3);
  for (int k = 0; k < 12345; ++k) ASSERT_TRUE(rollout.Advance());
  EXPECT_EQ(rollout.state().time, 0.7 + 12345 * 1e-3);
  // A time at a grid point, up to rounding, needs no further step.
  ASSERT_TRUE(rollout.AdvanceTo(0.7 + 12345 * 1e-3 + 1e-13));
  EXPECT_EQ(rollout.state().time, 0.7 + 12345 * 1e-3);
  EXPECT_EQ(rollout.At(rollout.state().time + 1e-13).s, 1);
}

TEST(Rollout, StatesBetweenStepsAreOnTheLineAndTheShortestTurn) {
  const Model model = CompileModel(Ball());
  const State start = InitialState(model);
  const Scripted stepper;  // flips the sign of the quaternion in every step
  Rollout rollout(stepper, model);
  rollout.Start(start, 0.01);
  EXPECT_EQ(rollout.At(0).Pose(0), SpatialPose<double>(start.q));
  for (const double t : {0.003, 0.01, 0.0175, 0.049}) {
    ASSERT_TRUE(rollout.AdvanceTo(t));
    const SpatialPose<double> pose = rollout.At(t).Pose(0);
    EXPECT_LT((pose.head<3>() - Eigen::Vector3d(1 + t, 2, 3 - 2 * t)).norm(), 1e-14) << t;
    const Eigen::Vector4d turned(std::cos(15 * t), 0, 0, std::sin(15 * t));
    EXPECT_NEAR(std::abs(turned.dot(pose.tail<4>())), 1, 1e-14) << t;
  }
}

TEST(Rollout, TakesFailedStepsUpToAResidual) {
  const Model model = CompileModel(Ball());
  Scripted stepper;
  stepper.at = 0.03;
  const auto reached = [&](double accepted) {
    Rollout rollout(stepper, model, {.accepted_residual = accepted});
    rollout.Start(InitialState(model), 0.01);
    return rollout.AdvanceTo(0.05);
  };
  EXPECT_FALSE(reached(0));
  EXPECT_FALSE(reached(1e-8));
  EXPECT_TRUE(reached(1e-6));
  stepper.residual = NAN;
  EXPECT_FALSE(reached(1e-6));
  EXPECT_TRUE(reached(INFINITY));
  stepper.infinite = true;
  EXPECT_FALSE(reached(INFINITY));
}

TEST(Rollout, ASinkSeesEveryStepAndCanEndIt) {
  class Third final : public StepSink {
   public:
    bool OnStep(const StepResult& step) override {
      times.push_back(step.end.time);
      return times.size() < 3;
    }
    std::vector<double> times;
  } sink;
  const Model model = CompileModel(Ball());
  const Scripted stepper;
  Rollout rollout(stepper, model);
  rollout.SetSink(&sink);
  rollout.Start(InitialState(model), 0.01);
  EXPECT_FALSE(rollout.AdvanceTo(1));
  EXPECT_TRUE(rollout.stopped_by_sink());
  EXPECT_EQ(sink.times, (std::vector<double>{0.01, 0.02, 0.03}));
}

TEST(Rollout, TriggersFireAsInASimulation) {
  const Scene scene = ReadScene(testing::DataPath("truth/patch/cylinder.yaml"));
  ASSERT_FALSE(scene.actions.empty());
  const Model model = CompileModel(scene);
  const double h = scene[scene.simulation.step];
  Rollout rollout(FindStepper(scene.simulation.method), model);
  rollout.Start(InitialState(model), h);
  const Recording run = Simulate(scene).recording;
  const std::size_t last = run.time.size() - 1;
  ASSERT_TRUE(rollout.AdvanceTo(run.time[last]));
  const SpatialPose<double> pose = rollout.At(run.time[last]).FramePose(model, 0);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(pose[static_cast<Eigen::Index>(i)], run.values[i][last], 1e-12);
  // Without the kicks the cylinder would end elsewhere.
  Scene without = scene;
  without.actions.clear();
  EXPECT_GT(std::abs(Simulate(without).recording.values[0][last] - run.values[0][last]), 1e-3);
}

TEST(Rollout, AllocatesNothingPerStep) {
  const Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  const Model model = CompileModel(scene);
  const State start = InitialState(model);
  Rollout rollout(FindStepper("moreau"), model);
  long allocations = 0;
  for (const bool counted : {false, true}) {
    rollout.Start(start, 1.0 / 360);
    const ricochet::testing::AllocationCount count;
    for (int frame = 1; frame <= 200; ++frame) {
      ASSERT_TRUE(rollout.AdvanceTo(frame / 300.0));
      EXPECT_TRUE(rollout.At(frame / 300.0).FramePose(model, 0).allFinite());
    }
    if (counted) allocations = count.allocations();
  }
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace ricochet
