// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/channels.h"

#include <gtest/gtest.h>

#include <string>

namespace ricochet {
namespace {

void AddBody(Scene& scene, const std::string& name, bool fixed = false) {
  Body body;
  body.name = name;
  body.fixed = fixed;
  scene.bodies.push_back(body);
}

void AddJoint(Scene& scene, const std::string& name, JointType type, const std::string& input = "") {
  Joint joint;
  joint.name = name;
  joint.type = type;
  if (!input.empty()) {
    joint.motor.emplace();
    joint.motor->input = input;
  }
  scene.joints.push_back(joint);
}

Scene OneBody(Space space) {
  Scene scene;
  scene.space = space;
  AddBody(scene, "box");
  return scene;
}

// A fixed table, two moving bodies, a driven hinge and a ball joint.
Scene Linkage() {
  Scene scene;
  scene.space = Space::kSpatial;
  AddBody(scene, "table", true);
  AddBody(scene, "arm");
  AddBody(scene, "rod");
  AddJoint(scene, "hinge1", JointType::kHinge, "u");
  AddJoint(scene, "socket", JointType::kBall);
  return scene;
}

// A recording with one row of these columns, named without `t`.
Recording WithColumns(const std::vector<std::string>& columns) {
  Recording recording;
  recording.file = "a.csv";
  recording.columns = columns;
  recording.time = {0};
  recording.values.assign(columns.size(), {1});
  return recording;
}

std::string MessageFor(const std::vector<std::string>& columns, const Scene& scene) {
  try {
    ResolveChannels(WithColumns(columns), scene);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResolveChannels, PlanarPoseAndVelocityInAnyOrder) {
  const Channels channels =
      ResolveChannels(WithColumns({"omega", "y", "gap", "x", "theta", "vx", "vy"}), OneBody(Space::kPlanar));
  ASSERT_EQ(channels.bodies.size(), 1u);
  EXPECT_EQ(channels.bodies[0].pose, (std::vector<int>{3, 1, 4}));
  EXPECT_EQ(channels.bodies[0].velocity, (std::vector<int>{5, 6, 0}));
  EXPECT_EQ(channels.others, (std::vector<int>{2}));
  EXPECT_TRUE(channels.HasPoses());
  EXPECT_FALSE(channels.HasJoints());
}

TEST(ResolveChannels, PointsOfABody) {
  Scene scene = Linkage();
  for (const char* name : {"tip", "heel"}) {
    ObservedPoint point;
    point.name = name;
    point.body = "rod";
    for (int axis = 0; axis < 3; ++axis)
      point.at.push_back(scene.Add({std::string("observe.points.") + name + "[" + std::to_string(axis) + "]",
                                    0.0,
                                    Quantity::kPosition,
                                    {},
                                    true}));
    scene.observe.points.push_back(point);
  }
  const Channels channels = ResolveChannels(WithColumns({"tip.z", "tip.x", "rod.tip.y", "u"}), scene);
  ASSERT_EQ(channels.points.size(), 2u);
  EXPECT_EQ(channels.points[0], (std::vector<int>{1, 2, 0}));
  EXPECT_TRUE(channels.points[1].empty());
  EXPECT_TRUE(channels.HasPoints());
  EXPECT_FALSE(channels.HasPoses());
  EXPECT_EQ(MessageFor({"tip.x", "tip.z"}, scene),
            "a.csv: tip: its position has `x` and `z` but not `y`. Give all of x, y and z.");
  EXPECT_EQ(MessageFor({"tip.x", "tip.y", "tip.w"}, scene),
            "a.csv: tip.w: a point of a spatial scene has no `w`. Its columns are x, y and z.");
  EXPECT_EQ(MessageFor({"tip.x", "rod.tip.x"}, scene),
            "a.csv: rod.tip.x: this is the same quantity as `tip.x`. `tip.x` and `rod.tip.x` are the same column: "
            "remove or rename one.");
  EXPECT_EQ(MessageFor({"top.x"}, scene),
            "a.csv: top.x: the scene has no body, joint or point `top`. Did you mean "
            "`tip`?");
}

TEST(ResolveChannels, VelocityMayBeAbsent) {
  const Channels channels = ResolveChannels(WithColumns({"x", "y", "theta"}), OneBody(Space::kPlanar));
  EXPECT_TRUE(channels.bodies[0].velocity.empty());
  EXPECT_TRUE(channels.others.empty());
}

TEST(ResolveChannels, UnprefixedBelongToTheFirstMovingBody) {
  const Channels channels = ResolveChannels(WithColumns({"x", "y", "z", "qw", "qx", "qy", "qz", "rod.x", "rod.y",
                                                         "rod.z", "rod.qw", "rod.qx", "rod.qy", "rod.qz"}),
                                            Linkage());
  EXPECT_TRUE(channels.bodies[0].pose.empty());
  EXPECT_EQ(channels.bodies[1].pose, (std::vector<int>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(channels.bodies[2].pose, (std::vector<int>{7, 8, 9, 10, 11, 12, 13}));
}

TEST(ResolveChannels, JointsAndInputs) {
  const Channels channels = ResolveChannels(WithColumns({"u", "hinge1.rate", "hinge1.angle"}), Linkage());
  ASSERT_EQ(channels.joints.size(), 2u);
  EXPECT_EQ(channels.joints[0].angle, 2);
  EXPECT_EQ(channels.joints[0].rate, 1);
  EXPECT_EQ(channels.joints[1].angle, -1);
  EXPECT_EQ(channels.motor_inputs, (std::vector<int>{0, -1}));
  EXPECT_TRUE(channels.HasJoints());
  EXPECT_EQ(ResolveChannels(WithColumns({"u"}), Linkage()).motor_inputs[0], 0);
}

TEST(ResolveChannels, WrongColumnsAreSaidExactly) {
  const Scene planar = OneBody(Space::kPlanar), spatial = OneBody(Space::kSpatial), linkage = Linkage();
  EXPECT_EQ(MessageFor({"x", "theta"}, planar),
            "a.csv: box: its pose has `x` and `theta` but not `y`. Give all of x, y and theta.");
  EXPECT_EQ(MessageFor({"x", "y", "Theta"}, planar),
            "a.csv: box: its pose has `x` and `y` but not `theta`. Should `Theta` be `theta`?");
  EXPECT_EQ(MessageFor({"x", "y", "theta", "vx", "vy"}, planar),
            "a.csv: box: its velocity has `vx` and `vy` but not `omega`. Give all of vx, vy and omega.");
  EXPECT_EQ(MessageFor({"x", "y", "z", "qw", "qx", "qy", "qz"}, planar),
            "a.csv: z: the scene is planar, but this column belongs to a spatial recording. A planar pose has x, y and "
            "theta.");
  EXPECT_EQ(
      MessageFor({"x", "y", "theta"}, spatial),
      "a.csv: theta: the scene is spatial, but this column belongs to a planar recording. A spatial pose has x, y, z, "
      "qw, qx, qy and qz.");
  EXPECT_EQ(MessageFor({"x", "y", "theta", "bxo.x"}, planar),
            "a.csv: bxo.x: the scene has no body or joint `bxo`. Did you mean `box`?");
  EXPECT_EQ(MessageFor({"box.x", "box.y", "box.tetha"}, planar),
            "a.csv: box.tetha: a planar body has no `tetha`. Did you mean `theta`?");
  EXPECT_EQ(
      MessageFor({"x", "y", "theta", "box.x"}, planar),
      "a.csv: box.x: this is the same quantity as `x`. Columns without a prefix belong to `box`: remove or rename "
      "one.");
  EXPECT_EQ(MessageFor({"hinge1.angel"}, linkage),
            "a.csv: hinge1.angel: the joint `hinge1` has no `angel`. Did you mean `angle`?");
  EXPECT_EQ(MessageFor({"socket.angle"}, linkage),
            "a.csv: socket.angle: the joint `socket` has no `angle`. Only hinges and sliders are recorded by angle and "
            "rate.");
  EXPECT_EQ(
      MessageFor({"k", "force"}, linkage),
      "a.csv: no column belongs to a body or joint of the scene: there is `k` and `force`. Name the columns x, y, z, "
      "qw, qx, qy and qz, or hinge1.angle.");
  EXPECT_EQ(
      MessageFor({}, planar),
      "a.csv: no column belongs to a body or joint of the scene: there is only `t`. Name the columns x, y and theta.");
}

TEST(BodyColumns, ArePrefixedOnlyWhenSeveralMove) {
  EXPECT_EQ(BodyColumns(OneBody(Space::kPlanar), true),
            (std::vector<std::string>{"x", "y", "theta", "vx", "vy", "omega"}));
  const std::vector<std::string> columns = BodyColumns(Linkage(), false);
  ASSERT_EQ(columns.size(), 14u);
  EXPECT_EQ(columns[0], "arm.x");
  EXPECT_EQ(columns[13], "rod.qz");
  EXPECT_EQ(ResolveChannels(WithColumns(columns), Linkage()).bodies[2].pose.back(), 13);
}

}  // namespace
}  // namespace ricochet
