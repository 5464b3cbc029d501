// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives chained along a rollout against differences of whole rollouts, for several steppers, with rows between
// grid points, missing poses and numbers that move others with them.
#include "estimators/spatial_trajectory/spatial_rollout.h"

#include <gtest/gtest.h>

#include "dynamics/kinematics.h"
#include "ricochet/simulate.h"
#include "tests/support/derivative_check.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

void CheckRollout(const Scene& scene, const std::string& paths, double rate, double duration, double tolerance) {
  SimulateOptions options;
  options.rate = rate;
  options.duration = duration;
  options.noise_position = 1e-3;
  options.noise_angle = 1e-3;
  Recording recording = Simulate(scene, options).recording;
  recording.values[1][3] = NAN;
  const SpatialFamily family(scene, ParsePathList(scene, paths));
  PoseTracks track = MakePoseTracks(scene, recording, family.moving());
  track.noise_position = track.noise_angle = 1e-3;
  SpatialRollout rollout(family, track);
  rollout.rejected[4] = 1;
  const auto first = family.Compile(family.start());
  ASSERT_TRUE(first);
  rollout.reference.state = InitialState(first->model);
  rollout.reference.basis = rollout.FullBasis();
  const int p = family.size(), m = rollout.local_size();

  // Scaled so that one step of the differences suits all.
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(m + p);
  scale.tail(p) = family.scale();
  const auto residuals = [&](const Eigen::VectorXd& x) {
    const Eigen::VectorXd z = x.cwiseProduct(scale);
    const auto instance = family.Compile(family.start() + z.tail(p));
    Eigen::VectorXd r;
    EXPECT_TRUE(rollout.Evaluate(*instance, z.head(m), r, nullptr));
    return Eigen::VectorXd(r * 1e-3);
  };
  Eigen::VectorXd r;
  Eigen::MatrixXd jacobian;
  ASSERT_TRUE(rollout.Evaluate(*first, Eigen::VectorXd::Zero(m), r, &jacobian));
  EXPECT_EQ(r.segment(6 * 4, 6).norm(), 0);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(m + p);
  EXPECT_TRUE(IsJacobian(Eigen::MatrixXd(1e-3 * jacobian * scale.asDiagonal()), residuals, zero,
                         {.step = 1e-6, .tolerance = tolerance}));
}

TEST(SpatialRollout, DerivativesOfASlidingAndSpinningPuck) {
  Scene scene = ReadScene(testing::DataPath("truth/patch/puck_thick.yaml"));
  // Off the floor at the start, so that every direction of the start is smooth.
  scene.Set("initial.body.position[2]", {0.0504});
  CheckRollout(scene, "contact.friction, contact.patch[2], bodies.body.inertia[2]", 170, 0.25, 2e-5);
}

TEST(SpatialRollout, DerivativesOfATossWithMoreau) {
  Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  CheckRollout(scene, "contact.friction, contact.restitution, bodies.box.center_of_mass, bodies.box.inertia[1]", 360,
               0.3, 2e-5);
}

TEST(SpatialRollout, NumbersThatMoveOthersAndTheObservation) {
  Scene scene = ParseScene(R"(ricochet: 1
space: spatial
gravity: {magnitude: 9.81, tilt: [0.1, 0]}
bodies:
  box: {shape: {box: {size: [0.2, 0.15, 0.1]}}, mass: 0.5}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0.2, pairs: {box/floor: {restitution: 0.3}}}
initial:
  box: {position: [0, 0, 0.2], orientation: [0.98, 0.1, 0.15, 0.05], velocity: [0.5, 0.2, 0], angular_velocity: [1, -2, 0.5]}
actions:
  - {body: box, force: [0.3, 0, 0]}
simulation: {method: moreau, step: 0.002, duration: 0.3}
observe: {length_scale: 1.02, offset: {x: 0.01}, frame: {position: [0.02, -0.01, 0.03], rotation: [0.2, 0.1, -0.3]}}
)",
                           "observed.yaml");
  CheckRollout(
      scene,
      "contact.friction, bodies.box.mass, bodies.box.shape.box.size[0], gravity.tilt[0], observe.length_scale, "
      "observe.offset.x, observe.frame",
      200, 0.25, 2e-5);
}

}  // namespace
}  // namespace ricochet
