// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The paper's residuals (Spook sec. 3): their bias is reproduced, explained, and refused where it would hide.
#include "estimators/mechanism/shadow_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "dataset/joint_reading.h"
#include "ricochet/identify.h"
#include "ricochet/parameter.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr const char* kFour = "bodies.A.inertia[2], bodies.B.inertia[1], joints.*.viscous";

Recording FirstSeconds(const std::string& file, double seconds) {
  Recording out = ReadRecording(testing::DataPath(file));
  std::size_t rows = 0;
  while (rows < out.time.size() && out.time[rows] <= seconds + 1e-9) ++rows;
  out.time.resize(rows);
  out.lines.clear();
  for (auto& column : out.values) column.resize(rows);
  return out;
}

Scene ReleaseScene(double h, double compliance) {
  Scene scene = ReadScene(testing::DataPath("truth/furuta/furuta_release.yaml"));
  scene.Set("simulation.step", {h});
  scene.Set("joints.*.compliance.linear", {compliance});
  scene.Set("joints.*.compliance.angular", {compliance});
  return scene;
}

ShadowFit FitShadow(const Scene& scene, const Recording& recording, const ShadowFitOptions& options) {
  const JointedFamily family(scene, ParsePathList(scene, kFour));
  const JointTrack track = MakeJointTrack(family.scene(), family.model(), family.mechanism(), recording);
  return FitShadow(family, MakeShadowChains(family, {track}), options);
}

/// JAzz too large and JByy too small by about a fifth or more, friction gone: the step loses more energy than friction.
TEST(ShadowFit, ReleaseIsBiasedAsInThePaper) {
  const ShadowFit fit = FitShadow(ReleaseScene(1e-2, 1e-4), FirstSeconds("truth/furuta/release_1mrad/release_0.csv", 2),
                                  {.iterations = 25});
  EXPECT_TRUE(fit.converged);
  EXPECT_GT(fit.params[0] / 0.003 - 1, 0.15);
  EXPECT_NEAR(fit.params[1] / 0.004 - 1, -0.20, 0.06);
  EXPECT_LT(fit.params[2], 1e-5);
  EXPECT_LT(fit.params[3], 1e-6);
  // Costs fall from step to step.
  for (std::size_t i = 1; i < fit.trace.size(); ++i) EXPECT_LT(fit.trace[i], fit.trace[i - 1]);
}

/// Stiff joints fail from a cold start, and give the same bias when they are stiffened in stages.
TEST(ShadowFit, StiffJointsConvergeFromSofterOnes) {
  const Recording recording = FirstSeconds("truth/furuta/release_1mrad/release_0.csv", 1);
  const ShadowFit cold = FitShadow(ReleaseScene(1e-2, 1e-8), recording, {.iterations = 25});
  EXPECT_FALSE(cold.converged && std::abs(cold.params[1] / 0.004 - 1) < 0.3);
  const ShadowFit fit = FitShadow(ReleaseScene(1e-2, 1e-8), recording, {.soften = true}),
                  soft = FitShadow(ReleaseScene(1e-2, 1e-5), recording, {.soften = true});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.params[0] / soft.params[0], 1, 0.06);
  EXPECT_NEAR(fit.params[1] / soft.params[1], 1, 0.06);
  EXPECT_NEAR(fit.params[1] / 0.004 - 1, -0.20, 0.06);
  EXPECT_LT(fit.params[2], 1e-5);
}

/// A shorter step has a smaller bias.
TEST(ShadowFit, BiasShrinksWithTheStep) {
  const Recording recording = FirstSeconds("truth/furuta/release_1mrad/release_0.csv", 2);
  const ShadowFit coarse = FitShadow(ReleaseScene(1e-2, 1e-4), recording, {.iterations = 25}),
                  fine = FitShadow(ReleaseScene(5e-3, 1e-4), recording, {.iterations = 25});
  EXPECT_LT(std::abs(fine.params[1] / 0.004 - 1), 0.85 * std::abs(coarse.params[1] / 0.004 - 1));
}

TEST(ShadowFit, WarnsOfShadowParameters) {
  IdentifyOptions options;
  options.method = "inverse-dynamics";
  options.method_options["residual"] = "paper";
  const Estimate estimate = Identify(ReleaseScene(1e-2, 1e-4),
                                     {FirstSeconds("truth/furuta/release_1mrad/release_0.csv", 1.5)}, kFour, options)
                                .estimate;
  std::string all;
  for (const std::string& warning : estimate.warnings) all += warning + "\n";
  EXPECT_NE(all.find("shadow parameters"), std::string::npos) << all;
  EXPECT_NE(all.find("bodies.B.inertia[1]"), std::string::npos) << all;
  EXPECT_NE(all.find("from the motion"), std::string::npos) << all;
}

TEST(ShadowFit, RefusesJointsWithoutCompliance) {
  Scene scene = ReleaseScene(1e-2, 1e-4);
  scene.Set("joints.hinge2.compliance.angular", {0.0});
  try {
    FitShadow(scene, FirstSeconds("truth/furuta/release_1mrad/release_0.csv", 1), {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("hinge2"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ricochet
