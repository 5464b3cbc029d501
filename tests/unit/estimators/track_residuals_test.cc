// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of every residual of the planar fit against central differences: through impacts, sliding, rolling,
// corners, known loads, and the numbers of the observation.
#include "estimators/planar_trajectory/track_residuals.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

struct Case {
  const char* name;
  const char* shape;
  const char* extra;  // further top-level entries of the scene
  const char* paths;
  double friction, restitution;
  Eigen::Matrix<double, 6, 1> state;
  // Steps of the differences: as large as the order of contacts and frames allows, since the adaptive steps of lasting
  // contact leave 1e-13 in the motion, which smaller steps enlarge.
  double step = 5e-5, tolerance = 1e-8;
  int impact_restitutions = 0;
};

Eigen::Matrix<double, 6, 1> StateOf(double x, double y, double angle, double vx, double vy, double w) {
  Eigen::Matrix<double, 6, 1> state;
  state << x, y, angle, vx, vy, w;
  return state;
}

std::vector<Case> Cases() {
  const char* ellipse = "{ellipse: {semi_axes: [0.05, 0.025]}}";
  const char* square = "{rectangle: {size: [0.06, 0.06]}}";
  const char* all = "bodies.b.inertia / bodies.b.mass, contact.friction, contact.restitution";
  return {
      {"ellipse slides", ellipse, "", all, 0.2, 0.2, StateOf(0, 0.1, -0.785, 3, -5, 0)},
      {"ellipse sticks", ellipse, "", all, 0.8, 0.2, StateOf(0, 0.1, -0.785, 3, -5, 0)},
      {"ellipse, restitutions of impacts", ellipse, "", all, 0.2, 0.3, StateOf(0, 0.1, -0.785, 3, -5, 0), 1e-5, 1e-6,
       3},
      {"ellipse, mass and inertia under a force", ellipse,
       "actions:\n  - {body: b, force: [0.3, 0.1], torque: 0.002}\n",
       "bodies.b.mass, bodies.b.inertia, contact.friction, contact.restitution", 0.25, 0.3,
       StateOf(0, 0.12, 0.4, 1, -2, 3), 1e-5},
      {"square on corners", square, "", all, 0.3, 0.4, StateOf(0, 0.15, 0.3, 0.8, -1, 2)},
      {"observation", ellipse,
       "observe: {channels: [poses], length_scale: 1.02, delay: 0.003, offset: {b.x: 0.01, b.theta: 0.02}}\n",
       "observe.length_scale, observe.delay, observe.offset.b.x, observe.offset.b.theta, gravity.magnitude", 0.2, 0.3,
       StateOf(0, 0.1, 0.3, 1, -2, 1), 2e-4, 1e-7},
      {"tracked frame", ellipse, "observe: {length_scale: 1.02, frame: {position: [0.02, -0.01], rotation: 0.4}}\n",
       "observe.frame, observe.length_scale, contact.friction", 0.2, 0.3, StateOf(0, 0.1, 0.3, 1, -2, 1), 2e-6, 1e-7},
      {"points", ellipse, "observe: {length_scale: 1.02, points: {tip: [0.05, 0.01], side: [0, -0.03]}}\n",
       "observe.points.*, observe.length_scale, bodies.b.center_of_mass[0], contact.friction", 0.2, 0.3,
       StateOf(0, 0.1, 0.3, 1, -2, 1), 2e-6, 1e-7},
      {"delay of a timed force", ellipse,
       "observe: {channels: [poses], delay: 0.003}\nactions:\n  - {body: b, force: [0.5, 0.2], from: 0.05, until: "
       "0.12}\n"
       "  - {body: b, impulse: [0.02, 0.01], at: 0.21}\n",
       "observe.delay, bodies.b.mass, contact.friction", 0.2, 0.3, StateOf(0, 0.1, 0.3, 1, -2, 1), 2e-4},
      {"center of mass", ellipse, "", "bodies.b.center_of_mass[0], bodies.b.center_of_mass[1], contact.friction", 0.2,
       0.3, StateOf(0, 0.1, 0.3, 1, -2, 1), 2e-6, 1e-7},
  };
}

TEST(TrackResiduals, JacobianIsTheDerivative) {
  for (const Case& c : Cases()) {
    const Scene scene = ParseScene(
        fmt::format("ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  b: {{shape: {}, mass: 0.064, inertia: "
                    "4.8e-5}}\nsurfaces:\n  bar: {{line: {{point: [0, 0], angle: 0}}}}\ncontact: {{friction: {}, "
                    "restitution: {}}}\n{}",
                    c.shape, c.friction, c.restitution, c.extra),
        "case.yaml");
    const PlanarFamily family(scene, ParsePathList(scene, c.paths), 0);
    PlanarTrack track;
    for (int i = 0; i < 30; ++i) track.time.push_back(i / 100.0 + 1e-3 * (i % 3));
    track.pose.assign(track.time.size(), Eigen::Vector3d(0.1, 0.05, 0.2));
    track.noise_position = 1e-3;
    track.noise_angle = 2e-3;
    track.noise_point = 5e-4;
    // Points where the scene has them, one of which is not always seen.
    track.pose_recorded = scene.observe.points.empty();
    for (std::size_t i = 0; i < scene.observe.points.size(); ++i) {
      track.points.push_back({static_cast<int>(i), {}});
      track.points.back().position.assign(track.time.size(), Eigen::Vector2d(0.1, 0.05));
    }
    if (!track.points.empty()) track.points[0].position[7].setConstant(NAN);
    TrackResiduals residuals(family, track);
    if (c.impact_restitutions > 0) residuals.SetImpactRestitutions(c.impact_restitutions, 0.02);
    Eigen::VectorXd z(residuals.size()), r;
    z << c.state, family.start(), Eigen::VectorXd::LinSpaced(c.impact_restitutions, 0.2, 0.35);
    Eigen::MatrixXd jacobian;
    ASSERT_TRUE(residuals.Evaluate(z, r, &jacobian)) << c.name;
    ASSERT_EQ(jacobian.cols(), z.size());
    // Columns in units of the numbers' scales, in which the differences are taken.
    Eigen::VectorXd scale = Eigen::VectorXd::Ones(z.size());
    scale.segment(kTrackState, family.size()) = family.scale();
    scale.head<2>().setConstant(0.05);
    const auto f = [&](const Eigen::VectorXd& delta) {
      Eigen::VectorXd out;
      residuals.Evaluate(z + scale.cwiseProduct(delta), out, nullptr);
      return out;
    };
    const Eigen::MatrixXd scaled = jacobian * scale.asDiagonal();
    EXPECT_TRUE(IsJacobian(scaled, f, Eigen::VectorXd::Zero(z.size()), {.step = c.step, .tolerance = c.tolerance}))
        << c.name;
  }
}

TEST(TrackResiduals, RatioOfAnObservationNumberIsNotTheNumber) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\nbodies:\n  b: {shape: {circle: {radius: 0.05}}, mass: 2}\nsurfaces:\n  bar: {line: "
      "{point: [0, 0], angle: 0}}\nobserve: {channels: [poses], length_scale: 1.5, offset: {b.x: 0.3}}\n",
      "circle.yaml");
  PlanarTrack track;
  track.time = {0, 0.1, 0.2};
  track.pose.assign(3, Eigen::Vector3d::Zero());
  const PlanarFamily plain(scene, {}, 0),
      ratios(scene, ParsePathList(scene, "observe.length_scale / bodies.b.mass, observe.offset.b.x * bodies.b.mass"),
             0);
  Eigen::VectorXd z(6), wider(8);
  z << 0.2, 0.5, 0, 1, 0, 0;
  wider << z, ratios.start();
  std::vector<Eigen::Vector3d> expected, poses;
  ASSERT_TRUE(TrackResiduals(plain, track).Predict(z, expected));
  ASSERT_TRUE(TrackResiduals(ratios, track).Predict(wider, poses));
  EXPECT_NEAR(expected[0].x(), 1.5 * 0.2 + 0.3, 1e-15);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT((poses[i] - expected[i]).norm(), 1e-15);
}

TEST(TrackResiduals, RejectedFramesHaveNoResidual) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\nbodies:\n  b: {shape: {circle: {radius: 0.05}}, mass: 1}\nsurfaces:\n  bar: {line: "
      "{point: [0, 0], angle: 0}}\n",
      "circle.yaml");
  const PlanarFamily family(scene, {}, 0);
  PlanarTrack track;
  track.time = {0, 0.1, 0.2};
  track.pose.assign(3, Eigen::Vector3d(1, 1, 1));
  track.noise_position = track.noise_angle = 1e-3;
  TrackResiduals residuals(family, track);
  residuals.rejected()[1] = 1;
  Eigen::VectorXd z(6), r;
  z << 0, 0.5, 0, 1, 0, 0;
  Eigen::MatrixXd jacobian;
  ASSERT_TRUE(residuals.Evaluate(z, r, &jacobian));
  EXPECT_EQ(r.segment<3>(3).norm(), 0);
  EXPECT_EQ(jacobian.middleRows<3>(3).norm(), 0);
  EXPECT_GT(r.segment<3>(6).norm(), 0);
}

}  // namespace
}  // namespace ricochet
