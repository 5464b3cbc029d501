// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bodies whose shape a user puts together from inequalities: read, refused by name where they cannot be used, written
// back, and stepped by `ecp` like any other.
#include <gtest/gtest.h>

#include <cmath>

#include "ricochet/simulate.h"
#include "tests/support/derivative_check.h"
#include "tests/support/ecp_run.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

std::string SceneText(const std::string& shape, const std::string& body, const std::string& initial,
                      const std::string& method = "ecp") {
  return "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.8]\nbodies:\n  body:\n    shape: " + shape + "\n    " + body +
         "\nsurfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
         "contact: {friction: 0.3, patch: [1, 1, 0.05]}\ninitial:\n  body: " +
         initial + "\nsimulation: {method: " + method + ", step: 0.005, duration: 1}\n";
}

std::string Message(const std::string& text) {
  try {
    SimulateOptions options;
    options.duration = 0.005;
    Simulate(ParseScene(text, "solid.yaml"), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// The same box as a box and as six half spaces moves the same.
TEST(EcpIntersection, SixHalfSpacesAreABox) {
  const std::string body = "mass: 1\n    inertia: [0.0108333333, 0.0216666667, 0.0241666667]";
  const std::string start =
      "{position: [0, 0, 0.5], orientation: [0.9, 0.1, 0.2, 0.3], velocity: [1, 0.3, 0], angular_velocity: [2, -3, 1]}";
  EcpRun box(ParseScene(SceneText("{box: {size: [0.5, 0.2, 0.3]}}", body, start), "box.yaml"));
  EcpRun cut(ParseScene(SceneText("\n      intersection:\n"
                                  "        - half_space: {point: [0.25, 0, 0], normal: [1, 0, 0]}\n"
                                  "        - half_space: {point: [-0.25, 0, 0], normal: [-2, 0, 0]}\n"
                                  "        - half_space: {point: [0, 0.1, 0], normal: [0, 1, 0]}\n"
                                  "        - half_space: {point: [0, -0.1, 0], normal: [0, -1, 0]}\n"
                                  "        - half_space: {point: [0, 0, 0.15], normal: [0, 0, 3]}\n"
                                  "        - half_space: {point: [0, 0, -0.15], normal: [0, 0, -1]}",
                                  body, start),
                        "cut.yaml"));
  for (int k = 0; k < 200; ++k) {
    box.Step(0.005);
    cut.Step(0.005);
    ASSERT_EQ(cut.result.status, StepStatus::kSolved) << k;
    ASSERT_LT((box.state.q - cut.state.q).norm(), 1e-7) << k;
  }
  EXPECT_EQ(cut.result.contacts.at(0).kind, ContactKind::kSurface);
}

/// A ball flattened at its south pole: rocks on its round part (point), and rests on the flat (surface).
TEST(EcpIntersection, FlattenedBallRocksAndComesToRestOnItsFlat) {
  EcpRun run(ParseScene(SceneText("{intersection: [{sphere: {radius: 0.1}}, {half_space: {point: [0, 0, -0.08], "
                                  "normal: [0, 0, -1]}}]}",
                                  "mass: 1\n    inertia: [0.004, 0.004, 0.004]\n    center_of_mass: [0, 0, -0.01]",
                                  "{position: [0, 0, 0.12], orientation: [0.9, 0.4358898943540674, 0, 0]}"),
                        "flat.yaml"));
  bool point = false;
  for (int k = 0; k < 800; ++k) {
    const StepResult& step = run.Step(0.005);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    EXPECT_LE(step.residual, 1e-10);
    if (step.contacts.empty()) continue;
    EXPECT_GE(step.contacts[0].gap, -1e-9) << k;
    point = point || step.contacts[0].kind == ContactKind::kPoint;
    // On the solid, wherever it touches.
    EXPECT_LE(run.ecp().solids.bodies[0].MaxValue(step.contacts[0].p_BC - Vec(0, 0, -0.01)), 1e-9);
  }
  EXPECT_TRUE(point);
  ASSERT_EQ(run.result.contacts.size(), 1u);
  EXPECT_EQ(run.result.contacts[0].kind, ContactKind::kSurface);
  EXPECT_NEAR(run.position().z(), 0.07, 1e-9);  // center of mass over the flat: 0.08 - 0.01
  EXPECT_EQ(run.state.v.norm(), 0);
}

TEST(EcpIntersection, TwoSuchBodiesCollideAndKeepMomentum) {
  const std::string lens =
      "{intersection: [{sphere: {radius: 0.2, position: [0, 0, 0.1]}}, {sphere: {radius: 0.2, "
      "position: [0, 0, -0.1]}}]}";
  const std::string barrel =
      "{intersection: [{cylinder: {radius: 0.15, length: 0.3}}, {ellipsoid: {semi_axes: [0.2, "
      "0.2, 0.17]}}]}";
  EcpRun run(ParseScene("ricochet: 1\nspace: spatial\ngravity: [0, 0, 0]\nbodies:\n  a: {shape: " + lens +
                            ", mass: 1, inertia: [0.004, 0.004, 0.006]}\n  b: {shape: " + barrel +
                            ", mass: 2, inertia: [0.02, 0.02, 0.02]}\n"
                            "contact: {friction: 0.3, patch: [1, 1, 0.05]}\ninitial:\n"
                            "  a: {position: [-0.4, 0.02, 0], orientation: [0.9, 0.1, 0.3, 0.1], velocity: [1, 0, 0], "
                            "angular_velocity: [1, 0, 2]}\n"
                            "  b: {position: [0.1, 0, 0.03], orientation: [0.8, 0.2, 0.1, 0], velocity: [-0.5, 0, 0]}\n"
                            "simulation: {method: ecp, step: 0.005}\n",
                        "lens.yaml"));
  const auto momentum = [&] { return Vec(run.velocity(0) + 2 * run.velocity(1)); };
  const Vec before = momentum();
  int touching = 0;
  for (int k = 0; k < 120; ++k) {
    const StepResult& step = run.Step(0.005);
    ASSERT_EQ(step.status, StepStatus::kSolved) << k;
    touching += !step.contacts.empty();
    EXPECT_LT((momentum() - before).norm(), 1e-12);
  }
  EXPECT_GT(touching, 0);
}

TEST(EcpIntersection, NumbersHavePathsAndAreWrittenBack) {
  const std::string text = SceneText(
      "{intersection: [{sphere: {radius: 0.1, position: [0, 0, 0.01]}}, {half_space: "
      "{point: [0, 0, -0.08], normal: [0, 0, -1]}}, {box: {size: [1, 1, 1]}}]}",
      "mass: 1\n    inertia: [0.004, 0.004, 0.004]", "{position: [0, 0, 0.08]}");
  Scene scene = ParseScene(text, "solid.yaml");
  const std::string path = "bodies.body.shape.intersection";
  EXPECT_EQ(scene[scene.Find(path + "[0].sphere.position[2]")], 0.01);
  EXPECT_EQ(scene[scene.Find(path + "[1].half_space.point[2]")], -0.08);
  EXPECT_EQ(scene[scene.Find(path + "[2].box.orientation[0]")], 1);
  scene.Set(scene.Find(path + "[1].half_space.point[2]"), -0.07);
  scene.Set(scene.Find(path + "[2].box.position[0]"), 0.02);
  const Scene again = ParseScene(FormatScene(scene), "again.yaml");
  EXPECT_EQ(again[again.Find(path + "[1].half_space.point[2]")], -0.07);
  EXPECT_EQ(again[again.Find(path + "[2].box.position[0]")], 0.02);
}

/// Sizes of the pieces move the motion as differences say.
TEST(EcpIntersection, StepDerivativesByTheNumbersOfThePieces) {
  const Scene scene =
      ParseScene(SceneText("{intersection: [{sphere: {radius: 0.1}}, {half_space: {point: [0, 0, "
                           "-0.08], normal: [0, 0, -1]}}]}",
                           "mass: 1\n    inertia: [0.004, 0.004, 0.004]",
                           "{position: [0, 0, 0.08], velocity: [1, 0, 0], angular_velocity: [0, 0, 3]}"),
                 "slide.yaml");
  const std::string path = "bodies.body.shape.intersection[1].half_space.";
  const std::vector<NumberId> parameters = {scene.Find("contact.friction"), scene.Find(path + "point[2]"),
                                            scene.Find(path + "normal[0]")};
  EcpRun run(scene);
  const State start = run.state;
  run.Step(0.005);
  StepDerivatives derivatives;
  Ecp().Differentiate(run.model, run.result, {}, parameters, *run.workspace, derivatives);
  const auto velocity = [&](const Eigen::VectorXd& x) {
    Scene changed = scene;
    for (std::size_t i = 0; i < 3; ++i)
      changed.Set(parameters[i], scene[parameters[i]] + x[static_cast<Eigen::Index>(i)]);
    const Model model = CompileModel(changed);
    const auto workspace = Ecp().MakeWorkspace(model);
    StepResult step;
    Ecp().Step(model, start, {}, 0.005, *workspace, step);
    return Eigen::VectorXd(step.end.v);
  };
  EXPECT_TRUE(IsJacobian(Eigen::MatrixXd(derivatives.end_by_parameters.bottomRows(6)), velocity,
                         Eigen::VectorXd(Eigen::VectorXd::Zero(3)), {.step = 1e-6, .tolerance = 2e-6}));
}

TEST(EcpIntersection, WrongOnesAreRefusedByName) {
  const std::string body = "mass: 1\n    inertia: [0.004, 0.004, 0.004]", start = "{position: [0, 0, 1]}";
  const std::string flat =
      "{intersection: [{sphere: {radius: 0.1}}, {half_space: {point: [0, 0, -0.08], normal: [0, 0, -1]}}]}";
  EXPECT_EQ(Message(SceneText(flat, body, start, "moreau")),
            "solid.yaml:6:13: bodies.body.shape.intersection: moreau needs contact points, which an intersection of "
            "inequalities does not have. Use method ecp, or give a shape with corners.");
  EXPECT_EQ(Message(SceneText(flat, body, start, "spook")),
            "solid.yaml:6:13: bodies.body.shape.intersection: spook needs contact points, which an intersection of "
            "inequalities does not have. Use method ecp, or give a shape with corners.");
  EXPECT_EQ(Message(SceneText(flat, "mass: 1", start)),
            "solid.yaml:5:3: `bodies.body.inertia` is missing: the inertia of an intersection is not derived from its "
            "density. Give the inertia about the center of mass.");
  EXPECT_EQ(Message(SceneText("{intersection: [{sphere: {radius: 0.1}}, {half_space: {point: [0, 0, -0.2], normal: [0, "
                              "0, 1]}}]}",
                              body, start)),
            "solid.yaml:6:13: bodies.body.shape.intersection: the parts have no volume in common. Check positions, and "
            "that normals of half spaces point outward.");
  EXPECT_EQ(
      Message(SceneText("{intersection: [{half_space: {point: [0, 0, -0.2], normal: [0, 0, 1]}}]}", body, start)),
      "solid.yaml:6:13: bodies.body.shape.intersection: the parts do not enclose a volume: it reaches to infinity. "
      "Add half spaces, or a box, until it is closed on all sides.");
  EXPECT_EQ(Message(SceneText("{intersection: [{cone: {radius: 0.1}}]}", body, start)),
            "solid.yaml:6:29: bodies.body.shape.intersection[0].cone: unknown part. Available: half_space, box, "
            "sphere, cylinder, ellipsoid and polytope.");
  EXPECT_EQ(
      Message(
          SceneText("{intersection: [{ellipsoid: {semi_axes: [1, 1, 1], orientation: [1, 0, 0, 0]}}]}", body, start)),
      "solid.yaml:6:63: bodies.body.shape.intersection[0].ellipsoid.orientation: unknown key. Available: semi_axes "
      "and position.");
}

}  // namespace
}  // namespace ricochet
