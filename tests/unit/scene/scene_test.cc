// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(nothing)";
}

std::vector<std::string> Paths(const Scene& scene, std::string_view pattern) {
  std::vector<std::string> paths;
  for (NumberId id : scene.Match(pattern)) paths.push_back(scene.number(id).path);
  return paths;
}

using Strings = std::vector<std::string>;

TEST(Scene, MatchesPatternsInTableOrder) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  EXPECT_EQ(Paths(scene, "bodies.box.mass"), (Strings{"bodies.box.mass"}));
  EXPECT_EQ(Paths(scene, "bodies.box.inertia"),
            (Strings{"bodies.box.inertia[0]", "bodies.box.inertia[1]", "bodies.box.inertia[2]"}));
  EXPECT_EQ(Paths(scene, "bodies.box.inertia[0:2]"), (Strings{"bodies.box.inertia[0]", "bodies.box.inertia[1]"}));
  EXPECT_EQ(Paths(scene, "contact.*"),
            (Strings{"contact.friction", "contact.restitution", "contact.tangential_restitution", "contact.patch[0]",
                     "contact.patch[1]", "contact.patch[2]"}));
  EXPECT_EQ(Paths(scene, "contact.pairs.*.friction"), (Strings{"contact.pairs.box/floor.friction"}));
  EXPECT_EQ(Paths(scene, "gravity.tilt"), (Strings{"gravity.tilt[0]", "gravity.tilt[1]"}));
  EXPECT_EQ(Paths(scene, "gravity"), (Strings{"gravity[0]", "gravity[1]", "gravity[2]"}));
  EXPECT_EQ(Paths(scene, "surfaces.floor.extent[1]"),
            (Strings{"surfaces.floor.extent[1][0]", "surfaces.floor.extent[1][1]"}));
  EXPECT_EQ(Paths(scene, "actions[*].impulse[2]"), (Strings{"actions[0].impulse[2]"}));
  EXPECT_EQ(Paths(scene, "observe.offset.box.x"), (Strings{"observe.offset.box.x"}));
}

TEST(Scene, FindsEveryNumberByItsPath) {
  for (const char* text : {kPlanarScene, kSpatialScene, kMechanism}) {
    const Scene scene = ParseScene(text, "scene.yaml");
    for (std::size_t i = 0; i < scene.numbers().size(); ++i) {
      const NumberId id{static_cast<int>(i)};
      EXPECT_EQ(scene.Find(scene.numbers()[i].path), id);
      EXPECT_EQ(scene.Match(scene.numbers()[i].path), std::vector<NumberId>{id});
      EXPECT_EQ(scene.numbers()[i].given, scene.numbers()[i].where.line > 0);
    }
  }
}

TEST(Scene, UnknownPathNamesTheNearest) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  EXPECT_EQ(ErrorOf([&] { scene.Match("bodies.bix.mass"); }),
            "bodies.bix.mass: scene.yaml has no such parameter. Did you mean `bodies.box.mass`?");
  EXPECT_EQ(ErrorOf([&] { scene.Match("bodies.box.inertai"); }),
            "bodies.box.inertai: scene.yaml has no such parameter. Did you mean `bodies.box.inertia`?");
  EXPECT_EQ(ErrorOf([&] { scene.Match("bodies.box.inertia[3]"); }),
            "bodies.box.inertia[3]: scene.yaml has no such parameter. Did you mean `bodies.box.inertia[0]`?");
  EXPECT_EQ(ErrorOf([&] { scene.Match("xyz"); }),
            "xyz: scene.yaml has no such parameter. `ricochet parameters SCENE` lists all paths.");
  EXPECT_EQ(ErrorOf([&] { scene.Match("bodies..mass"); }),
            "bodies..mass: this is not a parameter path. Write names joined by dots, with indices in brackets: "
            "`bodies.box.inertia[0]`, `bodies.*.mass`.");
}

TEST(Scene, SetChecksBounds) {
  Scene scene = ParseScene(kPlanarScene, "scene.yaml");
  scene.Set("contact.friction", {0.75});
  EXPECT_EQ(scene[scene.contact.friction], 0.75);
  EXPECT_EQ(ErrorOf([&] { scene.Set("contact.restitution", {1.5}); }),
            "contact.restitution: 1.5 is not valid: restitution must be between 0 and 1. Give 0 for no rebound and 1 "
            "for a full rebound.");
  EXPECT_EQ(ErrorOf([&] { scene.Set("bodies.*.mass", {std::nan("")}); }),
            "bodies.block.mass: nan is not a finite number. Give the mass in kilograms.");
  EXPECT_EQ(ErrorOf([&] {
              scene.Set("initial.block.pose", {1, 2});
            }),
            "initial.block.pose: needs 3 values, but got 2. Give 3 values, or one for all.");
  EXPECT_EQ(ErrorOf([&] {
              scene.Set("contact.friction", {1, 2});
            }),
            "contact.friction: needs 1 value, but got 2. Give one.");
}

TEST(Scene, CheckSceneFindsWhatSettingBroke) {
  Scene scene = ParseScene(kPlanarScene, "scene.yaml");
  scene.Set("initial.block.pose[1]", {0});
  EXPECT_EQ(ErrorOf([&] { CheckScene(scene); }).substr(0, 62),
            "scene.yaml:13:18: initial.block.pose: the body starts 0.3659 m");
}

TEST(Scene, GravityHasBothForms) {
  Scene spatial = ParseScene(kSpatialScene, "scene.yaml");
  spatial.Set("gravity.tilt", {0.25, -0.5});
  const double g = 9.81;
  EXPECT_DOUBLE_EQ(spatial[spatial.gravity.vector[0]], g * std::sin(0.25));
  EXPECT_DOUBLE_EQ(spatial[spatial.gravity.vector[1]], -g * std::cos(0.25) * std::sin(-0.5));
  EXPECT_DOUBLE_EQ(spatial[spatial.gravity.vector[2]], -g * std::cos(0.25) * std::cos(-0.5));
  // Back through the vector.
  const std::vector<double> vector = {1, 2, -3};
  spatial.Set("gravity", vector);
  EXPECT_FALSE(spatial.gravity.polar);
  const double magnitude = spatial[spatial.gravity.magnitude], a = spatial[spatial.gravity.tilt[0]],
               b = spatial[spatial.gravity.tilt[1]];
  EXPECT_NEAR(magnitude * std::sin(a), 1, 1e-15);
  EXPECT_NEAR(-magnitude * std::cos(a) * std::sin(b), 2, 1e-15);
  EXPECT_NEAR(-magnitude * std::cos(a) * std::cos(b), -3, 1e-15);

  Scene planar = ParseScene(kPlanarScene, "scene.yaml");
  EXPECT_EQ(planar[planar.gravity.magnitude], 9.81);
  EXPECT_EQ(planar[planar.gravity.tilt[0]], 0);
  planar.Set("gravity.tilt", {0.1});
  EXPECT_TRUE(planar.gravity.polar);
  EXPECT_DOUBLE_EQ(planar[planar.gravity.vector[0]], 9.81 * std::sin(0.1));
  EXPECT_DOUBLE_EQ(planar[planar.gravity.vector[1]], -9.81 * std::cos(0.1));
}

TEST(Scene, UniformInertiaFollowsMassUntilItIsSet) {
  Scene scene = ParseScene(Changed({"", kPlanarScene, "    inertia: 0.2\n", "", ""}), "scene.yaml");
  const NumberId inertia = scene.bodies[0].inertia[0];
  EXPECT_FALSE(scene.number(inertia).given);
  EXPECT_DOUBLE_EQ(scene[inertia], 2 * (1 + 0.25) / 12);
  scene.Set("bodies.block.mass", {6});
  EXPECT_DOUBLE_EQ(scene[inertia], 6 * (1 + 0.25) / 12);
  scene.Set("bodies.block.shape.rectangle.size[1]", {2});
  EXPECT_DOUBLE_EQ(scene[inertia], 6 * (1 + 4) / 12.0);
  scene.Set(inertia, 0.5);
  scene.Set("bodies.block.mass", {2});
  EXPECT_EQ(scene[inertia], 0.5);
}

TEST(Scene, PairTakesFromTheCommonLawWhatItDoesNotSay) {
  Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  const ContactLaw& law = scene.LawOf("floor", "box");
  EXPECT_EQ(scene[law.friction], 0.2);
  EXPECT_EQ(scene[law.restitution], 0);
  scene.Set("contact.restitution", {0.5});
  scene.Set("contact.friction", {0.9});
  scene.Set("contact.patch[2]", {0.7});
  EXPECT_EQ(scene[law.restitution], 0.5);
  EXPECT_EQ(scene[law.friction], 0.2);
  EXPECT_EQ(scene[law.patch[2]], 0.7);
  scene.Set(law.restitution, 0.25);
  scene.Set("contact.restitution", {0.75});
  EXPECT_EQ(scene[law.restitution], 0.25);
  EXPECT_EQ(&scene.LawOf("post", "floor"), &scene.contact);
}

}  // namespace
}  // namespace ricochet
