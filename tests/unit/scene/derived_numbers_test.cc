// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/derived_numbers.h"

#include <gtest/gtest.h>

#include "math/jet.h"
#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

// Derivatives of all derived numbers with respect to one independent number, against central differences.
void CheckDerivatives(const Scene& scene, const std::string& path) {
  const NumberId id = scene.Find(path);
  ASSERT_TRUE(id) << path;
  const std::size_t n = scene.numbers().size();
  std::vector<Jet<1>> jets;
  for (const SceneNumber& number : scene.numbers()) jets.emplace_back(number.value);
  jets[static_cast<std::size_t>(id.index)].v[0] = 1;
  DeriveNumbers<Jet<1>>(scene, jets);
  const double h = 1e-6;
  std::vector<double> above, below;
  for (const SceneNumber& number : scene.numbers()) above.push_back(number.value);
  below = above;
  above[static_cast<std::size_t>(id.index)] += h;
  below[static_cast<std::size_t>(id.index)] -= h;
  DeriveNumbers<double>(scene, above);
  DeriveNumbers<double>(scene, below);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(jets[i].v[0], (above[i] - below[i]) / (2 * h), 1e-7) << scene.numbers()[i].path << " by " << path;
    EXPECT_NEAR(jets[i].a, scene.numbers()[i].value, 1e-15) << scene.numbers()[i].path;
  }
}

TEST(DerivedNumbers, CarryDerivatives) {
  Scene scene =
      ParseScene(Changed({"", kSpatialScene, "    inertia: [1.0e-3, 1.6e-3, 1.9e-3]\n", "", ""}), "scene.yaml");
  scene.Set("gravity.tilt", {0.25, -0.5});
  for (const char* path : {"bodies.box.mass", "bodies.box.shape.box.size[1]", "gravity.magnitude", "gravity.tilt[0]",
                           "gravity.tilt[1]", "contact.restitution", "contact.friction", "contact.patch[0]"}) {
    CheckDerivatives(scene, path);
  }
  scene.Set("gravity", {1, 2, -9});
  for (const char* path : {"gravity[0]", "gravity[1]", "gravity[2]"}) CheckDerivatives(scene, path);
}

TEST(DerivedNumbers, ObliqueShapesHaveProductsOfInertia) {
  const Scene scene =
      ParseScene(Changed({"", kSpatialScene,
                          "{box: {size: [0.2, 0.1, 0.3]}}\n    mass: 0.5\n    inertia: [1.0e-3, 1.6e-3, 1.9e-3]\n",
                          "{cylinder: {radius: 0.1, length: 0.2, axis: [1, 1, 0]}}\n    mass: 0.5\n", ""}),
                 "scene.yaml");
  ASSERT_EQ(scene.bodies[0].inertia.size(), 6u);
  // Along the axis m r^2 / 2, across it m (r^2 / 4 + l^2 / 12); turned by 45 degrees about z.
  const double along = 0.5 * 0.01 / 2, across = 0.5 * (0.01 / 4 + 0.04 / 12);
  const double expected[] = {(along + across) / 2, (along + across) / 2, across, (along - across) / 2, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(scene[scene.bodies[0].inertia[i]], expected[i], 1e-16) << i;
  CheckDerivatives(scene, "bodies.box.shape.cylinder.axis[1]");
}

TEST(DerivedNumbers, NoGravityHasNoTilt) {
  Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  scene.Set("gravity", {0, 0, 0});
  EXPECT_EQ(scene[scene.gravity.magnitude], 0);
  EXPECT_EQ(scene[scene.gravity.tilt[0]], 0);
  EXPECT_EQ(scene[scene.gravity.tilt[1]], 0);
}

}  // namespace
}  // namespace ricochet
