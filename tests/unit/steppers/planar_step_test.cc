// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <cmath>

#include "dynamics/kinematics.h"
#include "ricochet/simulate.h"
#include "rollout/run.h"
#include "tests/support/allocation_count.h"
#include "tests/support/random_planar.h"

namespace ricochet {
namespace {

Scene BlockOnGround(const std::string& contact, const std::string& initial, const std::string& angle = "0",
                    const std::string& velocity = "[0, 0]") {
  return ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
      "bodies:\n  block: {shape: {rectangle: {size: [2, 1]}}, mass: 3}\n"
      "surfaces:\n  ground: {line: {point: [0, 0], angle: " +
          angle + "}, velocity: " + velocity +
          "}\n"
          "contact: {" +
          contact +
          "}\n"
          "initial:\n  block: {" +
          initial +
          "}\n"
          "simulation: {method: irc, step: 1e-3, duration: 1}\n",
      "block.yaml");
}

TEST(PlanarStep, FlatBlockRestsOnTwoVertices) {
  const Scene scene = BlockOnGround("friction: 0.5", "pose: [0, 0.5, 0]");
  for (const char* method : {"irc", "lcp", "igc"}) {
    SimulateOptions options;
    options.method = method;
    const SimulationResult run = Simulate(scene, options);
    const Recording& r = run.recording;
    EXPECT_NEAR(r.values[1].back(), 0.5, 1e-9) << method;
    EXPECT_NEAR(r.values[2].back(), 0, 1e-9) << method;
    // Each step the two vertices carry the weight m g h in equal parts.
    double sum = 0;
    for (const ContactRow& contact : run.contacts)
      if (contact.time > 0.9995) {
        EXPECT_NEAR(contact.normal_impulse, 0.5 * 3 * 9.81e-3, 1e-9) << method;
        sum += contact.normal_impulse;
      }
    EXPECT_NEAR(sum, 3 * 9.81e-3, 1e-9) << method;
  }
}

TEST(PlanarStep, SlidingBlockDeceleratesByFriction) {
  // v(t) = v0 - mu g t for a flat block; the discrete answer is exact because the deceleration is constant.
  const SimulationResult run = Simulate(BlockOnGround("friction: 0.2", "pose: [0, 0.5, 0], velocity: [3, 0]"));
  EXPECT_NEAR(run.recording.values[3].back(), 3 - 0.2 * 9.81, 1e-9);
  EXPECT_NEAR(run.recording.values[0].back(), 3 - 0.2 * 9.81 * 0.5 * (1 + 1e-3), 1e-9);
  for (const ContactRow& contact : run.contacts) EXPECT_TRUE(contact.slides);
}

TEST(PlanarStep, BlockSticksOnASlopeBelowTheFrictionAngle) {
  const double angle = 0.2;
  const auto scene = [&](double friction) {
    return BlockOnGround(
        "friction: " + std::to_string(friction),
        "pose: [" + std::to_string(-0.5 * std::sin(angle)) + ", " + std::to_string(0.5 * std::cos(angle)) + ", 0.2]",
        "0.2");
  };
  const double held = Simulate(scene(1.05 * std::tan(angle))).recording.values[3].back();
  const double slides = Simulate(scene(0.5 * std::tan(angle))).recording.values[3].back();
  EXPECT_NEAR(held, 0, 1e-9);
  // a = g (sin - mu cos) down the slope, seen along world x.
  EXPECT_NEAR(slides, -9.81 * 0.5 * std::sin(angle) * std::cos(angle), 1e-3);
}

TEST(PlanarStep, ConveyorCarriesTheBlock) {
  // mu g t = 0.3 * 9.81 * t reaches the belt's 0.7 m/s after 0.238 s; from there the block moves with it.
  const SimulationResult run = Simulate(BlockOnGround("friction: 0.3", "pose: [0, 0.5, 0]", "0", "[0.7, 0]"));
  const Recording& r = run.recording;
  EXPECT_NEAR(r.values[3][100], 0.3 * 9.81 * 0.1, 1e-9);
  EXPECT_NEAR(r.values[3].back(), 0.7, 1e-9);
  EXPECT_FALSE(run.contacts.back().slides);
}

/// Sums, from recorded impulses and points, what contacts added to the kinetic energy of the free velocity.
class CreatedEnergySink final : public StepSink {
 public:
  explicit CreatedEnergySink(const Model& model) : model_(model) {}
  bool OnStep(const StepResult& step) override {
    double work = 0;
    Eigen::Vector3d mean = 0.5 * (step.start.v + step.end.v);
    mean.head<2>() += 0.5 * step.h * model_.planar.gravity;
    for (const ContactRecord& contact : step.contacts) {
      const auto& surface = model_.planar.surfaces[model_.planar.pairs[contact.pair].surface];
      const Eigen::Vector2d impulse =
          contact.normal_impulse * surface.normal + contact.tangential_impulse.x() * surface.tangent;
      const Eigen::Vector2d r = contact.p_WC.head<2>() - step.start.q.head<2>();
      work += impulse.dot(mean.head<2>()) + (r.x() * impulse.y() - r.y() * impulse.x()) * mean[2];
    }
    created += std::max(0.0, work);
    return true;
  }
  double created = 0;

 private:
  const Model& model_;
};

RunSummary RunRandomScene(int seed, bool restitution, const char* method, double& created) {
  const Scene scene = testing::RandomPlanarScene(seed, {.restitution = restitution});
  const Model model = CompileModel(scene);
  CreatedEnergySink sink(model);
  RunOptions options;
  options.step = scene[scene.simulation.step];
  options.steps = 250;
  const RunSummary summary = ricochet::Run(FindStepper(method), model, InitialState(model), options, sink);
  created = sink.created;
  return summary;
}

TEST(PlanarStep, EnergyThatNewtonsRestitutionCreatesIsReported) {
  int gaining = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    double created = 0;
    const RunSummary summary = RunRandomScene(seed, true, "irc", created);
    const double scale = summary.start.kinetic + summary.end.kinetic + std::abs(summary.start.potential);
    EXPECT_NEAR(summary.gained, created, 1e-9 * scale) << "seed " << seed;
    if (created > 1e-6 * scale) {
      ++gaining;
      EXPECT_GT(summary.gaining_steps, 0) << "seed " << seed;
    }
  }
  EXPECT_GT(gaining, 0) << "no random scene gained energy: the test shows nothing";
}

TEST(PlanarStep, InelasticContactCreatesNoEnergy) {
  for (const char* method : {"irc", "lcp"}) {
    for (int seed = 0; seed < 300; ++seed) {
      double created = 0;
      const RunSummary summary = RunRandomScene(seed, false, method, created);
      EXPECT_EQ(summary.gaining_steps, 0) << method << ", seed " << seed;
      EXPECT_GE(summary.dissipated, 0) << method << ", seed " << seed;
    }
  }
}

TEST(PlanarStep, ClockwisePolygonsKeepTheNumbersOfTheirVertices) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\n"
      "bodies:\n  roof: {shape: {polygon: {vertices: [[-1, 0], [0, 1], [1, 0]]}}, mass: 1, center_of_mass: [0, 0.3]}\n"
      "surfaces:\n  ground: {line: {point: [0, 0], angle: 0}}\n"
      "initial:\n  roof: {pose: [0, 0, 0]}\n"
      "simulation: {method: irc, step: 1e-3, duration: 0.01}\n",
      "roof.yaml");
  const SimulationResult run = Simulate(scene);
  ASSERT_FALSE(run.contacts.empty());
  for (const ContactRow& contact : run.contacts) EXPECT_NEAR(contact.point[0], contact.contact == 0 ? -1 : 1, 1e-9);
}

TEST(PlanarStep, MotionThatLeavesAllBoundsFails) {
  Scene scene = BlockOnGround("friction: 0.5", "pose: [0, 0.5, 0], velocity: [1, 0]");
  scene.Set("initial.block.velocity[0]", {1e308});
  scene.Set("simulation.duration", {1e3});
  scene.Set("simulation.step", {10});
  EXPECT_GT(Simulate(scene).summary.failed_steps, 0);
}

TEST(PlanarStep, StepsDoNotAllocate) {
  for (const char* method : {"irc", "lcp", "igc"}) {
    const Stepper& stepper = FindStepper(method);
    for (int seed = 0; seed < 20; ++seed) {
      const Scene scene = testing::RandomPlanarScene(seed, {.restitution = false});
      const Model model = CompileModel(scene);
      const auto workspace = stepper.MakeWorkspace(model);
      StepResult result;
      State state = InitialState(model);
      const double h = scene[scene.simulation.step];
      long allocations = 0;
      for (int k = 0; k < 1000; ++k) {
        const testing::AllocationCount count;
        stepper.Step(model, state, {}, h, *workspace, result);
        state.q = result.end.q;
        state.v = result.end.v;
        if (k > 0) allocations += count.allocations();
      }
      EXPECT_EQ(allocations, 0) << method << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ricochet
