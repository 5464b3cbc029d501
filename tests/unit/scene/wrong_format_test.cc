// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Texts, keys, types and units.
#include <gtest/gtest.h>

#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

const WrongScene kFormatCases[] = {
    {"UnknownTopLevelKey", kPlanarScene, "contact: {fr", "contacts: {fr",
     "scene.yaml:11:1: contacts: unknown key. Did you mean `contact`?"},
    {"UnknownContactKey", kPlanarScene, "friction: 0.5", "frictoin: 0.5",
     "scene.yaml:11:11: contact.frictoin: unknown key. Did you mean `friction`?"},
    {"UnknownBodyKey", kPlanarScene, "    mass: 2\n", "    mass: 2\n    color: red\n",
     "scene.yaml:8:5: bodies.block.color: unknown key. Available: shape, mass, inertia, center_of_mass, drag and "
     "fixed."},
    {"UnknownKeyInOtherCase", kPlanarScene,
     "restitution:", "Restitution:", "scene.yaml:11:26: contact.Restitution: unknown key. Did you mean `restitution`?"},
    {"UnknownShape", kPlanarScene, "{rectangle: {size", "{rectangel: {size",
     "scene.yaml:6:13: bodies.block.shape.rectangel: unknown shape. Did you mean `rectangle`?"},
    {"UnknownShapeKey", kPlanarScene, "size: [1, 0.5]", "sizes: [1, 0.5]",
     "scene.yaml:6:25: bodies.block.shape.rectangle.sizes: unknown key. Did you mean `size`?"},
    {"SpatialShapeInPlane", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", "{box: {size: [1, 0.5, 1]}}",
     "scene.yaml:6:13: bodies.block.shape.box: a box is a spatial shape, but the scene is `space: planar`. Use one of "
     "ellipse, circle, rectangle or polygon."},
    {"PlanarShapeInSpace", kSpatialScene, "{box: {size: [0.2, 0.1, 0.3]}}", "{circle: {radius: 0.1}}",
     "scene.yaml:6:13: bodies.box.shape.circle: a circle is a planar shape, but the scene is `space: spatial`. Use one "
     "of box, sphere, cylinder, ellipsoid, polytope or intersection."},
    {"TwoShapes", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", "{rectangle: {size: [1, 0.5]}, circle: {radius: 1}}",
     "scene.yaml:6:12: bodies.block.shape: expected one shape, but found 2. Write one of ellipse, circle, rectangle or "
     "polygon."},
    {"ShapeIsAWord", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", "rectangle",
     "scene.yaml:6:12: bodies.block.shape: expected a map, but found `rectangle`. Write `key: value` pairs."},
    {"NoVersion", kPlanarScene, "ricochet: 1\n", "",
     "scene.yaml:1:1: `ricochet` is missing. Write `ricochet: 1`, the version of the format."},
    {"OtherVersion", kPlanarScene, "ricochet: 1", "ricochet: 2",
     "scene.yaml:1:11: ricochet: the format `2` is not known. Write `ricochet: 1`."},
    {"NoSpace", kPlanarScene, "space: planar\n", "",
     "scene.yaml:1:1: `space` is missing. Write `space: planar` or `space: spatial`."},
    {"UnknownSpace", kPlanarScene, "space: planar", "space: planer",
     "scene.yaml:2:8: space: `planer` is not a valid value. Did you mean `planar`?"},
    {"NoBodies", kPlanarScene,
     "bodies:\n  block:\n    shape: {rectangle: {size: [1, 0.5]}}\n    mass: 2\n    inertia: 0.2\n", "",
     "scene.yaml:1:1: `bodies` is missing. Describe at least one body."},
    {"EmptyBodies", kPlanarScene,
     "bodies:\n  block:\n    shape: {rectangle: {size: [1, 0.5]}}\n    mass: 2\n    inertia: 0.2\n", "bodies: {}\n",
     "scene.yaml:4:9: bodies: there is no body. Describe at least one."},
    {"BodiesWithoutValue", kPlanarScene,
     "bodies:\n  block:\n    shape: {rectangle: {size: [1, 0.5]}}\n    mass: 2\n    inertia: 0.2\n", "bodies:\n",
     "scene.yaml:4:1: bodies: expected a map, but found nothing. Give it a value, or leave the key out."},
    {"NoMass", kPlanarScene, "    mass: 2\n", "",
     "scene.yaml:5:3: `bodies.block.mass` is missing. Give the mass in kilograms, or write `fixed: true` for an "
     "obstacle."},
    {"MassIsAWord", kPlanarScene, "mass: 2", "mass: heavy",
     "scene.yaml:7:11: bodies.block.mass: `heavy` is not a number. Write a number in kg."},
    {"MassWithUnit", kPlanarScene, "mass: 2", "mass: 2 kg",
     "scene.yaml:7:11: bodies.block.mass: `2 kg` has a unit that is not supported here. Write the number alone; it is "
     "in kg."},
    {"MassIsAList", kPlanarScene, "mass: 2", "mass: [2]",
     "scene.yaml:7:11: bodies.block.mass: expected a number, but found a list. Write one number in kg."},
    {"MassInQuotes", kPlanarScene, "mass: 2", "mass: \"2\"",
     "scene.yaml:7:11: bodies.block.mass: expected a number, but found the text \"2\". Leave the quotes out."},
    {"MassWithoutValue", kPlanarScene, "mass: 2",
     "mass:", "scene.yaml:7:5: bodies.block.mass: expected a number, but found nothing. Write one number in kg."},
    {"MassIsNull", kPlanarScene, "mass: 2", "mass: null",
     "scene.yaml:7:5: bodies.block.mass: expected a number, but found nothing. Write one number in kg."},
    {"MassNotANumber", kPlanarScene, "mass: 2", "mass: .nan",
     "scene.yaml:7:11: bodies.block.mass: `.nan` is not a finite number. Write a number in kg."},
    {"MassInfinite", kPlanarScene, "mass: 2", "mass: inf",
     "scene.yaml:7:11: bodies.block.mass: `inf` is not a finite number. Write a number in kg."},
    {"MassTooLarge", kPlanarScene, "mass: 2", "mass: 1e999",
     "scene.yaml:7:11: bodies.block.mass: `1e999` is out of the range of a double. Write a number in kg."},
    {"MassWithDigitGroups", kPlanarScene, "mass: 2", "mass: 2_000",
     "scene.yaml:7:11: bodies.block.mass: `2_000` is not a number. Write a number in kg."},
    {"PlanarInertiaIsAList", kPlanarScene, "inertia: 0.2", "inertia: [0.1, 0.1, 0.2]",
     "scene.yaml:8:14: bodies.block.inertia: expected a number, but found a list. Write one number in kg m^2."},
    {"FourMoments", kSpatialScene, "[1.0e-3, 1.6e-3, 1.9e-3]", "[1.0e-3, 1.6e-3, 1.9e-3, 0]",
     "scene.yaml:8:14: bodies.box.inertia: expected 3 or 6 numbers, but found 4. Write 3 moments, or 6 entries of the "
     "matrix: ixx, iyy, izz, ixy, ixz, iyz."},
    {"InertiaIsANumber", kSpatialScene, "[1.0e-3, 1.6e-3, 1.9e-3]", "1.0e-3",
     "scene.yaml:8:14: bodies.box.inertia: expected a list, but found `1.0e-3`. Write a list of 3 moments or 6 matrix "
     "entries in brackets."},
    {"SizeOfThree", kPlanarScene, "size: [1, 0.5]", "size: [1, 0.5, 2]",
     "scene.yaml:6:31: bodies.block.shape.rectangle.size: expected 2 numbers, but found 3. The scene is `space: "
     "planar`."},
    {"SizeOfTwo", kSpatialScene, "size: [0.2, 0.1, 0.3]", "size: [0.2, 0.1]",
     "scene.yaml:6:25: bodies.box.shape.box.size: expected 3 numbers, but found 2. The scene is `space: spatial`."},
    {"PolygonOfTwo", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", "{polygon: {vertices: [[0, 0], [1, 0]]}}",
     "scene.yaml:6:33: bodies.block.shape.polygon.vertices: 2 points do not define a shape. Give at least 3."},
    {"FixedIsAWord", kSpatialScene, "fixed: true", "fixed: yes",
     "scene.yaml:11:12: bodies.post.fixed: expected true or false, but found `yes`. Write `true` or `false`."},
    {"PatchInThePlane", kPlanarScene, "restitution: 0.25", "patch: [1, 1, 1]",
     "scene.yaml:11:33: contact.patch: a contact patch needs `space: spatial`. Leave `patch` out."},
    {"PatchOfTwo", kSpatialScene, "patch: [1, 1, 0.1]", "patch: [1, 1]",
     "scene.yaml:18:10: contact.patch: expected 3 numbers, but found 2. Write [e_t, e_o, e_r]."},
    {"NameWithDash", kPlanarScene, "  ground: {line", "  the-ground: {line",
     "scene.yaml:10:3: surfaces.the-ground: `the-ground` is not a valid name. Use letters, digits and `_`, and begin "
     "with a letter or `_`."},
    {"NameOfTheWorld", kPlanarScene, "  ground: {line", "  world: {line",
     "scene.yaml:10:3: surfaces.world: `world` is reserved. Choose another name."},
    {"NameTwice", kPlanarScene, "  ground: {line", "  block: {line",
     "scene.yaml:10:3: surfaces.block: a body has the same name. Names are unique over bodies, surfaces and joints; "
     "rename one."},
    {"LineInSpace", kSpatialScene, "    plane: {point: [0, 0, 0], normal: [0, 0, 1]}\n",
     "    line: {point: [0, 0], angle: 0}\n",
     "scene.yaml:13:3: surfaces.floor.line: a line is not possible with `space: spatial`. Use a `plane`."},
    {"PlaneInThePlane", kPlanarScene, "{line: {point: [0, 0], angle: 0}}",
     "{plane: {point: [0, 0, 0], normal: [0, 0, 1]}}",
     "scene.yaml:10:11: surfaces.ground.plane: a plane is not possible with `space: planar`. Use a `line`."},
    {"SurfaceWithoutForm", kPlanarScene, "{line: {point: [0, 0], angle: 0}}", "{velocity: [1, 0]}",
     "scene.yaml:10:11: `surfaces.ground.line` is missing. Write `line: {point: [x, y], angle: a}`."},
    {"LineWithoutAngle", kPlanarScene, ", angle: 0}}", "}}",
     "scene.yaml:10:18: `surfaces.ground.line.angle` is missing. Give the angle of the line; 0 is level ground."},
    {"AngleWithUnknownUnit", kPlanarScene, "angle: 0}", "angle: 30 degrees}",
     "scene.yaml:10:41: surfaces.ground.line.angle: `30 degrees` has a unit that is not supported here. Write a number "
     "in rad, or in degrees as `30 deg`."},
    {"GravityOfThree", kPlanarScene, "gravity: [0, -9.81]", "gravity: [0, 0, -9.81]",
     "scene.yaml:3:10: gravity: expected 2 numbers, but found 3. The scene is `space: planar`."},
    {"GravityIsANumber", kPlanarScene, "gravity: [0, -9.81]", "gravity: 9.81",
     "scene.yaml:3:10: gravity: expected a list, but found `9.81`. Write a list of 2 numbers in brackets."},
    {"GravityTiltOfOne", kSpatialScene, "tilt: [0, 0]", "tilt: [0]",
     "scene.yaml:3:34: gravity.tilt: expected 2 numbers, but found 1. Write a list of 2 numbers."},
    {"InitialPoseOfTwo", kPlanarScene, "pose: [0, 2, 0.25]", "pose: [0, 2]",
     "scene.yaml:13:17: initial.block.pose: expected 3 numbers, but found 2. Write [x, y, angle] of the body frame."},
    {"InitialWithoutPose", kPlanarScene, "{pose: [0, 2, 0.25], velocity", "{velocity",
     "scene.yaml:13:10: `initial.block.pose` is missing. Give [x, y, angle] of the body frame."},
    {"QuaternionOfThree", kSpatialScene, "orientation: [1, 0, 0, 0]", "orientation: [1, 0, 0]",
     "scene.yaml:21:45: initial.box.orientation: expected 4 numbers, but found 3. Write a list of 4 numbers."},
    {"PoseInSpace", kSpatialScene, "position: [0, 0, 0.5]", "pose: [0, 0, 0.5]",
     "scene.yaml:21:9: initial.box.pose: unknown key. Available: position, orientation, velocity and "
     "angular_velocity."},
    {"ActionsAreAMap", kSpatialScene,
     "  - {body: box, impulse: [0, 0, 1], at: 0.5}\n  - {body: box, force: [1, 0, 0], from: 0.1, until: 0.2}\n",
     "  push: {body: box}\n",
     "scene.yaml:23:1: actions: expected a list, but found a map. Write a list of loads, `{body: NAME, force: [...]}`, "
     "in brackets."},
    {"OptionIsAList", kSpatialScene, "corners: all", "corners: [1]",
     "scene.yaml:26:75: simulation.options.corners: an option is a word or a number. Write one of them."},
    {"KeyTwice", kPlanarScene, "    mass: 2\n", "    mass: 2\n    mass: 3\n",
     "scene.yaml:8:5: the key `mass` occurs twice in one map. Keep one of them."},
    {"Anchor", kPlanarScene, "mass: 2", "mass: &m 2",
     "scene.yaml:7:11: the anchor `&m` is not part of the scene format. Write the value out in each place."},
    {"Alias", kPlanarScene, "mass: 2", "mass: *m",
     "scene.yaml:7:11: an alias (`*name`) is not part of the scene format. Write the value out in each place."},
    {"MergeKey", kPlanarScene, "    mass: 2\n", "    mass: 2\n    <<: {inertia: 1}\n",
     "scene.yaml:8:5: the merge key `<<` is not part of the scene format. Write the values out in each place."},
    {"Tag", kPlanarScene, "mass: 2", "mass: !!float 2",
     "scene.yaml:7:11: the tag `tag:yaml.org,2002:float` is not part of the scene format. Leave the tag out."},
    {"SecondDocument", kPlanarScene, "simulation: {", "---\nsimulation: {",
     "scene.yaml:15:1: a second document begins here. Write one scene per file, without `---` between parts."},
    {"BlockText", kPlanarScene, "method: lcp", "method: \"a\\\n  b\"",
     "scene.yaml:14:22: text over several lines is not part of the scene format. Write the value on one line."},
    {"BadBrackets", kPlanarScene, "pose: [0, 2, 0.25]", "pose: [0, 2, 0.25",
     "scene.yaml:13:67: this is not valid YAML: illegal flow end. Check indentation, brackets, quotes and colons here "
     "and in the line above."},
    {"BadIndentation", kPlanarScene, "    mass: 2\n", "   mass: 2\n",
     "scene.yaml:7:4: this is not valid YAML: end of map not found. Check indentation, brackets, quotes and colons "
     "here and in the line above."},
    {"TabIndentation", kPlanarScene, "    mass: 2\n", "\tmass: 2\n",
     "scene.yaml:7:1: the line is indented with a tab. Indent with spaces."},
    {"ListAsKey", kPlanarScene, "    mass: 2\n", "    [mass]: 2\n",
     "scene.yaml:7:5: a list or map cannot be a key. Keys are names; check brackets and colons."},
    {"VelocityOfThree", kPlanarScene, "velocity: [1, 0]", "velocity: [1, 0, 0]",
     "scene.yaml:13:41: initial.block.velocity: expected 2 numbers, but found 3. The scene is `space: planar`."},
    {"AngularVelocityIsAList", kPlanarScene, "angular_velocity: 2", "angular_velocity: [0, 0, 2]",
     "scene.yaml:13:67: initial.block.angular_velocity: expected a number, but found a list. Write one number in "
     "rad/s."},
    {"TooFewNumbersInPoint", kSpatialScene, "point: [0, 0, 0], normal", "point: [0, 0], normal",
     "scene.yaml:14:20: surfaces.floor.plane.point: expected 3 numbers, but found 2. The scene is `space: spatial`."},
    {"SurfaceIsAList", kPlanarScene, "{line: {point: [0, 0], angle: 0}}", "[0, 0]",
     "scene.yaml:10:11: surfaces.ground: expected a map, but found a list. Write `key: value` pairs."},
    {"NumberTooSmall", kPlanarScene, "step: 1e-3", "step: 1e-999",
     "scene.yaml:14:33: simulation.step: `1e-999` is out of the range of a double. Write a number in s."},
    {"HexadecimalNumber", kPlanarScene, "mass: 2", "mass: 0x10",
     "scene.yaml:7:11: bodies.block.mass: `0x10` is not a number. Write a number in kg."},
    {"ColonWithoutBlank", kPlanarScene, "mass: 2", "mass:2",
     "scene.yaml:8:12: this is not valid YAML: illegal map value. Check indentation, brackets, quotes and colons here "
     "and in the line above."},
    {"ControlCharacter", kPlanarScene, "mass: 2", "mass: 2\x01",
     "scene.yaml:7:12: the byte 0x01 is not allowed in text. Save the scene as plain UTF-8 text."},
};

class WrongFormat : public ::testing::TestWithParam<WrongScene> {};

TEST_P(WrongFormat, SaysWhereWhatAndWhatToDo) {
  const std::string good = GetParam().scene;
  ASSERT_NO_THROW(ParseScene(good, "scene.yaml"));
  ASSERT_NE(good.find(GetParam().from), std::string::npos);
  ASSERT_EQ(good.find(GetParam().from), good.rfind(GetParam().from));
  EXPECT_EQ(MessageOf(Changed(GetParam())), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, WrongFormat, ::testing::ValuesIn(kFormatCases),
                         [](const ::testing::TestParamInfo<WrongScene>& wrong) { return wrong.param.name; });

}  // namespace
}  // namespace ricochet
