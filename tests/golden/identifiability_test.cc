// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Identifiability of every method: what it says about recordings agrees with what the method states about its own fit,
// and with how the estimates of such recordings scatter.
#include "ricochet/identifiability.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// A pendulum of 6 s, released at 1 rad.
Scene Pendulum() {
  Scene scene = ReadScene(testing::SourcePath("examples/pendulum.yaml"));
  scene.Set("simulation.duration", {6});
  scene.Set("simulation.step", {5e-5});  // spook loses energy in proportion to its step
  scene.Set("initial.hinge.angle", {1});
  scene.Set("joints.hinge.viscous", {1e-3});
  return scene;
}
constexpr char kPendulumPaths[] = "joints.hinge.viscous, bodies.rod.inertia[1]";

Recording Observe(const Scene& scene, double rate, double noise, std::uint64_t seed) {
  SimulateOptions options;
  options.rate = rate;
  options.noise_position = options.noise_angle = noise;
  Recording recording = Simulate(scene, options, {.seed = seed}).recording;
  recording.file = fmt::format("seed{}.csv", seed);
  return recording;
}

void ExpectTheStandardDeviationsOfTheFit(const Scene& scene, const std::vector<Recording>& recordings,
                                         const std::string& paths, const std::string& method) {
  const Estimate estimate = Identify(scene, recordings, paths, {.method = method}).estimate;
  const Identifiability result = AnalyzeIdentifiability(scene, recordings, paths, {.method = method});
  ASSERT_EQ(result.parameters.size(), estimate.parameters.size()) << method;
  EXPECT_EQ(result.rank, result.size) << method;
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    EXPECT_TRUE(result.parameters[i].identifiable) << method << " " << result.parameters[i].path;
    ASSERT_TRUE(result.parameters[i].std) << method << " " << result.parameters[i].path;
    EXPECT_NEAR(*result.parameters[i].std / *estimate.parameters[i].std, 1, 0.05) << method << " " << i;
  }
}

TEST(Identifiability, OfPlanarMethodsIsThatOfTheirFits) {
  const Scene blind = PlywoodBlindScene();
  const std::vector<Recording> recordings = {PlywoodRecording(0.3, 1e-3, 240, 601)};
  for (const std::string method : {"trajectory", "joint"})
    ExpectTheStandardDeviationsOfTheFit(blind, recordings, kPlywoodPaths, method);
  ExpectTheStandardDeviationsOfTheFit(blind, recordings, "bodies.ellipse.inertia / bodies.ellipse.mass", "regression");
}

TEST(Identifiability, OfMechanismsIsThatOfTheirFits) {
  const Scene scene = Pendulum();
  ExpectTheStandardDeviationsOfTheFit(scene, {Observe(scene, 100, 1e-3, 3)}, kPendulumPaths, "inverse-dynamics");
}

TEST(Identifiability, OfAMechanismIsTheScatterOfItsEstimates) {
  const Scene scene = Pendulum();
  const Identifiability planned = AnalyzeIdentifiability(scene, {Observe(scene, 100, 1e-3, 99)}, kPendulumPaths);
  ASSERT_EQ(planned.parameters.size(), 2u);
  const double truth[] = {1e-3, 0.0039};
  double squares[2] = {0, 0};
  constexpr int kSeeds = 16;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const Estimate estimate =
        Identify(scene, {Observe(scene, 100, 1e-3, static_cast<std::uint64_t>(100 + seed))}, kPendulumPaths).estimate;
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(planned.parameters[i].std && estimate.parameters[i].value) << seed;
      squares[i] += std::pow((*estimate.parameters[i].value - truth[i]) / *planned.parameters[i].std, 2) / kSeeds;
    }
  }
  // chi^2 of 16 over 16 lies between 0.32 and 2.1 with 99 %.
  for (const double mean : squares) {
    EXPECT_GT(mean, 0.32);
    EXPECT_LT(mean, 2.1);
  }
}

TEST(Identifiability, NamesWhatAMechanismDoesNotShow) {
  const Scene scene = Pendulum();
  // The mass and the moment about the hinge appear as one ratio in the motion of a pendulum.
  const Identifiability result = AnalyzeIdentifiability(scene, {Observe(scene, 100, 1e-3, 3)},
                                                        "bodies.rod.mass, bodies.rod.inertia[1], joints.hinge.viscous, "
                                                        "joints.hinge.dry.friction");
  EXPECT_LT(result.rank, result.size);
  EXPECT_FALSE(result.null_space.empty());
}

TEST(Identifiability, OfAMechanismNeedsARecording) {
  try {
    AnalyzeIdentifiability(Pendulum(), {}, kPendulumPaths);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("simulate --rate"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ricochet
