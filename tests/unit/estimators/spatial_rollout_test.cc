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
  track.noise_position = track.noise_angle = track.noise_point = 1e-3;
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
  const auto width = static_cast<Eigen::Index>(rollout.values().size());
  EXPECT_EQ(r.segment(width * 4, width).norm(), 0);
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

TEST(SpatialRollout, PlacesOfPoints) {
  Scene scene = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  box: {shape: {box: {size: [0.2, 0.15, 0.1]}}, mass: 0.5, center_of_mass: [0.01, 0, 0]}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0.2}
initial:
  box: {position: [0, 0, 0.2], orientation: [0.98, 0.1, 0.15, 0.05], velocity: [0.5, 0.2, 0], angular_velocity: [1, -2, 0.5]}
simulation: {method: moreau, step: 0.002, duration: 0.3}
observe: {length_scale: 1.02, offset: {a.x: 0.01}, points: {a: [0.1, 0, 0.05], b: [-0.05, 0.08, 0.05], c: [-0.05, -0.08, -0.05]}}
)",
                           "points.yaml");
  CheckRollout(
      scene, "contact.friction, observe.points.*, observe.length_scale, observe.offset.a.x, bodies.box.center_of_mass",
      200, 0.25, 2e-5);
}

// Rows show the state a delay ago: the start is that of the first row, so that the force comes later by the delay.
TEST(SpatialRollout, DelayMovesTheLoads) {
  const auto scene_with = [](double delay) {
    return ParseScene(
        "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  ball: {shape: {sphere: {radius: "
        "0.05}}, mass: 0.5}\nsurfaces:\n  floor: {plane: {point: [0, 0, -9], normal: [0, 0, 1]}}\ninitial:\n"
        "  ball: {position: [0, 0, 0], velocity: [1, 0, 2]}\nactions:\n  - {body: ball, force: [3, 0, 0], "
        "from: 0.1, until: 0.2}\nsimulation: {method: moreau, step: 0.001, duration: 0.4}\nobserve: {delay: " +
            std::to_string(delay) + "}\n",
        "delayed.yaml");
  };
  const Scene scene = scene_with(0.02);
  SimulateOptions options;
  options.rate = 200;
  const Recording recording = Simulate(scene_with(0), options).recording;
  const SpatialFamily family(scene, ParsePathList(scene, "observe.delay, bodies.ball.mass"));
  PoseTracks track = MakePoseTracks(scene, recording, family.moving());
  track.noise_position = track.noise_angle = 1;
  SpatialRollout rollout(family, track);
  const auto instance = family.Compile(family.start());
  ASSERT_TRUE(instance);
  EXPECT_EQ(instance->delay, 0.02);
  rollout.reference = {InitialState(instance->model), rollout.FullBasis()};
  Eigen::VectorXd r;
  Eigen::MatrixXd jacobian;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(rollout.local_size());
  ASSERT_TRUE(rollout.Evaluate(*instance, zero, r, &jacobian));
  // The force of 6 m/s^2 for 0.1 s acts 0.02 s later: behind it the ball is 0.6 m/s times that behind, and so is
  // every further second of delay.
  const Eigen::Index last = r.size() - 6;
  EXPECT_NEAR(r[last], -0.6 * 0.02, 1e-9);
  EXPECT_NEAR(jacobian(last, rollout.local_size()), -0.6, 1e-9);
  EXPECT_NEAR(jacobian(0, rollout.local_size()), 0, 1e-12);
}

}  // namespace
}  // namespace ricochet
