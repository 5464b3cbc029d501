// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/urdf_import.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "dynamics/kinematics.h"
#include "ricochet/scene.h"
#include "tests/support/damaged_import.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

// Base without shape, an arm on a hinge, a camera frame without mass on the arm, a slider on the camera frame.
const char* const kRobot = R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="arm-1">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.025"/>
    </inertial>
    <collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.02"/></geometry></collision>
  </link>
  <link name="camera"/>
  <link name="tip">
    <inertial><mass value="0.5"/><inertia ixx="1e-3" ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="1e-3"/></inertial>
    <collision><geometry><sphere radius="0.03"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm-1"/><origin xyz="0 0 0.5" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="5" velocity="1"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="mount" type="fixed"><parent link="arm-1"/><child link="camera"/><origin xyz="0.2 0 0" rpy="0 0 1.5707963267948966"/></joint>
  <joint name="tip" type="prismatic">
    <parent link="camera"/><child link="tip"/><origin xyz="0.05 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1"/>
  </joint>
</robot>
)";

TEST(Urdf, LinksJointsInertiasAndShapes) {
  const Scene scene = ParseScene(ConvertUrdf(kRobot, "arm.urdf"), "arm.yaml");
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[0].name, "arm_1");
  const auto inertia = [&](int i) { return scene[scene.bodies[0].inertia[i]]; };
  // Turned by 90 degrees about z: xx and yy change places, xy changes its sign.
  EXPECT_NEAR(inertia(0), 0.02, 1e-12);
  EXPECT_NEAR(inertia(1), 0.01, 1e-12);
  EXPECT_NEAR(inertia(2), 0.025, 1e-12);
  EXPECT_NEAR(inertia(3), -0.001, 1e-12);
  EXPECT_NEAR(scene[scene.bodies[0].center_of_mass[0]], 0.1, 1e-15);
  EXPECT_EQ(scene.bodies[0].shape->type, ShapeType::kPolytope);
  EXPECT_EQ(scene.bodies[1].shape->type, ShapeType::kSphere);
  ASSERT_EQ(scene.joints.size(), 2u);
  EXPECT_EQ(scene.joints[0].parent, "world");
  EXPECT_EQ(scene.joints[0].type, JointType::kHinge);
  EXPECT_EQ(scene[scene.joints[0].limits->upper[0]], 2);
  EXPECT_EQ(scene[scene.joints[0].viscous], 0.1);
  // The slider hangs on the arm, at the camera's place, along the camera's x, which is the arm's y.
  EXPECT_EQ(scene.joints[1].name, "tip_joint");
  EXPECT_EQ(scene.joints[1].parent, "arm_1");
  EXPECT_NEAR(scene[scene.joints[1].parent_frame.point[0]], 0.2, 1e-15);
  EXPECT_NEAR(scene[scene.joints[1].parent_frame.point[1]], 0.05, 1e-15);
  EXPECT_NEAR(scene[scene.joints[1].parent_frame.axis[1]], 1, 1e-15);
  // At zero angles the tip is where the URDF puts it.
  const Model model = CompileModel(scene);
  double pose[7];
  BodyPose(model, InitialState(model), 1, pose);
  EXPECT_NEAR(pose[0], 0.2, 1e-12);
  EXPECT_NEAR(pose[1], 0.05, 1e-12);
  EXPECT_NEAR(pose[2], 0.5, 1e-12);
}

TEST(Urdf, WhatIsLeftOutIsSaid) {
  const std::string scene = ConvertUrdf(kRobot, "arm.urdf");
  EXPECT_NE(scene.find("# - limits of effort and velocity of 1 joints are left out"), std::string::npos) << scene;
  EXPECT_NE(scene.find("arm-1 is called arm_1 here"), std::string::npos);
}

TEST(Urdf, FrictionLimitsAndRecordedAngles) {
  const std::string text = ConvertUrdf(kRobot, "arm.urdf");
  const Scene scene = ParseScene(text, "arm.yaml");
  EXPECT_EQ(scene[scene.Find("joints.shoulder.viscous")], 0.1);
  EXPECT_EQ(scene[scene.Find("joints.shoulder.coulomb")], 0.2);
  EXPECT_EQ(scene[scene.Find("joints.shoulder.limits.upper")], 2);
  EXPECT_NE(text.find("\nobserve: [shoulder.angle, tip_joint.angle]\n"), std::string::npos) << text;
  // YAML 1.1 takes 1e-05 for a text.
  EXPECT_FALSE(std::regex_search(text, std::regex("[ [][0-9]+e-?[0-9]"))) << text;
}

// A tree: two arms on a floating base, one with a turned cylinder, one that goes round and round.
TEST(Urdf, ATreeOnAFloatingBase) {
  const std::string mass = "<inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial>";
  const std::string text =
      "<robot name='two'><link name='base'>" + mass +
      "<collision><geometry><box size='0.2 0.2 0.1'/></geometry></collision></link>"
      "<link name='left'>" +
      mass +
      "<collision><origin rpy='0 1.5707963267948966 0'/><geometry><cylinder radius='0.02' length='0.3'/></geometry>"
      "</collision></link><link name='right'>" +
      mass +
      "</link><joint name='l' type='continuous'><parent link='base'/><child link='left'/><origin xyz='0.1 0 0' "
      "rpy='0 0 0.5'/><axis xyz='0 0 2'/></joint><joint name='r' type='fixed'><parent link='base'/><child "
      "link='right'/><origin xyz='-0.1 0 0'/></joint></robot>";
  const Scene scene = ParseScene(ConvertUrdf(text, "two.urdf", {.floating = true}), "two.yaml");
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_FALSE(scene.bodies[0].fixed);
  EXPECT_EQ(scene.bodies[0].shape->type, ShapeType::kBox);
  EXPECT_EQ(scene.bodies[1].shape->type, ShapeType::kCylinder);
  EXPECT_FALSE(scene.joints[0].limits.has_value());
  EXPECT_EQ(scene.joints[1].type, JointType::kFixed);
  // The left arm is turned by 0.5 rad about z at zero angle.
  const Model model = CompileModel(scene);
  double pose[7];
  BodyPose(model, InitialState(model), 1, pose);
  EXPECT_NEAR(pose[0], 0.1, 1e-12);
  EXPECT_NEAR(std::abs(pose[3]), std::cos(0.25), 1e-12);
  // On the ground the base does not move.
  EXPECT_TRUE(ParseScene(ConvertUrdf(text, "two.urdf"), "two.yaml").bodies[0].fixed);
}

std::string Mass(const std::string& inertia) {
  return "<inertial><origin xyz='0 0 -0.5'/><mass value='0.5'/><inertia " + inertia + "/></inertial>";
}
const char* const kBall = "ixx='0.01' iyy='0.01' izz='0.01'";

TEST(Urdf, TheWorldNeedsNoLinkAndFixedJointsNoAxis) {
  const Scene scene = ParseScene(
      ConvertUrdf("<robot name='r'><link name='base'>" + Mass("ixx='0' iyy='0' izz='0'") + "</link><link name='arm'>" +
                      Mass(kBall) +
                      "</link><joint name='weld' type='fixed'><parent link='world'/><child link='base'/><origin "
                      "xyz='0 0 1'/><axis xyz='0 0 0'/></joint><joint name='theta' type='continuous'><parent "
                      "link='base'/><child link='arm'/><axis xyz='0 1 0'/></joint></robot>",
                  "r.urdf"),
      "r.yaml");
  // The base is welded to the world, so that its missing inertia does not matter.
  ASSERT_EQ(scene.bodies.size(), 1u);
  ASSERT_EQ(scene.joints.size(), 1u);
  EXPECT_EQ(scene.joints[0].parent, "world");
  EXPECT_EQ(scene[scene.joints[0].parent_frame.point[2]], 1);
}

TEST(Urdf, PartsWithoutInertiaAddTheirMass) {
  const std::string text =
      ConvertUrdf("<robot name='r'><link name='world'/><link name='arm'>" + Mass(kBall) + "</link><link name='tip'>" +
                      "<inertial><mass value='0.5'/></inertial><collision><geometry><box size='0.1 0.1 "
                      "0.1'/></geometry></collision></link><joint name='j' type='continuous'><parent "
                      "link='world'/><child link='arm'/></joint><joint name='w' type='fixed'><parent "
                      "link='arm'/><child link='tip'/><origin xyz='0 0 -1.5'/></joint></robot>",
                  "r.urdf");
  const Scene scene = ParseScene(text, "r.yaml");
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene[scene.bodies[0].mass], 1);
  EXPECT_NEAR(scene[scene.bodies[0].center_of_mass[2]], -1, 1e-15);
  EXPECT_NEAR(scene[scene.bodies[0].inertia[0]], 0.01 + 0.5 * 0.25 + 0.5 * 0.25, 1e-15);
  EXPECT_NEAR(scene[scene.bodies[0].inertia[2]], 0.01, 1e-15);
  EXPECT_EQ(scene.bodies[0].shape->type, ShapeType::kPolytope);
  EXPECT_NE(text.find("link tip: has mass but no inertia; a part of arm here"), std::string::npos);
}

TEST(Urdf, MeshesBecomeConvexHulls) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.File("cups/meshes"));
  std::filesystem::create_directories(folder.File("cups/urdf"));
  std::string obj = "# a cube with a point inside\nv 0 0 0\n";
  for (int i = 0; i < 8; ++i) obj += fmt::format("v {} {} {}\n", i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
  std::ofstream(folder.File("cups/meshes/cup.obj")) << obj;
  const auto convert = [&](const std::string& mesh) {
    return ConvertUrdf("<robot name='cup'><link name='cup'>" + Mass(kBall) +
                           "<collision><origin xyz='0 0 1'/><geometry>" + mesh +
                           "</geometry></collision></link></robot>",
                       folder.File("cups/urdf/cup.urdf"));
  };
  for (const char* name : {"package://cups/meshes/cup.obj", "../meshes/cup.obj"}) {
    const std::string text = convert(fmt::format("<mesh filename='{}' scale='0.1 0.2 0.3'/>", name));
    const Scene scene = ParseScene(text, "cup.yaml");
    ASSERT_TRUE(scene.bodies[0].shape) << text;
    EXPECT_EQ(scene.bodies[0].shape->type, ShapeType::kPolytope);
    ASSERT_EQ(scene.bodies[0].shape->numbers.size(), 24u);
    EXPECT_NEAR(scene[scene.bodies[0].shape->numbers[2]], 0.7, 1e-15);
    EXPECT_NE(text.find("becomes its convex hull of 8 corners"), std::string::npos) << text;
  }
  EXPECT_NE(convert("<mesh filename='cup.dae'/>").find("only STL and OBJ are read (cup.dae)"), std::string::npos);
  std::ofstream(folder.File("cups/meshes/cup.obj")) << "v 0 0 zero\n";
  EXPECT_NE(testing::MessageOf([&] {
              convert("<mesh filename='../meshes/cup.obj'/>");
            }).find("cup.obj:1: v: `zero` is not a finite number."),
            std::string::npos);
}

TEST(Urdf, ASingleLinkIsAFreeBodyAndOneWithoutMassAnObstacle) {
  const std::string cup = "<robot name='cup'><link name='cup'>" + Mass(kBall) +
                          "<collision><geometry><mesh filename='cup.obj'/></geometry></collision></link></robot>";
  const Scene scene = ParseScene(ConvertUrdf(cup, "cup.urdf"), "cup.yaml");
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_FALSE(scene.bodies[0].fixed);
  EXPECT_NE(ConvertUrdf(cup, "cup.urdf")
                .find("# - the mesh of cup is left out: there is no such file beside the description (cup.obj)"),
            std::string::npos);
  const Scene table = ParseScene(
      ConvertUrdf("<robot name='t'><link name='world'/><joint name='f' type='fixed'><parent link='world'/><child "
                  "link='top'/></joint><link name='top'><inertial><mass value='0'/></inertial><collision><origin "
                  "xyz='0 0 0.6'/><geometry><box size='0.6 0.6 0.08'/></geometry></collision></link></robot>",
                  "t.urdf"),
      "t.yaml");
  ASSERT_EQ(table.bodies.size(), 1u);
  EXPECT_TRUE(table.bodies[0].fixed);
}

TEST(Urdf, MomentsOfZeroAndImpossibleOnes) {
  const auto robot = [](const std::string& inertia) {
    return "<robot name='r'>\n<link name='world'/>\n<link name='arm'>\n" + Mass(inertia) +
           "</link>\n<joint name='j' type='continuous'><parent link='world'/><child link='arm'/></joint></robot>";
  };
  const Scene point = ParseScene(ConvertUrdf(robot("ixx='0' iyy='0' izz='0'"), "r.urdf"), "r.yaml");
  EXPECT_NEAR(point[point.bodies[0].inertia[0]], 0.4 * 0.5 * 0.005 * 0.005, 1e-12);
  const std::string rod = ConvertUrdf(robot("ixx='1e-4' iyy='1e-4' izz='0'"), "r.urdf");
  EXPECT_NE(rod.find("# - link arm: a moment of inertia is 0; 1e-07 kg m^2 are added to all of them"),
            std::string::npos)
      << rod;
  // YAML 1.1 reads 1e-05 as text.
  const std::string thin = ConvertUrdf(robot("ixx='1e-4' iyy='1e-4' izz='1e-5'"), "r.urdf");
  EXPECT_NE(thin.find("1.0e-05"), std::string::npos) << thin;
  EXPECT_EQ(testing::MessageOf([&] { ConvertUrdf(robot("ixx='0.003' iyy='0.0236' izz='0.0269'"), "r.urdf"); }),
            "r.urdf:4: arm: the principal moments 0.003, 0.0236, 0.0269 kg m^2 cannot belong to a rigid body: the "
            "largest exceeds the sum of the others. Correct <inertia> in the file.");
  EXPECT_EQ(testing::MessageOf([&] { ConvertUrdf(robot("ixx='-1' iyy='1' izz='1'"), "r.urdf"); }),
            "r.urdf:4: arm: the principal moments -1, 1, 1 kg m^2 cannot belong to a rigid body: a moment is "
            "negative. Correct <inertia> in the file.");
}

void ExpectError(const std::string& text, const std::string& part, int line) {
  try {
    ConvertUrdf(text, "r.urdf");
    FAIL() << part;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
  }
}

TEST(Urdf, WrongFiles) {
  ExpectError("<robot>", "not XML", 1);
  ExpectError("<model/>", "no <robot>", 1);
  ExpectError(
      "<robot>\n<link name='a'/>\n<joint name='j' type='planar'><parent link='a'/><child link='b'/></joint></robot>",
      "type `planar`", 3);
  ExpectError(
      "<robot>\n<link name='a'/><link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/><child "
      "link='c'/></joint></robot>",
      "no link `c`", 3);
  ExpectError(
      "<robot><link name='a'/>\n<link name='b'/>\n<joint name='j' type='revolute'><parent link='a'/><child "
      "link='b'/></joint></robot>",
      "needs a mass", 2);
  ExpectError("<robot><link name='a'/>\n<link name='a'/></robot>", "two links", 2);
  const std::string mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
  const auto joint = [](const std::string& inside) {
    return "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>" + inside + "</joint></robot>";
  };
  const std::string two = "<robot><link name='a'/>\n<link name='b'>" + mass + "</link>\n";
  ExpectError(two + joint("<axis xyz='0 0 0'/>"), "no direction", 3);
  ExpectError(two + joint("<origin xyz='0 0'/>"), "expected 3 numbers", 3);
  ExpectError(two + joint("<origin xyz='0 0 nan'/>"), "expected 3 numbers", 3);
  ExpectError(two + joint("<limit lower='-1' upper='one'/>"), "expected 1 number", 3);
  ExpectError(two + "<joint type='fixed'/></robot>", "no `name`", 3);
  ExpectError(two + "<joint name='j' type='fixed'><parent link='a'/></joint></robot>", "no <child>", 3);
  ExpectError(two + "</robot>", "nothing carries", 1);
  ExpectError("<robot>\n<link name='a'><inertial><mass value='heavy'/></inertial></link></robot>", "expected 1 number",
              2);
  ExpectError("<robot></robot>", "no links", 1);
}

}  // namespace
}  // namespace ricochet
