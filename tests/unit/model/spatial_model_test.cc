// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/spatial_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "math/jet.h"
#include "model/model.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr const char* kTwoBodies = R"(ricochet: 1
space: spatial
gravity: {magnitude: 9.8, tilt: [0.1, -0.2]}
bodies:
  stage: {shape: {box: {size: [2, 2, 0.1]}}, fixed: true}
  can: {shape: {cylinder: {radius: 0.1, length: 0.4, axis: [0, 2, 0]}}, mass: 3, center_of_mass: [0.01, 0, 0.02]}
  brick: {shape: {box: {size: [0.2, 0.1, 0.06]}}, mass: 2, inertia: [0.01, 0.02, 0.025, 0.001, -0.002, 0.003]}
  bob: {mass: 1, inertia: [0.1, 0.1, 0.1]}
surfaces:
  floor: {plane: {point: [0, 0, -1], normal: [0, 0, 2]}}
  wall: {plane: {point: [1, 2, 3], normal: [-3, 0, 4]}, velocity: [0.5, 0, 0], extent: [[-1, 2], [-3, 4]]}
  side: {plane: {point: [9, 0, 0], normal: [-1, 0.1, 0]}}
contact: {friction: 0.4, restitution: 0.2, patch: [1, 2, 3], pairs: {brick/floor: {friction: 0.7}, can/brick: {restitution: 0.9}}}
actions:
  - {body: can, force: [1, 2, 3], from: 0.5}
  - {body: brick, angular_impulse: [4, 5, 6], when: {quantity: can.wz, falls_to: 0.25}}
)";

SpatialModel<double> CompileSpatialText(const std::string& text) {
  return CompileModel(ParseScene(text, "scene.yaml")).spatial;
}

void ExpectNear(const Vector3d& actual, const Vector3d& expected, double tolerance = 1e-15) {
  EXPECT_LT((actual - expected).norm(), tolerance) << actual.transpose() << " against " << expected.transpose();
}

TEST(SpatialModelTest, Gravity) {
  ExpectNear(CompileSpatialText(kTwoBodies).gravity,
             9.8 * Vector3d(std::sin(0.1), -std::cos(0.1) * std::sin(-0.2), -std::cos(0.1) * std::cos(-0.2)), 4e-15);
}

TEST(SpatialModelTest, Bodies) {
  const auto model = CompileSpatialText(kTwoBodies);
  ASSERT_EQ(model.bodies.size(), 4);
  EXPECT_TRUE(model.bodies[0].fixed);
  // Uniform density: a cylinder along y.
  const auto& can = model.bodies[1];
  EXPECT_FALSE(can.fixed);
  const double along = 3 * 0.01 / 2, across = 3 * (0.01 / 4 + 0.16 / 12);
  EXPECT_LT((can.I_BBcm_B - Matrix3d(Vector3d(across, along, across).asDiagonal())).norm(), 1e-16);
  ExpectNear(can.p_BBcm, {0.01, 0, 0.02});
  ExpectNear(can.shape.axis, {0, 1, 0});
  // Six numbers are the entries xx yy zz xy xz yz.
  Matrix3d expected;
  expected << 0.01, 0.001, -0.002, 0.001, 0.02, 0.003, -0.002, 0.003, 0.025;
  EXPECT_EQ(model.bodies[2].I_BBcm_B, expected);
  EXPECT_EQ(model.bodies[2].shape.vertices.size(), 8);
  EXPECT_FALSE(model.bodies[3].shape.present);
}

// z = normal, x = world x projected on the plane (world y if that is shorter than 0.5), y = z x x.
TEST(SpatialModelTest, SurfaceFrames) {
  const auto model = CompileSpatialText(kTwoBodies);
  EXPECT_EQ(model.surfaces[0].R_WS, Matrix3d::Identity());
  const auto& wall = model.surfaces[1];
  Matrix3d expected;
  expected << 0.8, 0, -0.6, 0, 1, 0, 0.6, 0, 0.8;
  EXPECT_LT((wall.R_WS - expected).norm(), 1e-15);
  ExpectNear(wall.velocity, {0.5, 0, 0});
  ExpectNear(wall.point, {1, 2, 3});
  EXPECT_TRUE(wall.bounded);
  EXPECT_EQ(wall.x0, -1);
  EXPECT_EQ(wall.x1, 2);
  EXPECT_EQ(wall.y0, -3);
  EXPECT_EQ(wall.y1, 4);
  // World x is nearly the normal: its projection has length 0.1, so that y takes its place.
  const Matrix3d R = model.surfaces[2].R_WS;
  ExpectNear(R.col(0), Vector3d(0.1, 1, 0).normalized());
  ExpectNear(R.col(1), {0, 0, -1});
  EXPECT_NEAR(R.determinant(), 1, 1e-15);
  EXPECT_FALSE(model.surfaces[2].bounded);
}

TEST(SpatialModelTest, PairsAndTheirLaws) {
  const Model model = CompileModel(ParseScene(kTwoBodies, "scene.yaml"));
  std::vector<std::string> names;
  for (int i = 0; i < static_cast<int>(model.spatial.pairs.size()); ++i) names.push_back(model.PairName(i));
  EXPECT_EQ(names, (std::vector<std::string>{"can/floor", "can/wall", "can/side", "brick/floor", "brick/wall",
                                             "brick/side", "can/stage", "brick/stage", "can/brick"}));
  EXPECT_EQ(model.spatial.pairs[0].law.friction, 0.4);
  EXPECT_EQ(model.spatial.pairs[3].law.friction, 0.7);
  EXPECT_EQ(model.spatial.pairs[3].law.restitution, 0.2);  // taken from the common law
  EXPECT_EQ(model.spatial.pairs[8].law.restitution, 0.9);
  EXPECT_EQ(model.spatial.pairs[8].law.friction, 0.4);
  EXPECT_TRUE(model.spatial.pairs[0].law.has_patch);
  ExpectNear(model.spatial.pairs[0].law.patch, {1, 2, 3});
}

TEST(SpatialModelTest, LoadsAndEvents) {
  const Model model = CompileModel(ParseScene(kTwoBodies, "scene.yaml"));
  ASSERT_EQ(model.spatial.loads.size(), 2);
  const auto& push = model.spatial.loads[0];
  EXPECT_EQ(push.body, 1);
  EXPECT_EQ(push.force, (Eigen::Matrix<double, 6, 1>() << 1, 2, 3, 0, 0, 0).finished());
  EXPECT_EQ(push.from, 0.5);
  EXPECT_TRUE(std::isinf(push.until) && std::isnan(push.at) && push.trigger == -1);
  const auto& kick = model.spatial.loads[1];
  EXPECT_EQ(kick.body, 2);
  EXPECT_EQ(kick.impulse, (Eigen::Matrix<double, 6, 1>() << 0, 0, 0, 4, 5, 6).finished());
  EXPECT_EQ(kick.trigger, 0);
  ASSERT_EQ(model.triggers.size(), 1);
  EXPECT_EQ(model.triggers[0].body, 1);
  EXPECT_EQ(model.triggers[0].component, 5);  // wz
  EXPECT_FALSE(model.triggers[0].position);
  EXPECT_EQ(model.triggers[0].falls_to, 0.25);
}

constexpr const char* kPendulum = R"(ricochet: 1
space: spatial
bodies:
  arm: {shape: {box: {size: [0.3, 0.02, 0.02]}}, mass: 1}
  rod: {shape: {box: {size: [0.3, 0.02, 0.02]}}, mass: 1}
joints:
  first:
    type: hinge
    parent: world
    child: arm
    parent_frame: {point: [0, 0, 1], axis: [0, 0, 4], zero: [3, 0, 1]}
    child_frame: {point: [-0.15, 0, 0], axis: [0, 1, 1], zero: [2, 0, 0]}
    compliance: {linear: 1.0e-8, angular: 2.0e-8}
    damping: 0.02
    viscous: 0.001
    dry: {radius: 0.5, friction: 0.1, norm: euclidean}
    stribeck: {static: 0.2, rate: 3}
    motor: {gain: 0.1, shaft_inertia: 1.0e-4, input: u, interpolation: linear}
    limits: {lower: -1, upper: 2}
  second:
    type: hinge
    parent: arm
    child: rod
    parent_frame: {point: [0.15, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}
    child_frame: {point: [-0.15, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}
    motor: {gain: 0.2, input: u}
  string:
    type: distance
    parent: world
    child: rod
    parent_frame: {point: [1, 1, 1]}
    child_frame: {point: [0, 0, 0]}
    length: 1.5
)";

TEST(SpatialModelTest, Joints) {
  const auto model = CompileSpatialText(kPendulum);
  ASSERT_EQ(model.joints.size(), 3);
  const auto& first = model.joints[0];
  EXPECT_EQ(first.parent, -1);
  EXPECT_EQ(first.child, 0);
  ExpectNear(first.parent_frame.axis, {0, 0, 1});
  ExpectNear(first.parent_frame.zero, {1, 0, 0});  // the part across the axis
  ExpectNear(first.child_frame.axis, Vector3d(0, 1, 1).normalized());
  ExpectNear(first.child_frame.point, {-0.15, 0, 0});
  EXPECT_EQ(first.compliance_linear, 1e-8);
  EXPECT_EQ(first.compliance_angular, 2e-8);
  EXPECT_EQ(first.damping, 0.02);
  EXPECT_EQ(first.viscous, 0.001);
  EXPECT_TRUE(first.has_dry && first.has_stribeck && first.has_motor && first.has_limits);
  EXPECT_EQ(first.dry_norm, DryNorm::kEuclidean);
  EXPECT_EQ(first.dry_radius, 0.5);
  EXPECT_EQ(first.dry_friction, 0.1);
  EXPECT_EQ(first.stribeck_static, 0.2);
  EXPECT_EQ(first.stribeck_rate, 3);
  EXPECT_EQ(first.motor_gain, 0.1);
  EXPECT_EQ(first.motor_shaft_inertia, 1e-4);
  EXPECT_EQ(first.motor_interpolation, InputInterpolation::kLinear);
  EXPECT_EQ(first.lower[0], -1);
  EXPECT_EQ(first.upper[0], 2);
  // Both motors are driven by the one input.
  EXPECT_EQ(model.inputs, std::vector<std::string>{"u"});
  EXPECT_EQ(first.motor_input, 0);
  EXPECT_EQ(model.joints[1].motor_input, 0);
  EXPECT_EQ(model.joints[1].parent, 0);
  EXPECT_FALSE(model.joints[1].has_dry || model.joints[1].has_limits);
  EXPECT_EQ(model.joints[2].length, 1.5);
  for (const auto& joint : model.joints) {
    for (const auto* frame : {&joint.parent_frame, &joint.child_frame}) {
      EXPECT_NEAR(frame->axis.dot(frame->zero), 0, 1e-16);
      EXPECT_NEAR(frame->axis.norm(), 1, 1e-15);
      EXPECT_NEAR(frame->zero.norm(), 1, 1e-15);
    }
  }
}

TEST(SpatialModelTest, JoinedBodiesDoNotTouchEachOther) { EXPECT_TRUE(CompileSpatialText(kPendulum).pairs.empty()); }

// Derivatives with respect to any number of the scene: compile with that number seeded, compare with compiling twice.
TEST(SpatialModelTest, JetsCarryDerivativesOfEveryNumber) {
  using J = Jet<1>;
  const auto summary = []<class T>(const SpatialModel<T>& m) {
    std::vector<T> all(m.gravity.data(), m.gravity.data() + 3);
    const auto add = [&](const auto& matrix) {
      for (Eigen::Index i = 0; i < matrix.size(); ++i) all.push_back(*(matrix.data() + i));
    };
    for (const auto& body : m.bodies) {
      all.push_back(body.mass);
      add(body.I_BBcm_B);
      add(body.p_BBcm);
      add(body.shape.axis);
      for (const auto& vertex : body.shape.vertices) add(vertex);
    }
    for (const auto& surface : m.surfaces) {
      add(surface.point);
      add(surface.R_WS);
    }
    for (const auto& pair : m.pairs) {
      all.push_back(pair.law.friction);
      all.push_back(pair.law.restitution);
    }
    for (const auto& joint : m.joints) {
      add(joint.parent_frame.axis);
      add(joint.child_frame.zero);
      all.push_back(joint.viscous);
    }
    for (const auto& load : m.loads) add(load.force);
    return all;
  };
  for (const char* text : {kTwoBodies, kPendulum}) {
    const Scene scene = ParseScene(text, "scene.yaml");
    std::vector<double> values;
    for (const SceneNumber& number : scene.numbers()) values.push_back(number.value);
    for (size_t k = 0; k < values.size(); ++k) {
      std::vector<J> jets(values.begin(), values.end());
      jets[k].v[0] = 1;
      const std::vector<J> derivative = summary(CompileSpatial<J>(scene, jets));
      const double h = 1e-5;
      std::vector<double> above = values, below = values;
      above[k] += h;
      below[k] -= h;
      const auto plus = summary(CompileSpatial<double>(scene, above));
      const auto minus = summary(CompileSpatial<double>(scene, below));
      ASSERT_EQ(derivative.size(), plus.size());
      for (size_t i = 0; i < plus.size(); ++i) {
        ASSERT_NEAR(derivative[i].v[0], (plus[i] - minus[i]) / (2 * h), 2e-9 * (1 + std::abs(derivative[i].v[0])))
            << scene.numbers()[k].path << ", entry " << i;
      }
    }
  }
}

}  // namespace
}  // namespace ricochet
