// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_program.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"
#include "estimators/program/joint_schedule.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

Scene Tilted(const char* shape) {
  return ParseScene(std::string("ricochet: 1\nspace: planar\ngravity: [0.4, -9.81]\nbodies:\n  b:\n    shape: ") +
                        shape +
                        "\n    mass: 0.07\n    inertia: 5.0e-5\n    center_of_mass: [0.003, -0.002]\nsurfaces:\n  s: "
                        "{line: {point: [0, 0], "
                        "angle: 0.1}, velocity: [0.1, 0.01003]}\ncontact: {friction: 0.3, restitution: 0.4}\n",
                    "t.yaml");
}

/// A chain with every kind of row: an impact, lasting contact that slides and sticks, soft nodes.
JointProgram MakeProgram(const PlanarFamily& family, bool soft) {
  JointChain chain;
  Random random(3, soft);
  for (int i = 0; i <= 12; ++i) {
    chain.track.time.push_back(0.004 * i);
    chain.track.pose.emplace_back(0.01 * i, 0.05 + 0.001 * random.Normal(), 0.1 * i);
  }
  chain.track.noise_position = 1e-3;
  chain.track.noise_angle = 2e-3;
  chain.rejected.assign(13, 0);
  chain.rejected[4] = 1;
  chain.step = 1e-3;
  LayNodes(
      family, {{0.0107, 0.0107, 0, 1}, {0.0203, 0.0262, 0, 0}, {0.0301, 0.0352, 0, -1}},
      [](double t) { return Eigen::Vector3d(2.5 * t, 0.05 + 0.01 * std::sin(90 * t), 25 * t); }, chain);
  for (JointNode& node : chain.nodes) {
    node.soft = soft;
    node.grid_time = node.time + 1e-4;
    node.grid = 1e-3;
    for (JointContact& contact : node.contacts) contact.impulse = 0.01 * random.Normal();
    for (JointFriction& friction : node.frictions) friction.impulse = 0.01 * random.Normal();
  }
  JointProgram program(family, {chain}, family.start());
  program.weights().gap = 1e-3;
  program.weights().slip = 0.1;
  program.weights().restitution = true;
  program.Layout();
  return program;
}

class JointDerivatives : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(JointDerivatives, EveryRowAgreesWithDifferences) {
  const auto [shape, soft] = GetParam();
  const Scene scene = Tilted(shape);
  const PlanarFamily family(scene,
                            ParsePathList(scene,
                                          "bodies.b.inertia/bodies.b.mass, contact.friction, contact.restitution, "
                                          "surfaces.s.line.angle, bodies.b.center_of_mass[0]"),
                            0);
  JointProgram program = MakeProgram(family, soft);
  const auto values = [&] {
    std::vector<double> out;
    program.ForEachRow(
        [&](JointRowKind, double value, std::span<const int>, std::span<const double>) { out.push_back(value); });
    return out;
  };
  std::vector<Eigen::VectorXd> gradients;
  const Eigen::VectorXd x = program.State();
  program.ForEachRow([&](JointRowKind, double, std::span<const int> index, std::span<const double> derivative) {
    Eigen::VectorXd& row = gradients.emplace_back(Eigen::VectorXd::Zero(x.size()));
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] >= 0) row[index[i]] += derivative[i];
  });
  ASSERT_GT(program.equalities(), 40);
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const double h = 1e-7 * std::max(0.01, std::abs(x[j])) * (j >= program.unknowns() ? 0.1 : 0.01);
    Eigen::VectorXd moved = x;
    moved[j] += h;
    program.SetState(moved);
    const std::vector<double> up = values();
    moved[j] -= 2 * h;
    program.SetState(moved);
    const std::vector<double> down = values();
    for (std::size_t r = 0; r < up.size(); ++r) {
      const double difference = (up[r] - down[r]) / (2 * h), exact = gradients[r][j];
      const double size = std::max({std::abs(up[r]), 1.0}) / h * 1e-13;
      EXPECT_NEAR(exact, difference, 2e-5 * std::abs(exact) + 20 * size + 1e-4) << "row " << r << " column " << j;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, JointDerivatives,
                         ::testing::Combine(::testing::Values("{ellipse: {semi_axes: [0.05, 0.025]}}",
                                                              "{rectangle: {size: [0.06, 0.04]}}"),
                                            ::testing::Bool()));

}  // namespace
}  // namespace ricochet
