// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "steppers/spook_derivatives.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "dynamics/kinematics.h"
#include "math/manifold.h"
#include "steppers/spook.h"
#include "steppers/spook_inverse.h"
#include "tests/support/derivative_check.h"
#include "tests/support/mechanisms.h"

namespace ricochet {
namespace {

State Moved(const State& state, const Eigen::VectorXd& d) {
  State out = state;
  const int n = static_cast<int>(state.v.size()) / 6;
  for (int i = 0; i < n; ++i) {
    const SpatialPose<double> pose = state.q.segment<7>(7 * i);
    out.q.segment<7>(7 * i) = BoxPlus<double>(pose, Vector6<double>(d.segment<6>(6 * i)));
  }
  out.v += d.tail(6 * n);
  return out;
}

Eigen::VectorXd Difference(const State& a, const State& b) {
  const int n = static_cast<int>(a.v.size()) / 6;
  Eigen::VectorXd d(12 * n);
  for (int i = 0; i < n; ++i) {
    const SpatialPose<double> pa = a.q.segment<7>(7 * i), pb = b.q.segment<7>(7 * i);
    d.segment<6>(6 * i) = BoxMinus<double>(pa, pb);
  }
  d.tail(6 * n) = a.v - b.v;
  return d;
}

/// A state a few steps into the motion, where nothing is special.
State LaterState(const Model& model, double h) {
  const auto workspace = Spook().MakeWorkspace(model);
  const std::vector<double> u(model.spatial.inputs.size(), 0.3);
  StepResult step;
  State state = InitialState(model);
  for (int k = 0; k < 5; ++k) {
    Spook().Step(model, state, {.u = u, .u_end = u, .fired = {}}, h, *workspace, step);
    state = step.end;
  }
  return state;
}

void CheckStep(const Scene& scene, const std::vector<std::string>& paths, double tolerance) {
  const double h = 5e-3;
  const Model model = CompileModel(scene);
  const State state = LaterState(model, h);
  const std::vector<double> u(model.spatial.inputs.size(), 0.3);
  const StepInputs inputs{.u = u, .u_end = u, .fired = {}};
  const auto workspace = Spook().MakeWorkspace(model);
  const auto end = [&](const State& s) {
    StepResult step;
    Spook().Step(model, s, inputs, h, *workspace, step);
    return step.end;
  };
  StepResult step;
  Spook().Step(model, state, inputs, h, *workspace, step);
  std::vector<NumberId> parameters;
  for (const std::string& path : paths)
    for (const NumberId id : scene.Match(path)) parameters.push_back(id);
  StepDerivatives derivatives;
  Spook().Differentiate(model, step, inputs, parameters, *workspace, derivatives);
  EXPECT_TRUE(IsJacobian(derivatives.end_by_start, end, state, Moved, static_cast<int>(2 * state.v.size()), Difference,
                         {.step = 1e-6, .tolerance = tolerance}));
  ASSERT_EQ(derivatives.end_by_parameters.cols(), static_cast<Eigen::Index>(parameters.size()));
  for (size_t k = 0; k < parameters.size(); ++k) {
    const double value = scene[parameters[k]], d = 1e-4 * std::max(1e-3, std::abs(value));
    const auto at = [&](double x) {
      Scene other = scene;
      other.Set(parameters[k], x);
      const Model changed = CompileModel(other);
      const auto own = Spook().MakeWorkspace(changed);
      StepResult result;
      Spook().Step(changed, state, inputs, h, *own, result);
      return result.end;
    };
    const Eigen::VectorXd numeric = Difference(at(value + d), at(value - d)) / (2 * d);
    const double scale = std::max(1.0, numeric.cwiseAbs().maxCoeff());
    EXPECT_LE((derivatives.end_by_parameters.col(k) - numeric).cwiseAbs().maxCoeff(), 100 * tolerance * scale)
        << scene.number(parameters[k]).path;
  }
}

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

// Four corners stick: 12 rows on 6 coordinates, regularised.
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
    EXPECT_LE(std::abs(block.row - block.column), 1) << "only neighbours in a chain";
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
