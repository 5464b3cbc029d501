// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Values that cannot be, names that are not there, and parts that do not go together.
#include <gtest/gtest.h>

#include "tests/unit/scene/wrong_scene.h"

namespace ricochet {
namespace {

const WrongScene kSceneCases[] = {
    {"NegativeMass", kPlanarScene, "mass: 2", "mass: -2",
     "scene.yaml:7:11: bodies.block.mass: -2 kg is not valid: mass must be positive. Give the mass in kilograms."},
    {"ZeroMass", kPlanarScene, "mass: 2", "mass: 0",
     "scene.yaml:7:11: bodies.block.mass: 0 kg is not valid: mass must be positive. Give the mass in kilograms."},
    {"NegativePlanarInertia", kPlanarScene, "inertia: 0.2", "inertia: -0.2",
     "scene.yaml:8:14: bodies.block.inertia: -0.2 kg m^2 is not valid: a moment of inertia must be positive. Give the "
     "moment about the center of mass, or leave `inertia` out for uniform density."},
    {"NoInertiaAndNoShape", kPlanarScene, "    shape: {rectangle: {size: [1, 0.5]}}\n    mass: 2\n    inertia: 0.2\n",
     "    mass: 2\n",
     "scene.yaml:5:3: `bodies.block.inertia` is missing, and without a `shape` it cannot be derived. Give the inertia "
     "about the center of mass."},
    {"ImpossibleMoments", kSpatialScene, "[1.0e-3, 1.6e-3, 1.9e-3]", "[1.0e-3, 1.6e-3, 2.9e-3]",
     "scene.yaml:8:15: bodies.box.inertia: 0.001, 0.0016, 0.0029 kg m^2 cannot belong to a rigid body: the largest "
     "moment exceeds the sum of the others. Correct them, or leave `inertia` out for uniform density."},
    {"ImpossibleMatrix", kMechanism, "0, 0, 1.0e-4]", "0, 0, 5.0e-3]",
     "scene.yaml:5:28: bodies.B.inertia: the matrix has the principal moments -0.001, 0.002, 0.009 kg m^2, and a "
     "moment of inertia must be positive. Correct them."},
    {"ImpossiblePrincipalMoments", kMechanism, "[0.002, 0.004, 0.004, 0, 0, 1.0e-4]",
     "[0.002, 0.003, 0.004, 0, 0, 2.0e-3]",
     "scene.yaml:5:28: bodies.B.inertia: the principal moments 0.00143845, 0.002, 0.00556155 kg m^2 cannot belong to a "
     "rigid body: the largest moment exceeds the sum of the others. Correct them."},
    {"NegativeCoulombTorque", kMechanism, "    motor: {gain: 0.1, input: u}", "    coulomb: -1",
     "scene.yaml:15:14: joints.shoulder.coulomb: -1 N m is not valid: a friction torque must be at least 0. Give 0 for "
     "none."},
    {"CoulombTorqueOfABall", kMechanism, "type: ball", "type: ball\n    coulomb: 1",
     "scene.yaml:19:14: `joints.wrist.coulomb` is not possible with type ball. Only hinge and slider can have it."},
    {"NegativeDrag", kMechanism, "[0.001, 0.003, 0.003]}", "[0.001, 0.003, 0.003], drag: {linear: -1}}",
     "scene.yaml:4:65: bodies.A.drag.linear: -1 N s/m is not valid: drag must be at least 0. Give 0 for none."},
    {"DragOfAFixedBody", kSpatialScene, "fixed: true", "fixed: true\n    drag: {linear: 1}",
     "scene.yaml:12:11: bodies.post.drag: a fixed body does not move. Leave it out."},
    {"ScaleOfABody", kMechanism, "observe: [shoulder.angle]", "observe: {scale: {A.x: 2}}",
     "scene.yaml:25:19: `observe.scale.A.x` is not a column of a joint. Lengths have `observe.length_scale`."},
    {"EccentricityOfARate", kMechanism, "observe: [shoulder.angle]", "observe: {eccentricity: {shoulder.rate: [0, 1]}}",
     "scene.yaml:25:26: `observe.eccentricity.shoulder.rate` is not the angle of a hinge. Did you mean "
     "`shoulder.angle`?"},
    {"EccentricityOfOneNumber", kMechanism, "observe: [shoulder.angle]",
     "observe: {eccentricity: {shoulder.angle: [0.1]}}",
     "scene.yaml:25:42: observe.eccentricity.shoulder.angle: expected 2 numbers, but found 1. Write a list of 2 "
     "numbers."},
    {"NegativeSize", kPlanarScene, "size: [1, 0.5]", "size: [1, -0.5]",
     "scene.yaml:6:35: bodies.block.shape.rectangle.size[1]: -0.5 m is not valid: a length must be positive. Give the "
     "length in meters."},
    {"PolygonNotConvex", kPlanarScene, "{rectangle: {size: [1, 0.5]}}",
     "{polygon: {vertices: [[0, 0], [1, 0], [0.25, 0.25], [0, 1]]}}",
     "scene.yaml:6:51: bodies.block.shape.polygon.vertices[2]: the polygon is not convex at this corner. Leave the "
     "corner out, or check the order of the corners."},
    {"PolygonOnALine", kPlanarScene, "{rectangle: {size: [1, 0.5]}}", "{polygon: {vertices: [[0, 0], [1, 1], [2, 2]]}}",
     "scene.yaml:6:35: bodies.block.shape.polygon.vertices[0]: the polygon has no area. Give corners that do not lie "
     "on one line."},
    {"PolygonWithRepeatedCorner", kPlanarScene, "{rectangle: {size: [1, 0.5]}}",
     "{polygon: {vertices: [[0, 0], [1, 0], [1, 0], [0, 1]]}}",
     "scene.yaml:6:51: bodies.block.shape.polygon.vertices[2]: this corner repeats its neighbor. Leave one of the two "
     "out."},
    {"PolygonStar", kPlanarScene, "{rectangle: {size: [1, 0.5]}}",
     "{polygon: {vertices: [[1, 0], [-0.81, 0.59], [0.31, -0.95], [0.31, 0.95], [-0.81, -0.59]]}}",
     "scene.yaml:6:35: bodies.block.shape.polygon.vertices[0]: the polygon winds around more than once. Give the "
     "corners in order, each once."},
    {"FlatPolytope", kSpatialScene, "{box: {size: [0.2, 0.1, 0.3]}}",
     "{polytope: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}",
     "scene.yaml:6:36: bodies.box.shape.polytope.vertices: the corners enclose no volume. Give corners that do not lie "
     "in one plane."},
    {"CylinderAxisZero", kSpatialScene, "length: 1}", "length: 1, axis: [0, 0, 0]}",
     "scene.yaml:10:55: bodies.post.shape.cylinder.axis: an axis cannot have zero length. Give a direction; its "
     "length does not matter."},
    {"FixedWithoutShape", kSpatialScene, "    shape: {cylinder: {radius: 0.1, length: 1}}\n", "",
     "scene.yaml:9:3: `bodies.post.shape` is missing: a fixed body is an obstacle. Give it a shape."},
    {"NegativeFriction", kPlanarScene, "friction: 0.5", "friction: -0.1",
     "scene.yaml:11:21: contact.friction: -0.1 is not valid: friction must be at least 0. Give 0 for no friction."},
    {"RestitutionAboveOne", kPlanarScene, "restitution: 0.25", "restitution: 1.2",
     "scene.yaml:11:39: contact.restitution: 1.2 is not valid: restitution must be between 0 and 1. Give 0 for no "
     "rebound and 1 for a full rebound."},
    {"RestitutionBelowZero", kPlanarScene, "restitution: 0.25", "restitution: -0.25",
     "scene.yaml:11:39: contact.restitution: -0.25 is not valid: restitution must be between 0 and 1. Give 0 for no "
     "rebound and 1 for a full rebound."},
    {"PairOfUnknown", kSpatialScene, "box/floor", "box/flor",
     "scene.yaml:19:11: contact.pairs.box/flor: there is no body or surface `flor`. Did you mean `floor`?"},
    {"PairOfOne", kSpatialScene, "box/floor", "box",
     "scene.yaml:19:11: `contact.pairs.box` is not a pair of names. Write the names of two bodies, or of a body and a "
     "surface, as `A/B`."},
    {"PairOfItself", kSpatialScene, "box/floor", "box/box",
     "scene.yaml:19:11: contact.pairs.box/box: these two never touch. Name two bodies, or a body and a surface."},
    {"PairTwice", kSpatialScene, "{box/floor: {friction: 0.2}}",
     "{box/floor: {friction: 0.2}, floor/box: {friction: 0.2}}",
     "scene.yaml:19:39: contact.pairs.floor/box: this pair occurs twice. Keep one of them."},
    {"NormalOfZeroLength", kSpatialScene, "normal: [0, 0, 1]", "normal: [0, 0, 0]",
     "scene.yaml:14:40: surfaces.floor.plane.normal: a normal cannot have zero length. Give a direction; its length "
     "does not matter."},
    {"ExtentBackwards", kSpatialScene, "[-2, 2]", "[2, -2]",
     "scene.yaml:15:18: surfaces.floor.extent[0][1]: -2 is not above 2, where the extent begins. Put the smaller value "
     "first."},
    {"GravityMagnitudeNegative", kSpatialScene, "magnitude: 9.81", "magnitude: -9.81",
     "scene.yaml:3:22: gravity.magnitude: -9.81 m/s^2 is not valid: a magnitude must be at least 0. Turn the direction "
     "with `tilt` instead."},
    {"JointsInThePlane", kPlanarScene, "contact: {fr", "joints: {j: {type: hinge}}\ncontact: {fr",
     "scene.yaml:11:9: joints: joints need `space: spatial`. Describe the mechanism in space."},
    {"UnknownJointType", kMechanism, "type: hinge", "type: hinges",
     "scene.yaml:8:11: joints.shoulder.type: `hinges` is not a valid value. Did you mean `hinge`?"},
    {"JointWithoutType", kMechanism, "    type: hinge\n", "",
     "scene.yaml:7:3: `joints.shoulder.type` is missing. Write one of hinge, slider, ball, fixed, universal or "
     "distance."},
    {"JointToUnknownParent", kMechanism, "    parent: A\n", "    parent: arm\n",
     "scene.yaml:19:13: joints.wrist.parent: there is no body `arm`. Available: world, A and B."},
    {"JointToUnknownChild", kMechanism, "    child: B\n", "    child: C\n",
     "scene.yaml:20:12: joints.wrist.child: there is no body `C`. Available: A and B."},
    {"JointOntoTheWorld", kMechanism, "    child: B\n", "    child: world\n",
     "scene.yaml:20:12: joints.wrist.child: the world cannot be the child. Make the world the parent and the body the "
     "child."},
    {"JointOntoItself", kMechanism, "    child: B\n", "    child: A\n",
     "scene.yaml:20:12: joints.wrist.child: parent and child are the same body. Join two different ones."},
    {"HingeWithoutAxis", kMechanism, "{point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}",
     "{point: [0, 0, 0], zero: [1, 0, 0]}",
     "scene.yaml:11:19: `joints.shoulder.parent_frame.axis` is missing. Give the joint's direction in this body's "
     "frame."},
    {"HingeAxisZero", kMechanism, "{point: [0, 0, 0], axis: [0, 0, 1]", "{point: [0, 0, 0], axis: [0, 0, 0]",
     "scene.yaml:11:45: joints.shoulder.parent_frame.axis: an axis cannot have zero length. Give a direction; its "
     "length does not matter."},
    {"HingeZeroAlongAxis", kMechanism, "{point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}",
     "{point: [0, 0, 0], axis: [0, 0, 1], zero: [0, 0, -2]}",
     "scene.yaml:11:62: `joints.shoulder.parent_frame.zero` is parallel to the axis, so it cannot mark an angle. Give "
     "a direction across the axis."},
    {"MotorOnABall", kMechanism, "    type: ball\n", "    type: ball\n    motor: {gain: 1, input: u}\n",
     "scene.yaml:19:12: `joints.wrist.motor` is not possible with type ball. Only hinge and slider can have it."},
    {"BallLimitsWithoutAxis", kMechanism, "    type: ball\n", "    type: ball\n    limits: {swing: 1}\n",
     "scene.yaml:22:19: `joints.wrist.parent_frame.axis` is missing. Give the joint's direction in this body's frame."},
    {"UnknownNorm", kMechanism, "norm: l1", "norm: l2",
     "scene.yaml:13:46: joints.shoulder.dry.norm: `l2` is not a valid value. Available: l1 and euclidean."},
    {"StribeckWithoutDry", kMechanism, "    dry: {radius: 0.01, friction: 0.1, norm: l1}\n", "",
     "scene.yaml:13:15: joints.shoulder.stribeck: there is no `dry` beside it. Give the kinetic friction as `dry: "
     "{radius, friction}`."},
    {"MotorWithoutInput", kMechanism, "gain: 0.1, input: u", "gain: 0.1",
     "scene.yaml:15:12: `joints.shoulder.motor.input` is missing. Name the recording's column that drives it."},
    {"LimitsBackwards", kMechanism, "{lower: -90 deg, upper: 90 deg}", "{lower: 90 deg, upper: -90 deg}",
     "scene.yaml:16:36: joints.shoulder.limits.upper: -1.5708 is not above 1.5708, where the range begins. Put the "
     "smaller value first."},
    {"DistanceWithoutLength", kMechanism, "type: ball", "type: distance",
     "scene.yaml:17:3: `joints.wrist.length` is missing. Give the distance between the two points, or `limits` or "
     "`drive`."},
    {"InitialOfUnknown", kPlanarScene, "  block: {pose", "  blocks: {pose",
     "scene.yaml:13:3: initial.blocks: there is no body or joint of this name. Did you mean `block`?"},
    {"QuaternionOfZeroLength", kSpatialScene, "orientation: [1, 0, 0, 0]", "orientation: [0, 0, 0, 0]",
     "scene.yaml:21:46: initial.box.orientation: a quaternion cannot have zero length. Give [w, x, y, z]; [1, 0, 0, "
     "0] is no rotation."},
    {"StartsInTheGround", kPlanarScene, "pose: [0, 2, 0.25]", "pose: [0, 0.25, 0.25]",
     "scene.yaml:13:18: initial.block.pose: the body starts 0.1159 m deep in surface `ground`. Move it along (0, 1), "
     "or correct the shapes."},
    {"StartsInTheFloor", kSpatialScene, "position: [0, 0, 0.5]", "position: [0, 0, 0.125]",
     "scene.yaml:21:20: initial.box.position: the body starts 0.025 m deep in surface `floor`. Move it along (0, 0, "
     "1), or correct the shapes."},
    {"InitialOfABall", kMechanism, "  shoulder: {angle: 0.5", "  wrist: {angle: 0.5",
     "scene.yaml:24:10: initial.wrist: only a hinge or a slider has an initial angle. Give the bodies' initial poses "
     "instead."},
    {"InitialTwice", kMechanism, "  shoulder: {angle: 0.5, rate: 0}\n",
     "  shoulder: {angle: 0.5, rate: 0}\n  A: {position: [0, 0, 0]}\n",
     "scene.yaml:25:3: initial.A: the pose follows already from the initial angle of joint `shoulder`. Leave one of "
     "the two out."},
    {"ActionOnUnknown", kSpatialScene, "{body: box, force", "{body: crate, force",
     "scene.yaml:25:12: actions[1].body: there is no body `crate`. Available: box and post."},
    {"ActionWithoutLoad", kSpatialScene, "{body: box, force: [1, 0, 0], from: 0.1, until: 0.2}", "{body: box}",
     "scene.yaml:25:5: `actions[1]` has no load. Give `force`, `torque`, `impulse` or `angular_impulse`."},
    {"ImpulseWithoutTime", kSpatialScene, "impulse: [0, 0, 1], at: 0.5", "impulse: [0, 0, 1]",
     "scene.yaml:24:5: actions[0]: an impulse needs the moment at which it acts. Give either `at: TIME` or `when: "
     "{quantity, falls_to}`."},
    {"ForceWithTime", kSpatialScene, "from: 0.1, until: 0.2", "at: 0.1",
     "scene.yaml:25:39: actions[1].at: requires an impulse, which is missing. Leave it out."},
    {"ForceBackwards", kSpatialScene, "from: 0.1, until: 0.2", "from: 0.2, until: 0.1",
     "scene.yaml:25:53: actions[1].until: 0.1 is not above 0.2, where the load begins. Put the smaller value first."},
    {"TriggerOfUnknown", kSpatialScene, "at: 0.5", "when: {quantity: box.vw, falls_to: 0}",
     "scene.yaml:24:54: actions[0].when.quantity: `box.vw` is not a column of a recording of this scene. Did you mean "
     "`box.qw`?"},
    {"StepOfZero", kPlanarScene, "step: 1e-3", "step: 0",
     "scene.yaml:14:33: simulation.step: 0 s is not valid: a time step must be positive. Give the time in seconds, "
     "such as 1.0e-3."},
    {"NegativeDuration", kPlanarScene, "duration: 3", "duration: -3",
     "scene.yaml:14:49: simulation.duration: -3 s is not valid: a duration must be at least 0. Give the time in "
     "seconds."},
    {"ObserveUnknown", kMechanism, "observe: [shoulder.angle]", "observe: [shoulder.angel]",
     "scene.yaml:25:11: observe[0]: `shoulder.angel` is not in a recording of this scene. Did you mean "
     "`shoulder.angle`?"},
    {"ObserveTwice", kMechanism, "observe: [shoulder.angle]", "observe: [shoulder.angle, shoulder.angle]",
     "scene.yaml:25:27: observe[1]: `shoulder.angle` occurs twice. Keep one of them."},
    {"NoiseNegative", kSpatialScene, "position: 1.0e-3", "position: -1.0e-3",
     "scene.yaml:27:48: observe.noise.position: -0.001 m is not valid: a length must be at least 0. Give the length in "
     "meters."},
    {"PatchOfZero", kSpatialScene, "patch: [1, 1, 0.1]", "patch: [1, 0, 0.1]",
     "scene.yaml:18:14: contact.patch[1]: 0 is not valid: a scale must be positive. Give 1 for no change."},
    {"DryWithoutRadius", kMechanism, "{radius: 0.01, friction: 0.1, norm: l1}", "{friction: 0.1, norm: l1}",
     "scene.yaml:13:10: `joints.shoulder.dry.radius` is missing. Give the bearing's radius in meters."},
    {"ViscousNegative", kMechanism, "    motor:", "    viscous: -0.1\n    motor:",
     "scene.yaml:15:14: joints.shoulder.viscous: -0.1 N m s is not valid: viscous friction must be at least 0. Give 0 "
     "for none."},
    {"ComplianceUnknownKey", kMechanism, "    motor:", "    compliance: {liner: 1.0e-8}\n    motor:",
     "scene.yaml:15:18: joints.shoulder.compliance.liner: unknown key. Did you mean `linear`?"},
    {"MotorInterpolationUnknown", kMechanism, "input: u}", "input: u, interpolation: cubic}",
     "scene.yaml:15:49: joints.shoulder.motor.interpolation: `cubic` is not a valid value. Available: hold and "
     "linear."},
    {"ObserveOffsetUnknown", kSpatialScene, "noise: {position: 1.0e-3}", "offset: {box.xx: 0.1}",
     "scene.yaml:27:39: `observe.offset.box.xx` is not a column of a recording of this scene. Did you mean `box.x`?"},
    {"ScaleOfZero", kSpatialScene, "noise: {position: 1.0e-3}", "length_scale: 0",
     "scene.yaml:27:44: observe.length_scale: 0 is not valid: a scale must be positive. Give 1 for no change."},
    {"FrameInTheWrongSpace", kSpatialScene, "noise: {position: 1.0e-3}", "frame: {position: [0.1, 0]}",
     "scene.yaml:27:48: observe.frame.position: expected 3 numbers, but found 2. The scene is `space: spatial`."},
    {"FrameRotationIsNoQuaternion", kSpatialScene, "noise: {position: 1.0e-3}", "frame: {rotation: [1, 0, 0, 0]}",
     "scene.yaml:27:48: observe.frame.rotation: expected 3 numbers, but found 4. Write a list of 3 numbers."},
    {"FrameUnknownKey", kSpatialScene, "noise: {position: 1.0e-3}", "frame: {orientation: [0, 0, 0]}",
     "scene.yaml:27:38: observe.frame.orientation: unknown key. Did you mean `rotation`?"},
    {"FramesOfOneBody", kSpatialScene, "noise: {position: 1.0e-3}", "frames: {box: {position: [0, 0, 0]}}",
     "scene.yaml:27:38: observe.frames: only `box` moves. Write `frame: {position: ..., rotation: ...}`."},
    {"FrameOfSeveralBodies", kMechanism, "observe: [shoulder.angle]", "observe: {frame: {position: [0, 0, 0]}}",
     "scene.yaml:25:18: observe.frame: 2 bodies move. Name the body: `frames: {A: {position: ..., rotation: ...}}`."},
    {"FrameOfNoBody", kMechanism, "observe: [shoulder.angle]", "observe: {frames: {C: {position: [0, 0, 0]}}}",
     "scene.yaml:25:20: observe.frames.C: there is no such body. Available: A and B."},
    {"PointWithoutBody", kMechanism, "observe: [shoulder.angle]", "observe: {points: {tip: [0, 0, 0]}}",
     "scene.yaml:25:25: observe.points.tip: 2 bodies move, and any could have this point. Write `tip: {body: A, at: "
     "[...]}`."},
    {"PointOfNoBody", kMechanism, "observe: [shoulder.angle]", "observe: {points: {tip: {body: C, at: [0, 0, 0]}}}",
     "scene.yaml:25:32: observe.points.tip.body: no body `C` moves. Available: A and B."},
    {"PointOfFixedBody", kSpatialScene, "noise: {position: 1.0e-3}", "points: {tip: {body: post, at: [0, 0, 0]}}",
     "scene.yaml:27:51: observe.points.tip.body: no body `post` moves. Available: box."},
    {"PointInTheWrongSpace", kPlanarScene, "duration: 3}", "duration: 3}\nobserve: {points: {tip: [0, 0, 0]}}",
     "scene.yaml:15:25: observe.points.tip: expected 2 numbers, but found 3. The scene is `space: planar`."},
    {"PointNamedAsABody", kSpatialScene, "noise: {position: 1.0e-3}", "points: {box: [0, 0, 0]}",
     "scene.yaml:27:39: observe.points.box: a body has the same name. Names are unique over bodies, surfaces and "
     "joints; rename one."},
    {"PointWithoutCoordinates", kSpatialScene, "noise: {position: 1.0e-3}", "points: {tip: {body: box}}",
     "scene.yaml:27:44: `observe.points.tip.at` is missing. Give the coordinates of the point in the frame of its "
     "body."},
};

class WrongScenes : public ::testing::TestWithParam<WrongScene> {};

TEST_P(WrongScenes, SaysWhereWhatAndWhatToDo) {
  const std::string good = GetParam().scene;
  ASSERT_NO_THROW(ParseScene(good, "scene.yaml"));
  ASSERT_NE(good.find(GetParam().from), std::string::npos);
  ASSERT_EQ(good.find(GetParam().from), good.rfind(GetParam().from));
  EXPECT_EQ(MessageOf(Changed(GetParam())), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(All, WrongScenes, ::testing::ValuesIn(kSceneCases),
                         [](const ::testing::TestParamInfo<WrongScene>& wrong) { return wrong.param.name; });

}  // namespace
}  // namespace ricochet
