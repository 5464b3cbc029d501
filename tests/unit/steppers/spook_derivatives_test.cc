// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook/spook_derivatives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "steppers/spook/spook_inverse.h"
#include "tests/support/mechanisms.h"
#include "tests/support/spook_derivative_check.h"

namespace ricochet {
namespace {

const char* kEverything =
    "    viscous: 1.0e-3\n    dry: {radius: 0.02, friction: 0.1, norm: l1}\n    stribeck: {static: 0.2, rate: 2}\n"
    "    motor: {gain: 0.1, shaft_inertia: 1.0e-4, input: u}\n    drive: {stiffness: 0.2, damping: 0.01, target: "
    "0.3}\n";

const std::vector<std::string> kPaths = {"bodies.*.mass",
                                         "bodies.b0.inertia",
                                         "bodies.b1.center_of_mass",
                                         "joints.*.viscous",
                                         "joints.*.dry.friction",
                                         "joints.j0.dry.radius",
                                         "joints.j1.stribeck.static",
                                         "joints.j1.stribeck.rate",
                                         "joints.j0.motor.gain",
                                         "joints.j1.motor.shaft_inertia",
                                         "joints.j0.drive.stiffness",
                                         "joints.j0.drive.damping",
                                         "joints.j0.drive.target",
                                         "joints.j1.parent_frame.point",
                                         "joints.j0.child_frame.axis",
                                         "joints.*.compliance.linear",
                                         "joints.j0.damping",
                                         "gravity.tilt",
                                         "gravity.magnitude"};

TEST(SpookDerivatives, OfAStepWithEverythingAHingeHas) {
  RandomVectors random(31);
  CheckStep(RandomChain(random, 2, 1e-4, kEverything), kPaths, 1e-6);
}

TEST(SpookDerivatives, OfAStepOfOrderTwo) {
  RandomVectors random(32);
  CheckStep(RandomChain(random, 2, 1e-5, kEverything, ", options: {order: 2}"), kPaths, 1e-6);
}

TEST(SpookDerivatives, OfAClosedLoop) {
  CheckStep(FourBar(1e-5), {"bodies.*.mass", "joints.c.parent_frame.point"}, 1e-6);
}

Scene BoxOnAPlane(double push, double speed) {
  return ParseScene(
      fmt::format(
          "ricochet: 1\nspace: spatial\ngravity: [{}, 0, -9.81]\nbodies:\n"
          "  box: {{shape: {{box: {{size: [0.2, 0.15, 0.1]}}}}, mass: 0.4, inertia: [1.0e-3, 1.6e-3, 2.0e-3]}}\n"
          "surfaces:\n  floor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}}}\ncontact: {{friction: 0.2}}\n"
          "initial:\n  box: {{position: [0, 0, 0.05], velocity: [{}, {}, 0]}}\n"
          "simulation: {{method: spook, step: 5.0e-3, duration: 1, options: {{contact_compliance: 1.0e-4}}}}\n",
          push, speed, 0.02 * speed),
      "box");
}

const std::vector<std::string> kBoxPaths = {"bodies.box.mass", "contact.friction", "gravity[0:3]"};

TEST(SpookDerivatives, OfASlidingBox) { CheckStep(BoxOnAPlane(3, 0.5), kBoxPaths, 1e-5); }

// Four corners stick: 12 rows on 6 coordinates, regularized.
TEST(SpookDerivatives, OfABoxThatSticksOnFourCorners) { CheckStep(BoxOnAPlane(0.7, 0), kBoxPaths, 1e-5); }

TEST(SpookInverseDerivatives, AreExactAndAChainHasABand) {
  RandomVectors random(33);
  const Scene scene = RandomChain(random, 5, 1e-4, kEverything);
  const Model model = CompileModel(scene);
  const double h = 5e-3;
  const State state = LaterState(model, h);
  const std::vector<double> u = {0.3};
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  SpookWorkspace workspace(model);
  const int n = model.body_count();
  const Eigen::VectorXd v_end =
      state.v + 0.1 * Eigen::VectorXd::NullaryExpr(6 * n, [&] { return random.Uniform(-1, 1); });
  SpookInverse inverse;
  const auto residual = [&](const State& s, const Eigen::VectorXd& v) {
    InvertSpookStep(model, s, v, inputs, h, {}, workspace, inverse);
    return inverse.residual;
  };
  residual(state, v_end);
  SpookInverseDerivatives derivatives;
  const std::vector<NumberId> parameters = scene.Match("bodies.*.mass");
  DifferentiateSpookInverse(model, state, v_end, inputs, h, parameters, inverse, workspace, derivatives);
  Eigen::MatrixXd by_state = Eigen::MatrixXd::Zero(6 * n, 12 * n), by_end = Eigen::MatrixXd::Zero(6 * n, 6 * n);
  for (const SpookInverseBlock& block : derivatives.blocks) {
    EXPECT_LE(std::abs(block.row - block.column), 1) << "only neighbors in a chain";
    by_state.block<6, 6>(6 * block.row, 6 * block.column) = block.by_pose;
    by_state.block<6, 6>(6 * block.row, 6 * n + 6 * block.column) = block.by_velocity;
    by_end.block<6, 6>(6 * block.row, 6 * block.column) = block.by_end_velocity;
  }
  EXPECT_EQ(derivatives.blocks.size(), static_cast<size_t>(3 * n - 2));
  const auto scaled = [&](const Eigen::MatrixXd& J) { return 1e-6 * (1 + J.cwiseAbs().maxCoeff()); };
  const auto of_state = [&](const State& s) { return residual(s, v_end); };
  const Eigen::MatrixXd numeric = CentralDifferences(of_state, state, Moved, 12 * n, kVectorMinus, 1e-6);
  EXPECT_LE((numeric - by_state).cwiseAbs().maxCoeff(), scaled(by_state));
  const auto of_end = [&](const Eigen::VectorXd& v) { return residual(state, v); };
  const auto plus = [](const Eigen::VectorXd& v, const Eigen::VectorXd& d) { return Eigen::VectorXd(v + d); };
  const Eigen::MatrixXd numeric_end = CentralDifferences(of_end, v_end, plus, 6 * n, kVectorMinus, 1e-5);
  EXPECT_LE((numeric_end - by_end).cwiseAbs().maxCoeff(), scaled(by_end));
}

}  // namespace
}  // namespace ricochet
