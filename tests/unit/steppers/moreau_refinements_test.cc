// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Refinements of the contact law: compliance, rounding, restitution that depends on speed, torsion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "complementarity/friction/soft_contact.h"
#include "dynamics/spatial_contacts.h"
#include "tests/support/spatial_run.h"

namespace ricochet::testing {
namespace {

constexpr double kFineStep = 1e-3;

std::string CubeText(const std::string& law, const std::string& initial, const std::string& method = "moreau") {
  return "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
         "bodies:\n  cube: {shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 0.4, inertia: [1.0e-3, 1.0e-3, 1.0e-3]}\n"
         "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
         "contact: {friction: 0.3, restitution: 0, " +
         law + "}\ninitial:\n  cube: {" + initial + "}\nsimulation: {method: " + method + ", step: 1.0e-3}\n";
}

/// Message of the stepper's check or of the reader.
std::string Refusal(const std::string& text) {
  try {
    const Model model = CompileModel(ParseScene(text, "scene.yaml"));
    FindStepper(model.scene->simulation.method).Check(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(MoreauSoft, RestsAtTheDepthOfItsSprings) {
  // Four corners carry 0.4 x 9.81 N with 1e-4 m/N each.
  SpatialRun run(CubeText("compliance: 1.0e-4, damping: 5.0e-3", "position: [0, 0, 0.0505]"));
  for (int i = 0; i < 1500; ++i) run.Step(kFineStep);
  EXPECT_EQ(run.last().status, StepStatus::kSolved);
  EXPECT_EQ(run.last().contacts.size(), 4u);
  EXPECT_NEAR(run.state().q[2], 0.05 - 1e-4 * 0.4 * 9.81 / 4, 1e-7);
  EXPECT_LT(run.state().v.norm(), 1e-6);
}

TEST(MoreauSoft, BouncesAsItsSpringAndDamperSay) {
  // A corner-less fall on a face, one degree of freedom: m x'' = 4 N, N = (depth + tau rate) / c. With steps far below
  // the period, the rebound is that of the damped oscillator up to where the force ends.
  const double c = 2e-4, tau = 1e-3, mass = 0.4, h = 1e-5;
  SpatialRun run(
      CubeText(fmt::format("compliance: {}, damping: {}", c, tau), "position: [0, 0, 0.05], velocity: [0, 0, -1]"));
  run.mutable_model().spatial.gravity.setZero();
  for (int i = 0; i < 20000 && run.state().q[2] < 0.0501; ++i) run.Step(h);
  const double speed = run.state().v[2];
  // The same by fine integration of the equation.
  double x = 0, v = -1;
  const double k = 4 / c;
  for (int i = 0; i < 4000000; ++i) {
    const double force = k * (-x - tau * v);
    if (force <= 0 && v > 0) break;
    v += 1e-8 * force / mass;
    x += 1e-8 * v;
  }
  EXPECT_NEAR(speed, v, 0.01);
  EXPECT_GT(speed, 0.3);
}

TEST(MoreauSoft, NumbersOfAStep) {
  // c = 1e-5 m/N, tau = 4 ms, h = 2 ms, 1 mm deep: s = c / (h (h/2 + tau)), u = depth / (h/2 + tau).
  const SoftNormal<double> normal = SoftNormalOf<double>(1e-5, 4e-3, 2e-3, -1e-3);
  EXPECT_NEAR(normal.softness, 1, 1e-12);
  EXPECT_NEAR(normal.speed, 0.2, 1e-12);
}

TEST(MoreauRounding, MovesCornersInAndKeepsFaces) {
  SpatialLaw<double> law{};
  law.has_rounding = true;
  law.rounding = 0.01;
  const Model model = CompileModel(ParseScene(CubeText("rounding: 0.01", "position: [0, 0, 1]"), "scene.yaml"));
  const SpatialShape<double>& shape = model.spatial.bodies[0].shape;
  // Flat: the height is that of the box, the points are a radius further in.
  const Eigen::Vector3d flat = ContactCandidate<double>(law, shape, 0, Eigen::Vector3d::UnitZ());
  EXPECT_TRUE(flat.isApprox(Eigen::Vector3d(-0.04, -0.04, -0.05), 1e-14));
  // On a corner: the corner of the smaller box and a ball.
  const Eigen::Vector3d d = Eigen::Vector3d(1, 1, 1).normalized();
  EXPECT_NEAR(d.dot(ContactCandidate<double>(law, shape, 0, d)), -(0.04 * std::sqrt(3.0) + 0.01), 1e-14);
}

TEST(MoreauRestitution, ChangesWithSpeed) {
  for (const double speed : {0.05, 0.5, 3.0}) {
    SpatialRun run(CubeText("restitution_low: 0.8, restitution_speed: 0.5",
                            fmt::format("position: [0, 0, 0.050001], velocity: [0, 0, -{}]", speed)));
    run.mutable_model().spatial.gravity.setZero();
    run.mutable_model().spatial.pairs[0].law.restitution = 0.2;
    run.Step(kFineStep);
    EXPECT_NEAR(run.last().end.v[2], speed * (0.2 + 0.6 * std::exp(-speed / 0.5)), 1e-9) << speed;
  }
}

// A ball that spins on one point: torque mu e_r m g against the spin until it has ended, then none.
TEST(MoreauTorsion, BrakesTheSpinOfABall) {
  SpatialRun run(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
      "bodies:\n  ball: {shape: {sphere: {radius: 0.05}}, mass: 0.4, inertia: [4.0e-4, 4.0e-4, 4.0e-4]}\n"
      "surfaces:\n  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n"
      "contact: {friction: 0.3, restitution: 0, patch: [1, 1, 2.0e-3]}\n"
      "initial:\n  ball: {position: [0, 0, 0.05], angular_velocity: [0, 0, 6]}\n"
      "simulation: {method: moreau, step: 1.0e-3}\n");
  const double rate = 0.3 * 2e-3 * 0.4 * 9.81 / 4e-4;  // [rad/s^2]
  for (int i = 0; i < 1000; ++i) run.Step(kFineStep);
  EXPECT_NEAR(run.state().v[5], 6 - rate, 1e-6);
  for (int i = 0; i < 200; ++i) run.Step(kFineStep);
  EXPECT_NEAR(run.state().v[5], 0, 1e-9);
  EXPECT_LT(run.state().v.norm(), 1e-9);
}

/// Compares derivatives by numbers of the law with central differences at the first step in contact.
void CheckLawDerivatives(const std::string& law, const std::vector<std::string>& paths) {
  SpatialRun run(CubeText(law,
                          "position: [0, 0, 0.1], orientation: [0.9, 0.3, 0.2, 0.1], velocity: [1, 0.2, -1], "
                          "angular_velocity: [1, -2, 0.5]"));
  while (run.last().contacts.empty() && run.state().time < 0.2) run.Step(kFineStep);
  ASSERT_FALSE(run.last().contacts.empty());
  const StepResult base = run.last();
  for (const std::string& path : paths) {
    const NumberId id = run.model().scene->Match(path).front();
    StepDerivatives derivatives;
    const NumberId ids[] = {id};
    Moreau().Differentiate(run.model(), base, {}, ids, run.workspace(), derivatives);
    const double e = 1e-5 * (*run.model().scene)[id];
    StepResult ends[2];
    for (int side = 0; side < 2; ++side) {
      Scene moved = *run.model().scene;
      moved.Set(id, moved[id] + (side ? e : -e));
      const Model model = CompileModel(moved);
      const auto workspace = Moreau().MakeWorkspace(model);
      Moreau().Step(model, base.start, {}, kFineStep, *workspace, ends[side]);
    }
    const Eigen::VectorXd difference = (ends[1].end.v - ends[0].end.v) / (2 * e);
    EXPECT_GT(difference.norm(), 1e-4) << path;
    EXPECT_LT((derivatives.end_by_parameters.col(0).tail(6) - difference).norm(), 1e-5 * (1 + difference.norm()))
        << path;
  }
}

TEST(MoreauRefinements, Derivatives) {
  CheckLawDerivatives("rounding: 0.008, restitution_low: 0.6, restitution_speed: 0.7",
                      {"contact.rounding", "contact.restitution_low", "contact.restitution_speed"});
  CheckLawDerivatives("compliance: 2.0e-5, damping: 3.0e-3",
                      {"contact.compliance", "contact.damping", "contact.friction"});
  // Spin that is braked, and spin that is ended.
  CheckLawDerivatives("patch: [1, 1, 3.0e-4]", {"contact.patch[2]", "contact.friction"});
  CheckLawDerivatives("patch: [1, 1, 0.5]", {"contact.friction"});
}

TEST(MoreauRefinements, WhatDoesNotGoTogetherIsNamed) {
  const std::string at_rest = "position: [0, 0, 0.05]";
  EXPECT_EQ(Refusal(CubeText("damping: 0.01", at_rest)),
            "scene.yaml:8:10: contact.damping: requires `compliance`, which is missing. Give the compliance of a "
            "contact point.");
  EXPECT_EQ(
      Refusal(CubeText("restitution_low: 0.5", at_rest)),
      "scene.yaml:8:10: contact.restitution_low: requires `restitution_speed`, which is missing. Give the speed "
      "over which the restitution changes.");
  EXPECT_EQ(Refusal(CubeText("compliance: 0", at_rest)),
            "scene.yaml:8:54: contact.compliance: 0 m/N is not valid: the compliance of a contact must be positive. "
            "Leave it out for hard contact.");
  EXPECT_EQ(
      Refusal(CubeText("rounding: 0.06", at_rest)),
      "scene.yaml:8:52: contact.rounding: the radius is more than half of the box's shortest side. Give a smaller "
      "radius.");
  EXPECT_EQ(Refusal(CubeText("compliance: 1.0e-4", at_rest, "ecp")),
            "scene.yaml:8:54: contact.compliance: ecp does not have it. Use method moreau, or leave it out.");
  EXPECT_EQ(Refusal("ricochet: 1\nspace: planar\nbodies: {b: {mass: 1, inertia: 1}}\ncontact: {rounding: 0.01}\n"),
            "scene.yaml:4:21: contact.rounding: `rounding` needs `space: spatial`. Leave `rounding` out.");
  EXPECT_EQ(Refusal(CubeText("compliance: 1.0e-4", at_rest, "moreau, options: {penetration: recover}")),
            "scene.yaml:8:54: contact.compliance: soft contact recovers its depth without `penetration: recover`. "
            "Leave one of the two out.");
  EXPECT_EQ(Refusal(CubeText("rounding: 0.005, compliance: 1.0e-5", at_rest)), "(accepted)");
}

}  // namespace
}  // namespace ricochet::testing
