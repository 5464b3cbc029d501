// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a new stepper is tested for: a motion known in closed form, a law of physics, its derivatives.
#include "tests/unit/contributing/penalty_stepper.h"

#include <gtest/gtest.h>

#include "dynamics/energy.h"
#include "dynamics/kinematics.h"
#include "ricochet/scene_builder.h"
#include "rollout/rollout.h"
#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

SceneBuilder Disk() {
  SceneBuilder builder(Space::kPlanar);
  builder.AddBody("disk", {.shape = shapes::Circle(0.05), .mass = 0.2})
      .AddSurface("table", {.point = {0, 0}, .angle = 0})
      .SetContact({.friction = 0.3})
      .SetInitial("disk", {.pose = {0, 0.05, 0}})
      .SetSimulation({.options = {{"stiffness", 1e4}, {"damping", 20}}});
  return builder;
}

TEST(PenaltyStepper, ADiskRestsWhereTheSpringCarriesIt) {
  const Model model = CompileModel(Disk().Build());
  Penalty().Check(model);
  Rollout rollout(Penalty(), model);
  rollout.Start(InitialState(model), 1e-4);
  ASSERT_TRUE(rollout.AdvanceTo(0.5));
  EXPECT_NEAR(rollout.state().q[1], 0.05 - 0.2 * 9.81 / 1e4, 1e-9);
  ASSERT_EQ(rollout.step().contacts.size(), 1u);
  EXPECT_NEAR(rollout.step().contacts[0].normal_impulse, 0.2 * 9.81 * 1e-4, 1e-9);
}

TEST(PenaltyStepper, ASlidingDiskEndsUpRolling) {
  // Sliding friction acts until the contact point stands still: v = 2/3 of the speed at the start, for a disk.
  const Model model = CompileModel(Disk().SetInitial("disk", {.pose = {0, 0.05, 0}, .velocity = {1.5, 0}}).Build());
  Rollout rollout(Penalty(), model);
  rollout.Start(InitialState(model), 1e-4);
  const double before = ComputeEnergy(model, rollout.state()).total();
  ASSERT_TRUE(rollout.AdvanceTo(1));
  EXPECT_NEAR(rollout.state().v[0], 1.0, 2e-3);
  EXPECT_NEAR(rollout.state().v[2], -1.0 / 0.05, 5e-2);
  EXPECT_LT(ComputeEnergy(model, rollout.state()).total(), before);
}

TEST(PenaltyStepper, DerivativesAreThoseOfDifferences) {
  const Scene scene = Disk().SetInitial("disk", {.pose = {0, 0.0499, 0.2}, .velocity = {1, -0.1}}).Build();
  const Model model = CompileModel(scene);
  const auto workspace = Penalty().MakeWorkspace(model);
  const State start = InitialState(model);
  const std::vector<NumberId> parameters = {scene.Find("contact.friction"), scene.Find("bodies.disk.mass"),
                                            scene.Find("bodies.disk.shape.circle.radius")};
  const auto end = [&](const Model& with, const Eigen::VectorXd& x) {
    State from = start;
    from.q = x.head(3);
    from.v = x.tail(3);
    StepResult step;
    Penalty().Step(with, from, {}, 1e-3, *workspace, step);
    Eigen::VectorXd out(6);
    out << step.end.q, step.end.v;
    return out;
  };
  StepResult step;
  Penalty().Step(model, start, {}, 1e-3, *workspace, step);
  ASSERT_EQ(step.contacts.size(), 1u);
  StepDerivatives derivatives;
  Penalty().Differentiate(model, step, {}, parameters, *workspace, derivatives);

  Eigen::VectorXd x(6), p(3);
  x << start.q, start.v;
  EXPECT_TRUE(IsJacobian(derivatives.end_by_start, [&](const Eigen::VectorXd& at) { return end(model, at); }, x,
                         {.step = 1e-6, .tolerance = 1e-8}));
  for (int k = 0; k < 3; ++k) p[k] = scene[parameters[static_cast<std::size_t>(k)]];
  const auto by_parameters = [&](const Eigen::VectorXd& values) {
    Scene changed = scene;
    for (int k = 0; k < 3; ++k) changed.Set(parameters[static_cast<std::size_t>(k)], values[k]);
    return end(CompileModel(changed), x);
  };
  EXPECT_TRUE(IsJacobian(derivatives.end_by_parameters, by_parameters, p, {.step = 1e-6, .tolerance = 1e-7}));
}

}  // namespace
}  // namespace ricochet
