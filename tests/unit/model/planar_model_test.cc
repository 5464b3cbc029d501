// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "model/planar_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "math/jet.h"
#include "model/model.h"

namespace ricochet {
namespace {

using Eigen::Vector2d;

constexpr const char* kScene = R"(ricochet: 1
space: planar
gravity: {magnitude: 9.8, tilt: [0.3]}
bodies:
  egg: {shape: {ellipse: {semi_axes: [0.2, 0.1]}}, mass: 2, center_of_mass: [0.01, 0.02]}
  brick: {shape: {rectangle: {size: [0.4, 0.2]}}, mass: 3, inertia: 0.05, center_of_mass: [0.1, 0]}
  wedge: {shape: {polygon: {vertices: [[0, 0], [0, 1], [1, 0]]}}, mass: 6}
  post: {shape: {circle: {radius: 0.1}}, fixed: true}
surfaces:
  floor: {line: {point: [0, -5], angle: 0}}
  ramp: {line: {point: [1, -4], angle: 0.5}, velocity: [0.3, 0.1], extent: [-1, 2]}
contact: {friction: 0.4, restitution: 0.2, tangential_restitution: 0.1, pairs: {brick/ramp: {friction: 0.9}}}
actions:
  - {body: brick, force: [1, 2], torque: 3, until: 0.5}
  - {body: egg, impulse: [4, 5], at: 0.25}
)";

PlanarModel<double> CompilePlanarText() { return CompileModel(ParseScene(kScene, "scene.yaml")).planar; }

TEST(PlanarModelTest, BodiesAndGravity) {
  const auto model = CompilePlanarText();
  EXPECT_LT((model.gravity - 9.8 * Vector2d(std::sin(0.3), -std::cos(0.3))).norm(), 2e-15);
  const auto& egg = model.bodies[0];
  EXPECT_EQ(egg.mass, 2);
  EXPECT_NEAR(egg.inertia, 2 * (0.04 + 0.01) / 4, 1e-17);  // uniform density
  EXPECT_EQ(egg.inverse_mass, 0.5);
  EXPECT_EQ(egg.inverse_inertia, 1 / egg.inertia);
  EXPECT_TRUE(egg.shape.smooth);
  EXPECT_EQ(egg.shape.center, Vector2d(-0.01, -0.02));  // from the center of mass
  EXPECT_EQ(egg.shape.a, 0.2);
  EXPECT_EQ(egg.shape.b, 0.1);
  EXPECT_EQ(model.bodies[1].inertia, 0.05);
  ASSERT_EQ(model.bodies[1].shape.vertices.size(), 4);
  EXPECT_LT((model.bodies[1].shape.vertices[2] - Vector2d(0.1, 0.1)).norm(), 1e-16);
  EXPECT_TRUE(model.bodies[3].fixed);
  EXPECT_EQ(model.bodies[3].inverse_mass, 0);
}

// Written clockwise in the file; the model is counter-clockwise.
TEST(PlanarModelTest, PolygonsAreCounterClockwise) {
  const auto model = CompilePlanarText();
  const auto& vertices = model.bodies[2].shape.vertices;
  ASSERT_EQ(vertices.size(), 3);
  const Vector2d a = vertices[1] - vertices[0], b = vertices[2] - vertices[0];
  EXPECT_NEAR(a.x() * b.y() - a.y() * b.x(), 1, 1e-15);
  // The sum of the squared sides over 36.
  EXPECT_NEAR(model.bodies[2].inertia, 6 * 4.0 / 36, 1e-15);
}

TEST(PlanarModelTest, SurfacesPairsAndLoads) {
  const auto model = CompilePlanarText();
  const auto& ramp = model.surfaces[1];
  EXPECT_LT((ramp.tangent - Vector2d(std::cos(0.5), std::sin(0.5))).norm(), 1e-16);
  EXPECT_LT((ramp.normal - Vector2d(-std::sin(0.5), std::cos(0.5))).norm(), 1e-16);
  EXPECT_EQ(ramp.velocity, Vector2d(0.3, 0.1));
  EXPECT_TRUE(ramp.bounded);
  EXPECT_EQ(ramp.lo, -1);
  EXPECT_EQ(ramp.hi, 2);
  EXPECT_FALSE(model.surfaces[0].bounded);
  ASSERT_EQ(model.pairs.size(), 6);  // three moving bodies, two lines
  EXPECT_EQ(model.pairs[3].body, 1);
  EXPECT_EQ(model.pairs[3].surface, 1);
  EXPECT_EQ(model.pairs[3].law.friction, 0.9);
  EXPECT_EQ(model.pairs[3].law.tangential_restitution, 0.1);
  EXPECT_EQ(model.pairs[2].law.friction, 0.4);
  ASSERT_EQ(model.loads.size(), 2);
  EXPECT_EQ(model.loads[0].force.head<3>(), Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(model.loads[0].until, 0.5);
  EXPECT_EQ(model.loads[1].impulse.head<3>(), Eigen::Vector3d(4, 5, 0));
  EXPECT_EQ(model.loads[1].at, 0.25);
}

TEST(PlanarModelTest, JetsCarryDerivativesOfEveryNumber) {
  using J = Jet<1>;
  const auto summary = []<class T>(const PlanarModel<T>& m) {
    std::vector<T> all = {m.gravity[0], m.gravity[1]};
    for (const auto& body : m.bodies) {
      for (const T& value : {body.mass, body.inertia, body.inverse_mass, body.inverse_inertia}) all.push_back(value);
      if (body.shape.smooth) {
        for (const T& value : {body.shape.a, body.shape.b, body.shape.center[0]}) all.push_back(value);
      }
      for (const auto& vertex : body.shape.vertices) all.insert(all.end(), vertex.data(), vertex.data() + 2);
    }
    for (const auto& surface : m.surfaces) {
      for (const T& value : {surface.tangent[0], surface.normal[0], surface.point[1], surface.velocity[0]}) {
        all.push_back(value);
      }
    }
    for (const auto& pair : m.pairs) all.push_back(pair.law.friction + 2.0 * pair.law.restitution);
    for (const auto& load : m.loads) all.push_back(load.force[1] + load.impulse[0]);
    return all;
  };
  const Scene scene = ParseScene(kScene, "scene.yaml");
  std::vector<double> values;
  for (const SceneNumber& number : scene.numbers()) values.push_back(number.value);
  for (size_t k = 0; k < values.size(); ++k) {
    std::vector<J> jets(values.begin(), values.end());
    jets[k].v[0] = 1;
    const std::vector<J> derivative = summary(CompilePlanar<J>(scene, jets));
    const double h = 1e-6;
    std::vector<double> above = values, below = values;
    above[k] += h;
    below[k] -= h;
    const auto plus = summary(CompilePlanar<double>(scene, above));
    const auto minus = summary(CompilePlanar<double>(scene, below));
    for (size_t i = 0; i < plus.size(); ++i) {
      ASSERT_NEAR(derivative[i].v[0], (plus[i] - minus[i]) / (2 * h), 2e-8 * (1 + std::abs(derivative[i].v[0])))
          << scene.numbers()[k].path << ", entry " << i;
    }
  }
}

}  // namespace
}  // namespace ricochet
