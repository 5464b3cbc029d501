// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Real mechanisms: a QUBE (a Furuta pendulum) and a pendulum that swings freely. The recordings are not part of this
// repository; they are looked for in ../shared/data/real. Nobody knows the true parameters, but fits to different
// recordings must agree within the standard deviations that they claim.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ricochet/identify.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

std::string RealFile(const std::string& name) { return testing::SourcePath("../shared/data/real/" + name); }

std::vector<Recording> ReadAll(const std::vector<std::string>& names) {
  std::vector<Recording> out;
  for (const std::string& name : names) out.push_back(ReadRecording(RealFile(name)));
  return out;
}

Estimate Fitted(const Scene& scene, const std::vector<std::string>& names, const std::string& paths) {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  return Identify(scene, ReadAll(names), paths, options).estimate;
}

/// Differences of two fits to different recordings, in their standard deviations.
void ExpectAgreement(const Estimate& a, const Estimate& b) {
  int compared = 0, within = 0;
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    const EstimatedParameter &p = a.parameters[i], &q = b.parameters[i];
    if (!p.value || !q.value || !p.std || !q.std) continue;
    const double pull = std::abs(*p.value - *q.value) / std::hypot(*p.std, *q.std);
    ++compared;
    within += pull < 3;
    EXPECT_LT(pull, 4) << fmt::format("{}: {:.5g} +- {:.2g} and {:.5g} +- {:.2g}", p.path, *p.value, *p.std, *q.value,
                                      *q.std);
  }
  EXPECT_GE(compared, 2);
  EXPECT_GE(within, 0.8 * compared);
}

// Mass and arm only set the scale: the motion determines ratios to their product.
TEST(RealMechanisms, ASinglePendulum) {
  if (!std::filesystem::exists(RealFile("pendulums"))) GTEST_SKIP() << "no recordings in ../shared/data/real/pendulums";
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  rod: {mass: 1, inertia: [0.01, 0.01, 0.001]}\n"
      "joints:\n  hinge:\n    type: hinge\n    parent: world\n    child: rod\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [0, 0, -1]}\n"
      "    child_frame: {point: [0, 0, 0.05], axis: [0, 1, 0], zero: [0, 0, -1]}\n"
      "    viscous: 1.0e-3\n    coulomb: 1.0e-3\n",
      "pendulum");
  const std::string paths = "bodies.rod.inertia[1], joints.hinge.viscous, joints.hinge.coulomb";
  const Estimate first = Fitted(scene, {"pendulums/csv/s_id0.csv", "pendulums/csv/s_id1.csv"}, paths),
                 second = Fitted(scene, {"pendulums/csv/s_id2.csv", "pendulums/csv/s_id3.csv"}, paths);
  for (const Estimate* each : {&first, &second}) EXPECT_NE(each->verdict.level, VerdictLevel::kGood);
  ExpectAgreement(first, second);
}

TEST(RealMechanisms, AQube) {
  if (!std::filesystem::exists(RealFile("qube"))) GTEST_SKIP() << "no recordings in ../shared/data/real/qube";
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  arm: {mass: 0.095, inertia: [1.0e-5, 5.7e-5, 5.7e-5]}\n  rod: {mass: 0.024, inertia: [1.0e-6, 3.3e-5, "
      "3.3e-5]}\n"
      "joints:\n  h1:\n    type: hinge\n    parent: world\n    child: arm\n"
      "    parent_frame: {point: [0, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
      "    child_frame: {point: [-0.0425, 0, 0], axis: [0, 0, 1], zero: [1, 0, 0]}\n"
      "    viscous: 2.1e-4\n    coulomb: 5.0e-4\n    motor: {gain: 0.005, input: u}\n"
      "  h2:\n    type: hinge\n    parent: arm\n    child: rod\n"
      "    parent_frame: {point: [0.0425, 0, 0], axis: [1, 0, 0], zero: [0, 0, -1]}\n"
      "    child_frame: {point: [-0.0645, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}\n"
      "    viscous: 1.0e-5\n    coulomb: 1.0e-5\n",
      "qube");
  const std::string paths = "bodies.arm.inertia[2], bodies.rod.inertia[1], joints.*.viscous, joints.h1.motor.gain";
  const Estimate first = Fitted(scene, {"qube/csv/chp0.csv", "qube/csv/chm0.csv"}, paths),
                 second = Fitted(scene, {"qube/csv/chp1.csv", "qube/csv/chm1.csv"}, paths);
  for (const Estimate* each : {&first, &second}) EXPECT_NE(each->verdict.level, VerdictLevel::kGood);
  ExpectAgreement(first, second);
}

}  // namespace
}  // namespace ricochet
