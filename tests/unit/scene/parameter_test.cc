// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/parameter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

std::string PathErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(nothing)";
}

TEST(Parameter, EveryQuantityHasUnitBoundsAndWords) {
  for (int i = 0; i <= static_cast<int>(Quantity::kPlain); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    const ParameterInfo& info = InfoOf(quantity);
    EXPECT_FALSE(info.unit.empty()) << i;
    EXPECT_FALSE(info.remedy.empty()) << i;
    EXPECT_LT(info.lower, info.upper) << i;
    EXPECT_EQ(info.statement.empty(), std::isinf(info.lower)) << i;
    EXPECT_EQ(IsAllowed(quantity, 0), !info.lower_excluded) << i;
    EXPECT_EQ(info.chart == Chart::kLog, info.lower_excluded) << i;
    EXPECT_FALSE(IsAllowed(quantity, std::nan(""))) << i;
    EXPECT_FALSE(IsAllowed(quantity, std::numeric_limits<double>::infinity())) << i;
  }
  EXPECT_TRUE(IsAllowed(Quantity::kRestitution, 1));
  EXPECT_FALSE(IsAllowed(Quantity::kRestitution, std::nextafter(1.0, 2.0)));
  EXPECT_FALSE(IsAllowed(Quantity::kFriction, -1e-300));
  EXPECT_TRUE(IsAllowed(Quantity::kMass, 1e-300));
}

TEST(Parameter, PathListHasPatternsAndRatios) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  const auto selected = ParsePathList(scene, "contact.friction, bodies.box.inertia[0:2] / bodies.box.mass,contact.*");
  std::vector<std::string> paths;
  for (const SelectedParameter& parameter : selected) paths.push_back(parameter.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"contact.friction", "bodies.box.inertia[0]/bodies.box.mass",
                                             "bodies.box.inertia[1]/bodies.box.mass", "contact.restitution",
                                             "contact.tangential_restitution", "contact.patch[0]", "contact.patch[1]",
                                             "contact.patch[2]"}));
  EXPECT_EQ(selected[1].numerator, scene.Find("bodies.box.inertia[0]"));
  EXPECT_EQ(selected[1].denominator, scene.Find("bodies.box.mass"));
  EXPECT_FALSE(selected[0].denominator);
  EXPECT_EQ(UnitOf(scene, selected[0]), "-");
  EXPECT_EQ(UnitOf(scene, selected[1]), "m^2");
}

TEST(Parameter, SlashOfAPairIsNoRatio) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  const auto pair = ParsePathList(scene, "contact.pairs.box/floor.friction");
  ASSERT_EQ(pair.size(), 1u);
  EXPECT_EQ(pair[0].numerator, scene.Find("contact.pairs.box/floor.friction"));
  const auto ratio = ParsePathList(scene, "contact.pairs.box/floor.friction/contact.pairs.box/floor.restitution");
  ASSERT_EQ(ratio.size(), 1u);
  EXPECT_EQ(ratio[0].numerator, scene.Find("contact.pairs.box/floor.friction"));
  EXPECT_EQ(ratio[0].denominator, scene.Find("contact.pairs.box/floor.restitution"));
}

TEST(Parameter, WrongPathListsAreExplained) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  const auto error = [&](const char* list) { return PathErrorOf([&] { ParsePathList(scene, list); }); };
  EXPECT_EQ(error("contact.friction,,bodies.box.mass"),
            "a path is missing in `contact.friction,,bodies.box.mass`. Separate paths by commas: `contact.friction, "
            "bodies.box.mass`.");
  EXPECT_EQ(error("contact.fricton"),
            "contact.fricton: scene.yaml has no such parameter. Did you mean `contact.friction`?");
  EXPECT_EQ(error("bodies.box.mass / "),
            "`bodies.box.mass /` is not a ratio or product of two paths. Write `path / path` or `path * path`.");
  EXPECT_EQ(error("bodies.box.mass/contact.friction/contact.friction"),
            "`bodies.box.mass/contact.friction/contact.friction` is not a ratio or product of two paths. Write `path / "
            "path` or `path * "
            "path`.");
  EXPECT_EQ(
      error("bodies.box.mass/bodies.box.inertia"),
      "`bodies.box.mass/bodies.box.inertia` has 1 parameters above and 3 below. Give one parameter below, or as many "
      "as above.");
  EXPECT_EQ(error("bodies.box.mass/bodies.box.mass"),
            "`bodies.box.mass/bodies.box.mass` is the ratio of a parameter to itself. Name two different parameters.");
}

TEST(Parameter, SetFromTextReadsNumbersListsAndDegrees) {
  Scene scene = ParseScene(kPlanarScene, "scene.yaml");
  SetFromText(scene, "contact.friction=0.75");
  EXPECT_EQ(scene[scene.contact.friction], 0.75);
  SetFromText(scene, "surfaces.ground.line.angle = -30 deg");
  EXPECT_EQ(scene[scene.surfaces[0].angle], -std::numbers::pi / 6);
  SetFromText(scene, "initial.block.pose=[1, 2e0, 90 deg]");
  EXPECT_EQ(scene[scene.initial[0].position[0]], 1);
  EXPECT_EQ(scene[scene.initial[0].position[1]], 2);
  EXPECT_EQ(scene[scene.initial[0].orientation[0]], std::numbers::pi / 2);
  SetFromText(scene, "contact.*restitution=0.5");
  EXPECT_EQ(scene[scene.contact.restitution], 0.5);
  EXPECT_EQ(scene[scene.contact.tangential_restitution], 0.5);
}

TEST(Parameter, WrongAssignmentsAreExplained) {
  Scene scene = ParseScene(kPlanarScene, "scene.yaml");
  const auto error = [&](const char* text) { return PathErrorOf([&] { SetFromText(scene, text); }); };
  EXPECT_EQ(error("contact.friction"),
            "`contact.friction` is not an assignment. Write PATH=VALUE, such as `contact.friction=0.3`.");
  EXPECT_EQ(error("=3"), "`=3` is not an assignment. Write PATH=VALUE, such as `contact.friction=0.3`.");
  EXPECT_EQ(error("contact.friction="), "contact.friction: `` is not a number. Write a plain number.");
  EXPECT_EQ(error("bodies.block.mass=2 kg"),
            "bodies.block.mass: `2 kg` has a unit that is not supported here. Write the number alone; it is in kg.");
  EXPECT_EQ(error("bodies.block.mass=-2"),
            "bodies.block.mass: -2 kg is not valid: mass must be positive. Give the mass in kilograms.");
  EXPECT_EQ(error("initial.block.velocity=[1, 2"),
            "initial.block.velocity: the list `[1, 2` has no end. Write it as `[1, 2]`.");
  EXPECT_EQ(error("initial.block.velocity=[1, 2, 3]"),
            "initial.block.velocity: needs 2 values, but got 3. Give 2 values, or one for all.");
}

}  // namespace
}  // namespace ricochet
