// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>

#include "core/input_file.h"
#include "ricochet/scene.h"
#include "scene/optional_parts.h"
#include "tests/support/test_paths.h"
#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

std::vector<std::string> ScenesBelow(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testing::SourcePath(folder))) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  return files;
}

TEST(ReadScene, EveryExampleAndReferenceIsRead) {
  std::vector<std::string> files = ScenesBelow("examples");
  EXPECT_GE(files.size(), 11u);
  const std::vector<std::string> truths = ScenesBelow("tests/data/truth");
  EXPECT_GE(truths.size(), 23u);
  files.insert(files.end(), truths.begin(), truths.end());
  for (const std::string& file : files) {
    EXPECT_NO_THROW({
      const Scene scene = ReadScene(file);
      EXPECT_EQ(scene.file, file);
      EXPECT_FALSE(scene.simulation.method.empty()) << file;
      EXPECT_EQ(FormatScene(scene), scene.text) << file;
    }) << file;
  }
}

TEST(ReadScene, SceneOfTheManualIsRead) {
  const std::string manual = ReadInputFile(testing::SourcePath("docs/scene.md"));
  const std::string open = "```yaml\n";
  const std::size_t begin = manual.find(open) + open.size();
  const Scene scene = ParseScene(manual.substr(begin, manual.find("```", begin) - begin), "scene.md");
  EXPECT_EQ(scene.bodies[0].name, "block");
}

TEST(ReadScene, RecordingInThePlaceOfAScene) {
  try {
    ParseScene("t,x,y,theta\n0,1,2,3\n", "throw.csv");
    FAIL() << "a recording was read as a scene";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "throw.csv:1:1: this is a recording (CSV), not a scene. Give the scene (YAML) first, then the recordings.");
  }
}

TEST(ReadScene, FileThatIsNotThere) { EXPECT_THROW(ReadScene("no/such/scene.yaml"), InputError); }

TEST(ReadScene, PlanarScene) {
  const Scene scene = ReadScene(testing::SourcePath("examples/block.yaml"));
  EXPECT_EQ(scene.space, Space::kPlanar);
  ASSERT_EQ(scene.bodies.size(), 1u);
  const Body& body = scene.bodies[0];
  EXPECT_EQ(body.name, "block");
  ASSERT_TRUE(body.shape);
  EXPECT_EQ(body.shape->type, ShapeType::kRectangle);
  EXPECT_EQ(scene[body.shape->numbers[1]], 1);
  EXPECT_EQ(scene[body.inertia[0]], 0.16666666666666666);
  const SceneNumber& friction = scene.number(scene.contact.friction);
  EXPECT_EQ(friction.value, 0.7);
  EXPECT_EQ(friction.path, "contact.friction");
  EXPECT_EQ(friction.quantity, Quantity::kFriction);
  EXPECT_EQ(friction.where.line, 12);
  EXPECT_EQ(friction.where.column, 21);
  EXPECT_TRUE(friction.given);
  EXPECT_FALSE(scene.number(scene.contact.tangential_restitution).given);
  EXPECT_EQ(scene[scene.initial[0].position[1]], 2);
  EXPECT_EQ(scene[scene.initial[0].orientation[0]], 0.3);
  EXPECT_EQ(scene[scene.initial[0].angular_velocity[0]], 2);
  EXPECT_EQ(scene.simulation.method, "lcp");
  EXPECT_EQ(scene[scene.simulation.step], 1e-3);
}

TEST(ReadScene, SpatialScene) {
  const Scene scene = ParseScene(kSpatialScene, "scene.yaml");
  EXPECT_TRUE(scene.gravity.polar);
  EXPECT_EQ(scene[scene.gravity.vector[2]], -9.81);
  EXPECT_TRUE(scene.bodies[1].fixed);
  EXPECT_FALSE(scene.bodies[1].mass);
  EXPECT_EQ(scene[scene.bodies[1].shape->numbers[4]], 1);  // the cylinder's axis is z
  EXPECT_EQ(scene.surfaces[0].extent.size(), 4u);
  EXPECT_EQ(scene[scene.surfaces[0].extent[2]], -1);
  EXPECT_EQ(scene.contact.patch.size(), 3u);
  ASSERT_EQ(scene.pair_laws.size(), 1u);
  EXPECT_EQ(scene.pair_laws[0].a, "box");
  EXPECT_EQ(scene.pair_laws[0].b, "floor");
  ASSERT_EQ(scene.actions.size(), 2u);
  EXPECT_EQ(scene[scene.actions[0].impulse[2]], 1);
  EXPECT_TRUE(scene.actions[0].at);
  EXPECT_TRUE(scene.actions[1].impulse.empty());
  EXPECT_EQ(scene[scene.actions[1].until], 0.2);
  ASSERT_EQ(scene.simulation.options.size(), 1u);
  EXPECT_EQ(scene.simulation.options[0].name, "corners");
  EXPECT_EQ(scene.simulation.options[0].word, "all");
  EXPECT_EQ(scene.observe.channels, std::vector<std::string>{"box.x"});
  EXPECT_EQ(scene[scene.observe.noise_position], 1e-3);
  ASSERT_EQ(scene.observe.offsets.size(), 1u);
  EXPECT_EQ(scene.observe.offsets[0].channel, "box.x");
}

TEST(ReadScene, TrackedFramesAndPoints) {
  // Frames that are not written have paths and are 0.
  const Scene without = ParseScene(kSpatialScene, "scene.yaml");
  ASSERT_EQ(without.observe.frames.size(), 1u);  // the post is fixed
  EXPECT_EQ(without.observe.frames[0].body, "box");
  EXPECT_EQ(without.number(without.observe.frames[0].rotation[2]).path, "observe.frame.rotation[2]");
  EXPECT_EQ(without[without.observe.frames[0].position[1]], 0);
  EXPECT_FALSE(without.number(without.observe.frames[0].position[1]).given);
  EXPECT_EQ(without.Match("observe.frame").size(), 6u);

  const Scene spatial = ParseScene(
      Changed({"", kSpatialScene, "noise: {position: 1.0e-3}",
               "frame: {position: [0.1, 0, 0.2]}, points: {tip: [0, 0, 0.15], side: {body: box, at: [0.1, 0, "
               "0]}}, offset: {tip.z: 0.5}",
               ""}),
      "scene.yaml");
  EXPECT_EQ(spatial[spatial.observe.frames[0].position[2]], 0.2);
  EXPECT_FALSE(spatial.number(spatial.observe.frames[0].rotation[0]).given);
  ASSERT_EQ(spatial.observe.points.size(), 2u);
  EXPECT_EQ(spatial[spatial.Find("observe.points.tip[2]")], 0.15);
  EXPECT_EQ(spatial[spatial.Find("observe.points.side[0]")], 0.1);
  EXPECT_EQ(spatial.observe.points[1].body, "box");
  EXPECT_EQ(spatial[spatial.Find("observe.offset.tip.z")], 0.5);

  const Scene planar = ParseScene(std::string(kPlanarScene) + "observe: {frame: {rotation: 25 deg}}\n", "scene.yaml");
  EXPECT_EQ(planar.Match("observe.frame").size(), 3u);
  EXPECT_DOUBLE_EQ(planar[planar.Find("observe.frame.rotation")], 25 * std::numbers::pi / 180);

  const Scene several = ParseScene(Changed({"", kMechanism, "observe: [shoulder.angle]",
                                            "observe: {frames: {B: {rotation: [0, 0, 1]}}, points: {tip: {body: B, at: "
                                            "[0.2, 0, 0]}}}",
                                            ""}),
                                   "scene.yaml");
  ASSERT_EQ(several.observe.frames.size(), 2u);
  EXPECT_EQ(several[several.Find("observe.frames.B.rotation[2]")], 1);
  EXPECT_EQ(several[several.Find("observe.frames.A.position[0]")], 0);
  EXPECT_EQ(several.Match("observe.frames.B").size(), 6u);
  EXPECT_EQ(several.Match("observe.frames.*").size(), 12u);
}

TEST(ReadScene, Mechanism) {
  const Scene scene = ParseScene(kMechanism, "scene.yaml");
  ASSERT_EQ(scene.joints.size(), 2u);
  const Joint& shoulder = scene.joints[0];
  EXPECT_EQ(shoulder.type, JointType::kHinge);
  EXPECT_EQ(shoulder.parent, "world");
  EXPECT_EQ(shoulder.child, "A");
  EXPECT_EQ(scene[shoulder.child_frame.point[0]], -0.1);
  EXPECT_EQ(scene[shoulder.parent_frame.axis[2]], 1);
  ASSERT_TRUE(shoulder.dry && shoulder.stribeck && shoulder.motor && shoulder.limits);
  EXPECT_EQ(shoulder.dry->norm, DryNorm::kL1);
  EXPECT_EQ(scene[shoulder.stribeck->static_friction], 0.2);
  EXPECT_EQ(shoulder.motor->input, "u");
  EXPECT_FALSE(scene.number(shoulder.motor->shaft_inertia).given);
  EXPECT_EQ(scene[shoulder.limits->lower[0]], -std::numbers::pi / 2);
  EXPECT_EQ(scene[shoulder.compliance_linear], 0);
  EXPECT_EQ(scene.joints[1].type, JointType::kBall);
  EXPECT_TRUE(scene.joints[1].child_frame.axis.empty());
  EXPECT_EQ(scene[scene.initial[0].angle], 0.5);
  EXPECT_EQ(scene.bodies[1].inertia.size(), 6u);
  EXPECT_EQ(scene[scene.gravity.vector[2]], -9.81);  // where the scene does not say
  EXPECT_FALSE(scene.number(scene.gravity.vector[2]).given);
}

/// Parts that change nothing have paths too, so that they can be requested and tested; they do not act.
TEST(ReadScene, PartsOfMechanismsThatDoNotAct) {
  const Scene scene = ParseScene(kMechanism, "scene.yaml");
  for (const char* path : {"joints.shoulder.coulomb", "joints.shoulder.drive.stiffness", "bodies.B.drag.linear",
                           "bodies.B.drag.quadratic", "observe.eccentricity.shoulder.angle[1]"}) {
    const NumberId id = scene.Find(path);
    ASSERT_TRUE(id) << path;
    EXPECT_EQ(scene[id], 0) << path;
    EXPECT_FALSE(scene.number(id).given) << path;
  }
  EXPECT_EQ(scene[scene.Find("observe.scale.shoulder.angle")], 1);
  EXPECT_FALSE(scene.Find("joints.wrist.coulomb"));
  EXPECT_FALSE(HasDrag(scene, scene.bodies[0]));
  EXPECT_FALSE(HasDrive(scene, scene.joints[0]));
  Scene acting = scene;
  acting.Set("bodies.A.drag.linear", {0.1});
  acting.Set("joints.shoulder.drive.stiffness", {2});
  EXPECT_TRUE(HasDrag(acting, acting.bodies[0]));
  EXPECT_FALSE(HasDrag(acting, acting.bodies[1]));
  EXPECT_TRUE(HasDrive(acting, acting.joints[0]));
  // A scene without joints has drag where the file has it.
  EXPECT_FALSE(ParseScene(kSpatialScene, "s").Find("bodies.box.drag.linear"));
}

TEST(ReadScene, EveryJointTypeIsRead) {
  const auto with = [](const char* from, const char* to) {
    return ParseScene(Changed({"", kMechanism, from, to, ""}), "s");
  };
  EXPECT_TRUE(with("type: ball", "type: ball").joints[1].parent_frame.axis.empty());
  const Scene fixed = with("type: ball", "type: fixed");
  EXPECT_EQ(fixed[fixed.joints[1].parent_frame.axis[2]], 1);
  EXPECT_EQ(fixed[fixed.joints[1].parent_frame.zero[0]], 1);
  const Scene distance = with("    type: ball\n", "    type: distance\n    length: 0.3\n");
  EXPECT_EQ(distance[distance.joints[1].length], 0.3);
  const Scene universal = with(
      "ball\n    parent: A\n    child: B\n    parent_frame: {point: [0.1, 0, 0]}\n    child_frame: {point: [-0.2, 0, "
      "0]}",
      "universal\n    parent: A\n    child: B\n    parent_frame: {point: [0.1, 0, 0], axis: [1, 0, 0]}\n"
      "    child_frame: {point: [-0.2, 0, 0], axis: [0, 1, 0]}");
  EXPECT_EQ(universal.joints[1].type, JointType::kUniversal);
  EXPECT_EQ(universal[universal.joints[1].child_frame.axis[1]], 1);

  // A slider measures in meters where a hinge has radians, so degrees have no place there.
  std::string text = Changed({"", kMechanism, "type: hinge", "type: slider", ""});
  EXPECT_EQ(SceneMessageOf(text),
            "scene.yaml:16:21: joints.shoulder.limits.lower: `-90 deg` has a unit that is not supported here. Write "
            "the number alone; it is in m.");
  text.replace(text.find("-90 deg"), 7, "-0.5");
  text.replace(text.find("90 deg"), 6, "0.5");
  const Scene slider = ParseScene(text, "s");
  EXPECT_EQ(slider.number(slider.joints[0].limits->lower[0]).quantity, Quantity::kPosition);
  EXPECT_EQ(slider.number(slider.joints[0].viscous).quantity, Quantity::kLinearViscous);
  EXPECT_EQ(slider.number(slider.initial[0].rate).quantity, Quantity::kVelocity);
}

TEST(ReadScene, ClockwisePolygonIsTurned) {
  const Scene scene = ParseScene(Changed({"", kPlanarScene, "{rectangle: {size: [1, 0.5]}}",
                                          "{polygon: {vertices: [[0, 0], [0, 1], [2, 0]]}}", ""}),
                                 "scene.yaml");
  const Shape& shape = *scene.bodies[0].shape;
  // Counter-clockwise for the model, while every number keeps the path of its place in the text.
  EXPECT_EQ(scene.number(shape.numbers[0]).path, "bodies.block.shape.polygon.vertices[2][0]");
  EXPECT_EQ(scene[shape.numbers[0]], 2);
  EXPECT_EQ(scene[shape.numbers[3]], 1);
  EXPECT_EQ(scene.number(shape.numbers[5]).path, "bodies.block.shape.polygon.vertices[0][1]");
}

TEST(ReadScene, JsonIsAScene) {
  const Scene scene =
      ParseScene(R"({"ricochet": 1, "space": "planar", "bodies": {"b": {"mass": 1, "inertia": 1e-2}}})", "scene.json");
  EXPECT_EQ(scene[scene.bodies[0].inertia[0]], 1e-2);
}

TEST(ReadScene, OptionsAreWordsOrNumbers) {
  const Scene scene = ParseScene(
      Changed({"", kSpatialScene, "{corners: all}", "{corners: all, gap_tolerance: 1e-9, tag: \"7\", on: true}", ""}),
      "s");
  ASSERT_EQ(scene.simulation.options.size(), 4u);
  EXPECT_FALSE(scene.simulation.options[0].number);
  EXPECT_EQ(scene[scene.simulation.options[1].number], 1e-9);
  EXPECT_EQ(scene.number(scene.simulation.options[1].number).path, "simulation.options.gap_tolerance");
  EXPECT_EQ(scene.simulation.options[2].word, "7");
  EXPECT_EQ(scene.simulation.options[3].word, "true");
}

}  // namespace
}  // namespace ricochet
