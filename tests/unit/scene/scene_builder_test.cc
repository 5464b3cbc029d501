// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/scene_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ricochet/simulate.h"
#include "scene/text/number_text.h"
#include "scene/text/yaml_tree.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// What a text says, whatever its style: keys sorted, numbers by value, `observe: [...]` as its channels.
std::string Normalized(const YamlNode& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "~";
    case YamlNode::Kind::kScalar: {
      double value = 0;
      return ParseNumber(node.scalar, Quantity::kAngle, value) == NumberText::kGood ? FormatSceneNumber(value)
                                                                                    : node.scalar;
    }
    case YamlNode::Kind::kList:
      for (const YamlNode& item : node.items) parts.push_back(Normalized(item));
      break;
    case YamlNode::Kind::kMap:
      for (const YamlEntry& entry : node.entries) {
        const bool channels = entry.key == "observe" && entry.value.kind == YamlNode::Kind::kList;
        const std::string value = Normalized(entry.value);
        parts.push_back(entry.key + ": " + (channels ? "{channels: " + value + "}" : value));
      }
      std::sort(parts.begin(), parts.end());
      break;
  }
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return node.kind == YamlNode::Kind::kMap ? "{" + text + "}" : "[" + text + "]";
}

void ExpectSameNumbers(const Scene& built, const Scene& read) {
  ASSERT_EQ(built.numbers().size(), read.numbers().size());
  for (std::size_t i = 0; i < read.numbers().size(); ++i) {
    const SceneNumber &a = built.numbers()[i], &b = read.numbers()[i];
    EXPECT_EQ(a.path, b.path);
    EXPECT_EQ(a.value, b.value) << a.path;
    EXPECT_EQ(a.quantity, b.quantity) << a.path;
    EXPECT_EQ(a.given, b.given) << a.path;
  }
}

void ExpectSameText(const Scene& built, const Scene& read) {
  EXPECT_EQ(Normalized(ParseYaml(FormatScene(built), "")), Normalized(ParseYaml(FormatScene(read), "")));
}

void ExpectSameMotion(const Scene& built, const Scene& read, double duration) {
  SimulateOptions options;
  options.duration = duration;
  const SimulationResult a = Simulate(built, options), b = Simulate(read, options);
  EXPECT_EQ(a.recording.columns, b.recording.columns);
  EXPECT_EQ(a.recording.values, b.recording.values);
  ASSERT_GT(a.recording.rows(), 1);
}

Scene Example(const std::string& name) { return ReadScene(testing::SourcePath("examples/" + name)); }

/// The error that building ends with.
InputError Refusal(const SceneBuilder& builder) {
  try {
    builder.Build();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().line, 0) << error.what();
    EXPECT_TRUE(error.where().file.empty()) << error.what();
    return error;
  }
  ADD_FAILURE() << "the scene was accepted";
  return InputError({}, "", "", "");
}

/// examples/block.yaml.
SceneBuilder Block() {
  SceneBuilder builder(Space::kPlanar);
  builder.SetGravity({0, -9.81})
      .AddBody("block", {.shape = shapes::Rectangle({1, 1}), .mass = 1, .inertia = 0.16666666666666666})
      .AddSurface("ground", {.point = {0, 0}, .angle = 0})
      .SetContact({.friction = 0.7, .restitution = 0.6})
      .SetInitial("block", {.pose = {0, 2, 0.3}, .velocity = {1, 0}, .angular_velocity = 2})
      .SetSimulation({.method = "lcp", .step = 1e-3, .duration = 3});
  return builder;
}

TEST(SceneBuilder, MakesThePlanarExamples) {
  const Scene block = Block().Build(), read = Example("block.yaml");
  ExpectSameNumbers(block, read);
  ExpectSameText(block, read);
  ExpectSameMotion(block, read, 3);

  const Scene ellipse =
      SceneBuilder(Space::kPlanar)
          .SetGravity(Eigen::Vector2d(0, -9.81))
          .AddBody("ellipse", {.shape = shapes::Ellipse({0.050, 0.025}), .mass = 0.064, .inertia = 4.8384e-5})
          .AddSurface("bar", {.point = {0, 0}, .angle = 0})
          .SetContact({.friction = 0.2, .restitution = 0.2})
          .SetInitial("ellipse", {.pose = {0, 0.1, -0.785}, .velocity = {3, -5}, .angular_velocity = 0})
          .SetSimulation({.method = "irc", .step = 1e-3, .duration = 0.5})
          .Build();
  ExpectSameNumbers(ellipse, Example("plywood_ellipse.yaml"));
  ExpectSameText(ellipse, Example("plywood_ellipse.yaml"));
  ExpectSameMotion(ellipse, Example("plywood_ellipse.yaml"), 0.5);
}

TEST(SceneBuilder, MakesTheParcelsOnTwoBelts) {
  const Values still = {0, 0, 0}, upright = {1, 0, 0, 0};
  const Scene built =
      SceneBuilder(Space::kSpatial)
          .SetGravity({0, 0, -9.81})
          .AddBody("carton", {.shape = shapes::Box({0.30, 0.20, 0.15}), .mass = 1.2})
          .AddBody("parcel", {.shape = shapes::Box({0.20, 0.15, 0.10}), .mass = 0.5})
          .AddBody("can", {.shape = shapes::Cylinder(0.05, 0.14, {0, 1, 0}), .mass = 0.4})
          .AddBody("ball", {.shape = shapes::Sphere(0.06), .mass = 0.3})
          .AddBody("wedge", {.shape = shapes::Polytope({{-0.1, -0.06, -0.04},
                                                        {0.1, -0.06, -0.04},
                                                        {0.1, 0.06, -0.04},
                                                        {-0.1, 0.06, -0.04},
                                                        {-0.1, -0.06, 0.08},
                                                        {-0.1, 0.06, 0.08}}),
                             .mass = 0.6,
                             .center_of_mass = {-0.0333333333, 0, 0}})
          .AddSurface("left", {.point = {-0.75, 0, 0},
                               .normal = {0, 0, 1},
                               .velocity = {0.4, 0, 0},
                               .extent = {-0.75, 0.75, -0.4, 0.4}})
          .AddSurface("right", {.point = {0.75, 0, 0},
                                .normal = {0, 0, 1},
                                .velocity = {-0.4, 0, 0},
                                .extent = {-0.75, 0.75, -0.4, 0.4}})
          .AddSurface("floor", {.point = {0, 0, -0.8}, .normal = {0, 0, 1}})
          .SetContact({.friction = 0.45, .restitution = 0.1})
          .SetInitial(
              "carton",
              {.position = {-0.7, 0, 0.12}, .orientation = upright, .velocity = still, .angular_velocity = still})
          .SetInitial("parcel", {.position = {-0.68, 0.02, 0.32},
                                 .orientation = {0.98, 0.05, 0.1, 0.15},
                                 .velocity = still,
                                 .angular_velocity = {0, 0, 0.5}})
          .SetInitial(
              "can",
              {.position = {0.9, 0, 0.08}, .orientation = upright, .velocity = {-0.3, 0, 0}, .angular_velocity = still})
          .SetInitial(
              "ball",
              {.position = {0.5, 0.1, 0.3}, .orientation = upright, .velocity = {0.2, 0, 0}, .angular_velocity = still})
          .SetInitial("wedge", {.position = {0.35, -0.15, 0.1},
                                .orientation = {0.99, 0.1, 0, 0.05},
                                .velocity = still,
                                .angular_velocity = still})
          .SetSimulation({.method = "moreau", .step = 0.002, .duration = 2.5})
          .Build();
  const Scene read = Example("parcels_two_belts.yaml");
  ExpectSameNumbers(built, read);
  ExpectSameText(built, read);
  ExpectSameMotion(built, read, 0.4);
}

TEST(SceneBuilder, MakesTheTossedCubeWithCompliance) {
  const Scene built = SceneBuilder(Space::kSpatial)
                          .SetGravity({0, 0, -9.65})
                          .AddBody("cube", {.shape = shapes::Box({0.0981, 0.0981, 0.0981}),
                                            .mass = 0.37,
                                            .inertia = {1.05e-3, 1.05e-3, 1.05e-3},
                                            .center_of_mass = {0, 0, 0.0062}})
                          .AddSurface("board", {.point = {0, 0, 0.0017}, .normal = {0, 0, 1}})
                          .SetContact({.friction = 0.175, .restitution = 0, .compliance = 2.0e-5, .damping = 2.6e-3})
                          .SetSimulation({.method = "moreau", .step = 5e-4})
                          .Build();
  ExpectSameNumbers(built, Example("cube_toss.yaml"));
  ExpectSameText(built, Example("cube_toss.yaml"));
}

TEST(SceneBuilder, MakesTheActionsOfTheTopplingCubeAndOfTheRollingCylinder) {
  const Scene cube =
      SceneBuilder(Space::kSpatial)
          .SetGravity({0, 0, -9.8})
          .AddBody("cube", {.shape = shapes::Box({1, 1, 1}), .mass = 1})
          .AddSurface("floor", {.point = {0, 0, 0}, .normal = {0, 0, 1}})
          .SetContact({.friction = 0.2, .patch = {1, 1, 1}})
          .SetInitial("cube", {.position = {0, 0, 0.8660254037844386},
                               .orientation = {0.8880738339771153, 0.32505758367186816, -0.32505758367186816, 0},
                               .velocity = {-0.6123724356957945, -0.6123724356957945, 0},
                               .angular_velocity = {0.7071067811865476, -0.7071067811865476, 0}})
          .AddAction({.body = "cube",
                      .impulse = {0.7071067811865476, -0.7071067811865476, 0},
                      .angular_impulse = {0.5, 0.5, 0},
                      .at = 1.0})
          .AddAction({.body = "cube", .impulse = {10, -10, 0}, .at = 1.8})
          .SetSimulation({.method = "ecp", .step = 0.01, .duration = 4, .tolerance = 1e-8})
          .Build();
  ExpectSameNumbers(cube, Example("cube_topple.yaml"));
  ExpectSameText(cube, Example("cube_topple.yaml"));
  ExpectSameMotion(cube, Example("cube_topple.yaml"), 1.2);

  const Scene cylinder = SceneBuilder(Space::kSpatial)
                             .SetGravity({0, 0, -9.8})
                             .AddBody("cylinder", {.shape = shapes::Cylinder(1, 5, {1, 0, 0}), .mass = 10})
                             .AddSurface("floor", {.point = {0, 0, 0}, .normal = {0, 0, 1}})
                             .SetContact({.friction = 0.3, .patch = {1, 1, 1}})
                             .SetInitial("cylinder", {.position = {0, 0, 1},
                                                      .orientation = {1, 0, 0, 0},
                                                      .velocity = {0, -1.4, 0},
                                                      .angular_velocity = {0, 0, 0.2}})
                             .AddAction({.body = "cylinder",
                                         .angular_impulse = {0, 0, 3},
                                         .when = TriggerSpec{.quantity = "cylinder.wz", .falls_to = 0}})
                             .SetSimulation({.method = "ecp", .step = 0.01, .duration = 10, .tolerance = 1e-8})
                             .Build();
  ExpectSameNumbers(cylinder, Example("cylinder_roll.yaml"));
  ExpectSameText(cylinder, Example("cylinder_roll.yaml"));
}

TEST(SceneBuilder, MakesTheFurutaPendulum) {
  const auto hinge = [](const char* parent, const char* child, double viscous, double friction) {
    return JointSpec{.type = JointType::kHinge,
                     .parent = parent,
                     .child = child,
                     .compliance_linear = 1e-8,
                     .compliance_angular = 1e-8,
                     .damping = 0.02,
                     .viscous = viscous,
                     .dry = DryFrictionSpec{.radius = 1.0, .friction = friction, .norm = DryNorm::kL1}};
  };
  JointSpec first = hinge("world", "A", 0.001, 0.0006), second = hinge("A", "B", 0.0001, 0.0002);
  first.parent_frame = {.point = {0, 0, 0}, .axis = {0, 0, 1}, .zero = {1, 0, 0}};
  first.child_frame = {.point = {-0.128, 0, 0}, .axis = {0, 0, 1}, .zero = {1, 0, 0}};
  first.motor = MotorSpec{.gain = 0.1, .input = "u", .shaft_inertia = 0.0001};
  second.parent_frame = {.point = {0.12, 0, 0}, .axis = {1, 0, 0}, .zero = {0, 0, -1}};
  second.child_frame = {.point = {-0.192, 0, 0}, .axis = {0, 1, 0}, .zero = {1, 0, 0}};
  const Scene built = SceneBuilder(Space::kSpatial)
                          .SetGravity({0, 0, -9.82})
                          .AddBody("A", {.mass = 0.238, .inertia = {0.0001, 0.003, 0.003}})
                          .AddBody("B", {.mass = 0.428, .inertia = {0.0001, 0.004, 0.004}})
                          .AddJoint("hinge1", first)
                          .AddJoint("hinge2", second)
                          .SetInitial("hinge1", {.angle = 0.0, .rate = 0.0})
                          .SetInitial("hinge2", {.angle = 1.0, .rate = 0.0})
                          .SetObserve({.channels = {"hinge1.angle", "hinge2.angle"}})
                          .SetSimulation({.method = "spook", .step = 0.001, .duration = 10})
                          .Build();
  const Scene read = Example("furuta.yaml");
  ExpectSameNumbers(built, read);
  ExpectSameText(built, read);
  ExpectSameMotion(built, read, 0.3);
}

/// A YAML text and the builder that says the same.
void ExpectEqual(const SceneBuilder& builder, const std::string& text) {
  const Scene built = builder.Build(), read = ParseScene(text, "");
  ExpectSameNumbers(built, read);
  ExpectSameText(built, read);
}

TEST(SceneBuilder, HasWhatNoExampleHasInThePlane) {
  ExpectEqual(
      SceneBuilder(Space::kPlanar)
          .SetGravity(9.8, 0.01)
          .AddBody("a", {.shape = shapes::Circle(0.1), .mass = 1, .center_of_mass = {0.01, 0}})
          .AddBody("b", {.shape = shapes::Polygon({{0, 0}, {0, 1}, {1, 0}}), .fixed = true})
          .AddSurface("belt", {.point = {5, 0}, .angle = 0.1, .velocity = {0.5, 0}, .extent = {-1, 1}})
          .SetContact({.tangential_restitution = 0.1})
          .SetContact("a", "belt", {.friction = 0.1})
          .SetContact("a", "belt", {.friction = 0.4})
          .SetInitial("a", {.pose = {5, 3, 0}})
          .SetInitial("b", {.pose = {-3, 0, 0}})
          .AddAction({.body = "a", .force = {1, 0}, .torque = 0.2, .from = 0.1, .until = 0.2})
          .SetObserve({.channels = {"poses", "a.x"},
                       .noise_position = 1e-3,
                       .noise_angle = 2e-3,
                       .length_scale = 1.01,
                       .delay = 0.002,
                       .offset = {{"a.x", 0.01}},
                       .frames = {{.body = "a", .position = {0.01, 0.02}, .rotation = 0.1}},
                       .points = {{.name = "tip", .at = {0.1, 0}}, {.name = "end", .body = "a", .at = {0, 0.1}}}}),
      R"(
ricochet: 1
space: planar
gravity: {magnitude: 9.8, tilt: 0.01}
bodies:
  a: {shape: {circle: {radius: 0.1}}, mass: 1, center_of_mass: [0.01, 0]}
  b: {shape: {polygon: {vertices: [[0, 0], [0, 1], [1, 0]]}}, fixed: true}
surfaces:
  belt: {line: {point: [5, 0], angle: 0.1}, velocity: [0.5, 0], extent: [-1, 1]}
contact: {tangential_restitution: 0.1, pairs: {a/belt: {friction: 0.4}}}
initial: {a: {pose: [5, 3, 0]}, b: {pose: [-3, 0, 0]}}
actions: [{body: a, force: [1, 0], torque: 0.2, from: 0.1, until: 0.2}]
observe:
  channels: [poses, a.x]
  noise: {position: 1e-3, angle: 2e-3}
  length_scale: 1.01
  delay: 0.002
  offset: {a.x: 0.01}
  frame: {position: [0.01, 0.02], rotation: 0.1}
  points: {tip: [0.1, 0], end: {body: a, at: [0, 0.1]}}
)");
}

TEST(SceneBuilder, HasWhatNoExampleHasInSpace) {
  const JointFrameSpec here = {.point = {0, 0, 0}, .axis = {0, 0, 1}, .zero = {1, 0, 0}};
  const auto joint = [&](JointType type, const char* parent, const char* child) {
    return JointSpec{.type = type, .parent = parent, .child = child, .parent_frame = here, .child_frame = here};
  };
  JointSpec slider = joint(JointType::kSlider, "world", "a");
  slider.dry = DryFrictionSpec{.radius = 0.01, .friction = 0.2, .norm = DryNorm::kEuclidean};
  slider.coulomb = 0.4;
  slider.stribeck = StribeckSpec{.static_friction = 0.3, .rate = 0.05};
  slider.motor = MotorSpec{.gain = 2, .input = "u", .interpolation = InputInterpolation::kLinear};
  slider.limits = JointLimitsSpec{.lower = -1, .upper = 1};
  JointSpec universal = joint(JointType::kUniversal, "a", "b");
  universal.drive = DriveSpec{.stiffness = 3, .damping = 0.1, .target = {0.1, 0.2}, .rate = {0, 0}};
  universal.limits = JointLimitsSpec{.lower = {-1, -1}, .upper = {1, 1}};
  JointSpec ball = joint(JointType::kBall, "b", "c");
  ball.limits = JointLimitsSpec{.lower = -0.5, .upper = 0.5, .swing = 1};
  JointSpec distance = {.type = JointType::kDistance, .child = "d"};
  distance.parent_frame.point = {0, 0, 5};
  distance.child_frame.point = {0, 0, 0};
  distance.length = 0.3;
  const BodySpec part = {.mass = 1, .inertia = {1, 1, 1, 0.1, 0, 0}};
  BodySpec feather = part;
  feather.drag = DragSpec{.linear = 0.1, .quadratic = 0.2};
  ExpectEqual(SceneBuilder(Space::kSpatial)
                  .AddBody("a", feather)
                  .AddBody("b", part)
                  .AddBody("c", part)
                  .AddBody("d", {.shape = shapes::Intersection(
                                     {shapes::HalfSpace({0, 0, 0.02}, {0, 0, 1}), shapes::Sphere(0.05).At({0, 0, 0.01}),
                                      shapes::Box({0.1, 0.1, 0.1}).At({0, 0, 0}, {1, 0, 0, 0.1}),
                                      shapes::Ellipsoid({0.1, 0.1, 0.2})}),
                                 .mass = 1,
                                 .inertia = {1, 1, 1}})
                  .AddBody("e", part)
                  .AddJoint("slide", slider)
                  .AddJoint("cross", universal)
                  .AddJoint("turn", joint(JointType::kHinge, "world", "e"))
                  .AddJoint("socket", ball)
                  .AddJoint("rod", distance)
                  .SetContact({.restitution = 0.5, .restitution_low = 0.8, .restitution_speed = 0.3, .rounding = 1e-3})
                  .SetObserve({.scale = {{"slide.angle", 1.02}},
                               .eccentricity = {{"turn.angle", {0.01, 0.02}}},
                               .frames = {{.body = "b", .position = {0, 0, 0.1}, .rotation = {0, 0.1, 0}}}})
                  .SetSimulation({.options = {{"order", 2}, {"solver", "newton"}}}),
              R"(
ricochet: 1
space: spatial
bodies:
  a: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0], drag: {linear: 0.1, quadratic: 0.2}}
  b: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0]}
  c: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0]}
  d:
    shape:
      intersection:
        - half_space: {point: [0, 0, 0.02], normal: [0, 0, 1]}
        - sphere: {radius: 0.05, position: [0, 0, 0.01]}
        - box: {size: [0.1, 0.1, 0.1], position: [0, 0, 0], orientation: [1, 0, 0, 0.1]}
        - ellipsoid: {semi_axes: [0.1, 0.1, 0.2]}
    mass: 1
    inertia: [1, 1, 1]
  e: {mass: 1, inertia: [1, 1, 1, 0.1, 0, 0]}
joints:
  slide:
    type: slider
    parent: world
    child: a
    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    coulomb: 0.4
    dry: {radius: 0.01, friction: 0.2, norm: euclidean}
    stribeck: {static: 0.3, rate: 0.05}
    motor: {gain: 2, input: u, interpolation: linear}
    limits: {lower: -1, upper: 1}
  cross:
    type: universal
    parent: a
    child: b
    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    drive: {stiffness: 3, damping: 0.1, target: [0.1, 0.2], rate: [0, 0]}
    limits: {lower: [-1, -1], upper: [1, 1]}
  turn:
    type: hinge
    parent: world
    child: e
    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
  socket:
    type: ball
    parent: b
    child: c
    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    child_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}
    limits: {swing: 1, lower: -0.5, upper: 0.5}
  rod: {type: distance, parent: world, child: d, parent_frame: {point: [0, 0, 5]}, child_frame: {point: [0, 0, 0]}, length: 0.3}
contact: {restitution: 0.5, restitution_low: 0.8, restitution_speed: 0.3, rounding: 1e-3}
observe: {scale: {slide.angle: 1.02}, eccentricity: {turn.angle: [0.01, 0.02]}, frames: {b: {position: [0, 0, 0.1], rotation: [0, 0.1, 0]}}}
simulation: {options: {order: 2, solver: newton}}
)");
}

TEST(SceneBuilder, ErrorsNameTheFieldAndNoFile) {
  const auto with = [](const std::function<void(SceneBuilder&)>& change) {
    SceneBuilder builder = Block();
    change(builder);
    return Refusal(builder);
  };
  EXPECT_EQ(Refusal(SceneBuilder(Space::kPlanar)).path(), "bodies");
  EXPECT_EQ(with([](auto& b) { b.AddBody("c", {.shape = shapes::Circle(-1), .mass = 1}); }).path(),
            "bodies.c.shape.circle.radius");
  EXPECT_EQ(with([](auto& b) { b.AddBody("c", {.shape = shapes::Circle(1), .mass = NAN}); }).path(), "bodies.c.mass");
  EXPECT_EQ(with([](auto& b) { b.AddBody("c", {.shape = shapes::Sphere(1), .mass = 1}); }).path(),
            "bodies.c.shape.sphere");
  EXPECT_EQ(with([](auto& b) { b.AddBody("c", {.shape = shapes::Circle(1)}); }).path(), "bodies.c.mass");
  EXPECT_EQ(with([](auto& b) { b.AddBody("block", {.mass = 1, .inertia = 1}); }).path(), "bodies.block");
  EXPECT_EQ(with([](auto& b) { b.AddBody("two words\n", {.mass = 1, .inertia = 1}); }).problem(),
            "`two words?` is not a valid name.");
  EXPECT_EQ(with([](auto& b) { b.SetGravity({0, 0, -9.81}); }).path(), "gravity");
  EXPECT_EQ(with([](auto& b) {
              b.AddSurface("wall", {.point = {0, 0}, .normal = {1, 0}});
            }).path(),
            "surfaces.wall.line.normal");
  EXPECT_EQ(with([](auto& b) { b.SetContact("block", "floor", {.friction = 1}); }).path(), "contact.pairs.block/floor");
  EXPECT_EQ(with([](auto& b) { b.SetContact({.friction = -0.1}); }).path(), "contact.friction");
  EXPECT_EQ(with([](auto& b) { b.SetInitial("brick", {.pose = {0, 2, 0}}); }).path(), "initial.brick");
  EXPECT_EQ(with([](auto& b) { b.SetInitial("block", {.pose = {0, 2}}); }).path(), "initial.block.pose");
  EXPECT_EQ(with([](auto& b) { b.SetInitial("block", {.pose = {0, 0, 0}}); }).path(), "initial.block.pose");
  EXPECT_EQ(with([](auto& b) { b.AddAction({.body = "block"}); }).path(), "actions[0]");
  EXPECT_EQ(with([](auto& b) { b.AddJoint("j", {.child = "block"}); }).path(), "joints");
  EXPECT_EQ(with([](auto& b) { b.SetSimulation({.step = 0}); }).path(), "simulation.step");
  EXPECT_EQ(with([](auto& b) {
              b.SetSimulation({.options = {{"order", 1}, {"order", 2}}});
            }).path(),
            "simulation.options.order");
  EXPECT_EQ(with([](auto& b) { b.SetObserve({.offset = {{"block.w", 0.1}}}); }).path(), "observe.offset.block.w");
  EXPECT_EQ(with([](auto& b) {
              b.SetObserve({.frames = {{.body = "block", .position = {0, 0, 0}}}});
            }).path(),
            "observe.frame.position");
}

TEST(SceneBuilder, GoesOnAfterBuildAndCopiesAreIndependent) {
  SceneBuilder first = Block();
  const Scene before = first.Build();
  SceneBuilder second = first;
  second.SetContact({.friction = 0.1});
  EXPECT_EQ(first.Build()[first.Build().Find("contact.friction")], 0.7);
  const Scene changed = second.Build();
  EXPECT_EQ(changed[changed.Find("contact.friction")], 0.1);
  EXPECT_EQ(before.text, first.Build().text);
}

TEST(SceneBuilder, AScenesNumbersCanBeSetAndWritten) {
  Scene scene = Block().Build();
  scene.Set("contact.friction", {0.25});
  scene.Set("bodies.block.center_of_mass", {0.01, 0});
  const Scene again = ParseScene(FormatScene(scene), "again.yaml");
  EXPECT_EQ(again[again.Find("contact.friction")], 0.25);
  EXPECT_EQ(again[again.Find("bodies.block.center_of_mass[0]")], 0.01);
}

}  // namespace
}  // namespace ricochet
