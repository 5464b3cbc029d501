// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Derivatives of a step of `ecp` by the implicit function theorem against differences, and what they are for: friction
// and e_r from a recording of a body that slides and spins (Xie, remark 5).
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "core/random.h"
#include "tests/support/derivative_check.h"
#include "tests/support/ecp_run.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// End state of one step in coordinates: positions and velocities as they are, rotations relative to `reference`.
Eigen::VectorXd StateDifference(const State& a, const State& b, int bodies) {
  Eigen::VectorXd d(12 * bodies);
  for (int i = 0; i < bodies; ++i) {
    d.segment<6>(6 * i) =
        BoxMinus<double>(SpatialPose<double>(a.q.segment<7>(7 * i)), SpatialPose<double>(b.q.segment<7>(7 * i)));
  }
  d.tail(6 * bodies) = a.v - b.v;
  return d;
}

State StateMoved(const State& state, const Eigen::VectorXd& delta, int bodies) {
  State moved = state;
  for (int i = 0; i < bodies; ++i) {
    moved.q.segment<7>(7 * i) =
        BoxPlus<double>(SpatialPose<double>(state.q.segment<7>(7 * i)), Vector6<double>(delta.segment<6>(6 * i)));
  }
  moved.v += delta.tail(6 * bodies);
  return moved;
}

void CheckStep(Scene scene, int steps, double h, const std::vector<std::string>& paths, const char* what,
               double difference = 2e-6) {
  for (const std::string& path : paths) {
    ASSERT_TRUE(scene.Find(path)) << path;
    scene.MakeIndependent(scene.Find(path));
  }
  EcpRun run(scene);
  for (int k = 0; k < steps; ++k) run.Step(h);
  const State start = run.state;
  const int bodies = run.model.body_count();
  std::vector<NumberId> parameters;
  for (const std::string& path : paths) parameters.push_back(scene.Find(path));

  StepResult step;
  StepInputs inputs;
  Ecp().Step(run.model, start, inputs, h, *run.workspace, step);
  ASSERT_FALSE(step.contacts.empty()) << what;
  StepDerivatives derivatives;
  Ecp().Differentiate(run.model, step, inputs, parameters, *run.workspace, derivatives);

  const auto end = [&](const State& from) {
    StepResult other;
    Ecp().Step(run.model, from, inputs, h, *run.workspace, other);
    return other.end;
  };
  const auto plus = [&](const State& state, const Eigen::VectorXd& d) { return StateMoved(state, d, bodies); };
  const auto minus = [&](const State& a, const State& b) { return StateDifference(a, b, bodies); };
  // The stencil reaches three steps to either side, far less than gravity closes in a step, g h^2: the contact stays
  // closed and of its kind in every direction.
  const DerivativeCheckOptions options{.step = std::min(difference, h * h), .tolerance = 2e-6};
  EXPECT_TRUE(IsJacobian(derivatives.end_by_start, end, start, plus, 12 * bodies, minus, options)) << what;

  const auto end_of_parameters = [&](const Eigen::VectorXd& values) {
    Scene changed = scene;
    for (std::size_t i = 0; i < parameters.size(); ++i) changed.Set(parameters[i], values[static_cast<long>(i)]);
    const Model model = CompileModel(changed);
    const auto workspace = Ecp().MakeWorkspace(model);
    StepResult other;
    Ecp().Step(model, start, inputs, h, *workspace, other);
    return other.end;
  };
  Eigen::VectorXd values(static_cast<long>(parameters.size()));
  for (std::size_t i = 0; i < parameters.size(); ++i) values[static_cast<long>(i)] = scene[parameters[i]];
  const auto vector_plus = [](const Eigen::VectorXd& x, const Eigen::VectorXd& d) { return Eigen::VectorXd(x + d); };
  EXPECT_TRUE(IsJacobian(derivatives.end_by_parameters, end_of_parameters, values, vector_plus,
                         static_cast<int>(parameters.size()), minus, options))
      << what;
}

Scene Truth(const std::string& name) { return ReadScene(testing::DataPath("truth/patch/" + name + ".yaml")); }

/// Every state coordinate and every kind of number: law, mass, inertia, sizes, places, gravity, belts.
TEST(EcpDerivatives, AgreeWithDifferences) {
  const std::vector<std::string> law = {"contact.friction",
                                        "contact.patch[0]",
                                        "contact.patch[1]",
                                        "contact.patch[2]",
                                        "bodies.body.mass",
                                        "bodies.body.inertia[0]",
                                        "bodies.body.inertia[2]",
                                        "bodies.body.center_of_mass[0]",
                                        "bodies.body.center_of_mass[2]",
                                        "surfaces.floor.plane.point[2]",
                                        "surfaces.floor.plane.normal[1]",
                                        "surfaces.floor.velocity[1]",
                                        "gravity[0]",
                                        "gravity[2]"};
  std::vector<std::string> box = law, tube = law;
  for (const char* path : {"bodies.body.shape.box.size[0]", "bodies.body.shape.box.size[2]"}) box.emplace_back(path);
  for (const char* path : {"bodies.body.shape.cylinder.radius", "bodies.body.shape.cylinder.length"})
    tube.emplace_back(path);
  CheckStep(Truth("cube_spin_er1"), 20, 0.01, box, "surface, sliding");
  CheckStep(Truth("puck_thick"), 5, 0.01, tube, "puck");
  CheckStep(Truth("cylinder"), 50, 0.001, tube, "line, sliding");
  const std::vector<std::string> cube = {"contact.friction", "contact.patch[2]", "bodies.cube.mass",
                                         "bodies.cube.shape.box.size[1]"};
  CheckStep(ReadScene(testing::SourcePath("examples/cube_topple.yaml")), 10, 0.01, cube, "corner, sticking");
  CheckStep(ReadScene(testing::SourcePath("examples/cube_topple.yaml")), 33, 0.01, cube, "corner, sliding");
}

TEST(EcpDerivatives, OfTwoMovingBodiesAgreeWithDifferences) {
  const auto scene = [](const std::string& gravity, const std::string& a, const std::string& b,
                        const std::string& surfaces, const std::string& initial) {
    return ParseScene("ricochet: 1\nspace: spatial\ngravity: " + gravity + "\nbodies:\n  a: {shape: " + a +
                          ", mass: 2}\n  b: {shape: " + b + ", mass: 1}\n" + surfaces +
                          "contact: {friction: 0.3, patch: [1, 1, 0.1]}\ninitial:\n" + initial +
                          "simulation: {method: ecp, step: 0.005}\n",
                      "two.yaml");
  };
  const std::vector<std::string> paths = {"contact.friction", "contact.patch[2]", "bodies.a.mass", "bodies.b.mass",
                                          "bodies.b.inertia[0]"};
  CheckStep(scene("[0, 0, -9.8]", "{box: {size: [0.6, 0.6, 0.2]}}", "{cylinder: {radius: 0.15, length: 0.2}}",
                  "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n",
                  "  a: {position: [0, 0, 0.1], velocity: [0.2, 0, 0]}\n"
                  "  b: {position: [0.05, 0.02, 0.3], velocity: [1, 0.1, 0], angular_velocity: [0, 0, 2]}\n"),
            4, 0.005, paths, "a cylinder slides on a box that slides", 1e-7);
  CheckStep(scene("[0, 0, 0]", "{ellipsoid: {semi_axes: [0.3, 0.2, 0.25]}}", "{sphere: {radius: 0.25}}", "",
                  "  a: {position: [-0.28, 0.03, 0.02], orientation: [0.9, 0.1, 0.2, 0.3], velocity: [1.5, 0, 0.1], "
                  "angular_velocity: [1, 2, -1]}\n"
                  "  b: {position: [0.24, -0.02, 0], velocity: [-1, 0.2, 0], angular_velocity: [0, 1, 2]}\n"),
            0, 0.02, paths, "an ellipsoid meets a ball");
}

/// A step that is solved in halves is the same as two steps, and so are its derivatives.
TEST(EcpDerivatives, OfAHalvedStepAreThoseOfItsHalves) {
  const Scene scene = Truth("cube_spin_er1");
  const std::vector<NumberId> parameters = {scene.Find("contact.friction"), scene.Find("contact.patch[2]")};
  EcpRun whole(scene), halves(scene);
  whole.ecp().solver.longest_step = 0.006;
  StepDerivatives derivatives, first, second;
  whole.Step(0.01);
  EXPECT_EQ(whole.result.status, StepStatus::kSolved);
  EXPECT_EQ(whole.result.attempts, 5);
  EXPECT_EQ(whole.ecp().halved_steps, 1);
  Ecp().Differentiate(whole.model, whole.result, {}, parameters, *whole.workspace, derivatives);
  double impulse = 0;
  halves.Step(0.005);
  impulse += halves.result.contacts[0].normal_impulse;
  Ecp().Differentiate(halves.model, halves.result, {}, parameters, *halves.workspace, first);
  halves.Step(0.005);
  impulse += halves.result.contacts[0].normal_impulse;
  Ecp().Differentiate(halves.model, halves.result, {}, parameters, *halves.workspace, second);
  EXPECT_LT((whole.state.q - halves.state.q).norm() + (whole.state.v - halves.state.v).norm(), 1e-12);
  ASSERT_EQ(whole.result.contacts.size(), 1u);
  EXPECT_NEAR(whole.result.contacts[0].normal_impulse, impulse, 1e-12);
  EXPECT_LT((derivatives.end_by_start - second.end_by_start * first.end_by_start).norm(), 1e-8);
  EXPECT_LT((derivatives.end_by_parameters - (second.end_by_start * first.end_by_parameters + second.end_by_parameters))
                .norm(),
            1e-10);
}

/// Gauss-Newton on friction and e_r through chained step derivatives, positions and yaw observed with noise.
TEST(EcpDerivatives, FrictionAndSpinRadiusAreRecoveredFromSlidingAndSpinning) {
  const Scene truth = Truth("puck_thick");
  const double h = 0.01;
  const int steps = 28;
  for (const double noise : {0.0, 1e-4}) {
    // The recording: x, y and yaw at every step.
    std::vector<Vector3<double>> recording;
    {
      EcpRun run(truth);
      Random random(11);
      for (int k = 0; k < steps; ++k) {
        run.Step(h);
        recording.push_back(Vector3<double>(run.position().x(), run.position().y(), run.yaw()) +
                            noise * Vector3<double>(random.Normal(), random.Normal(), 10 * random.Normal()));
      }
    }
    Scene scene = truth;
    const std::vector<NumberId> parameters = {scene.Find("contact.friction"), scene.Find("contact.patch[2]")};
    scene.Set(parameters[0], 0.2);
    scene.Set(parameters[1], 0.12);
    Eigen::Matrix2d information;
    for (int iteration = 0; iteration < 15; ++iteration) {
      EcpRun run(scene);
      information.setZero();
      Eigen::Vector2d gradient = Eigen::Vector2d::Zero();
      Eigen::MatrixXd sensitivity = Eigen::MatrixXd::Zero(12, 2);
      StepDerivatives derivatives;
      for (int k = 0; k < steps; ++k) {
        run.Step(h);
        StepInputs inputs;
        Ecp().Differentiate(run.model, run.result, inputs, parameters, *run.workspace, derivatives);
        sensitivity = derivatives.end_by_start * sensitivity + derivatives.end_by_parameters;
        Eigen::Matrix<double, 3, 2> J;
        J << sensitivity.row(0), sensitivity.row(1), 0.1 * sensitivity.row(5);
        Vector3<double> r(run.position().x(), run.position().y(), run.yaw());
        r -= recording[k];
        r[2] *= 0.1;
        information += J.transpose() * J;
        gradient += J.transpose() * r;
      }
      const Eigen::Vector2d update = information.ldlt().solve(gradient);
      for (int i = 0; i < 2; ++i)
        scene.Set(parameters[i], std::max(0.3 * scene[parameters[i]], scene[parameters[i]] - update[i]));
      if (update.norm() < 1e-12) break;
    }
    const Eigen::Matrix2d covariance = information.inverse() * (noise * noise);
    for (int i = 0; i < 2; ++i) {
      const double exact = truth[parameters[i]], bound = noise == 0 ? 1e-9 : 3.5 * std::sqrt(covariance(i, i));
      EXPECT_NEAR(scene[parameters[i]], exact, bound) << truth.number(parameters[i]).path << " noise " << noise;
    }
    if (noise > 0) {
      EXPECT_LT(std::sqrt(covariance(0, 0)), 0.01);
    }
  }
}

}  // namespace
}  // namespace ricochet
