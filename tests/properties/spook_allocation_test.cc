// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A step of `spook` allocates nothing once the workspace has seen the motion: dry joints, limits that are hit and left,
// contacts that open and close with impacts, bodies that meet each other, both orders.
#include <gtest/gtest.h>

#include <string>

#include "dynamics/kinematics.h"
#include "steppers/spook/spook.h"
#include "tests/support/allocation_count.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

/// Walks the same steps twice, as `simulate` does, and counts in the second walk.
void ExpectNoAllocation(const Scene& scene, double h, int steps) {
  const Model model = CompileModel(scene);
  const auto workspace = Spook().MakeWorkspace(model);
  const std::vector<double> u(model.spatial.inputs.size(), 0.0);
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  StepResult step;
  State state;
  long allocations = 0;
  int with_contacts = 0, failed = 0;
  for (const bool counted : {false, true}) {
    state = InitialState(model);
    for (int k = 0; k < steps; ++k) {
      const testing::AllocationCount count;
      Spook().Step(model, state, inputs, h, *workspace, step);
      if (counted) allocations += count.allocations();
      failed += step.status != StepStatus::kSolved;
      with_contacts += !step.contacts.empty();
      state.time = step.end.time;
      state.q = step.end.q;
      state.v = step.end.v;
    }
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(failed, 0);
  if (!model.spatial.pairs.empty()) {
    EXPECT_GT(with_contacts, steps / 4);
  }
}

TEST(SpookAllocation, DryChain) {
  RandomVectors random(48);
  ExpectNoAllocation(RandomChain(random, 4, 1e-6, "    dry: {radius: 0.02, friction: 0.2, norm: l1}\n"), 1e-3, 100);
}

TEST(SpookAllocation, LimitsTogetherWithDryFriction) {
  RandomVectors random(50);
  ExpectNoAllocation(RandomChain(random, 3, 1e-6,
                                 "    dry: {radius: 0.02, friction: 0.1, norm: euclidean}\n"
                                 "    limits: {lower: -1.2, upper: 1.2}\n"),
                     2e-3, 300);
}

TEST(SpookAllocation, ABoxThatTumblesOverAPlane) {
  ExpectNoAllocation(
      ParseScene("ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  box: {shape: {box: {size: [0.2, 0.15, 0.1]}}, mass: 0.4, inertia: [1.0e-3, 1.6e-3, 2.0e-3]}\n"
                 "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
                 "contact: {friction: 0.3, restitution: 0.4}\n"
                 "initial:\n  box: {position: [0, 0, 0.2], velocity: [1, 0.3, 0], angular_velocity: [3, 5, 1]}\n"
                 "simulation: {method: spook, step: 2.0e-3, duration: 1}\n",
                 "box"),
      2e-3, 400);
}

TEST(SpookAllocation, OrderTwo) {
  RandomVectors random(51);
  ExpectNoAllocation(
      RandomChain(random, 3, 1e-6, "    dry: {radius: 0.02, friction: 0.1, norm: l1}\n", ", options: {order: 2}"), 1e-3,
      50);
}

}  // namespace
}  // namespace ricochet
