// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Identifiability of every method: what it says about recordings agrees with what the method states about its own fit,
// and with how the estimates of such recordings scatter.
#include "ricochet/identifiability.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <cmath>

#include "core/random.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"
#include "reproduce/toss_campaign.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/coverage.h"
#include "tests/support/mechanisms.h"
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
  StateThatNothingElseActs(scene);
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

/// Over data sets, which `record` makes from a seed, the fitted values scatter about the truth as the attainable
/// standard deviations say. Few data sets say so little that their parameters are withheld.
template <class Record>
void ExpectTheScatterOfFits(const Scene& scene, const Record& record, const std::string& paths,
                            const std::string& method, const std::vector<double>& truth, int seeds,
                            bool may_be_wide = false) {
  std::vector<double> squares(truth.size(), 0.0);
  std::vector<int> counts(truth.size(), 0);
  for (int seed = 0; seed < seeds; ++seed) {
    const Identifiability result =
        AnalyzeIdentifiability(scene, record(static_cast<std::uint64_t>(seed)), paths, {.method = method});
    ASSERT_EQ(result.parameters.size(), truth.size()) << method;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const IdentifiabilityEntry& entry = result.parameters[i];
      if (!entry.identifiable) {
        EXPECT_FALSE(entry.reason.empty()) << method << " " << seed << " " << entry.path;
        continue;
      }
      ASSERT_TRUE(entry.std) << method << " " << seed << " " << entry.path;
      squares[i] += std::pow((entry.value - truth[i]) / *entry.std, 2);
      ++counts[i];
    }
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_GE(counts[i], 0.85 * seeds) << method << " " << i;
    const auto [least, most] = testing::MeanSquareLimits(counts[i]);
    if (!may_be_wide) {
      EXPECT_GT(squares[i] / counts[i], least) << method << " " << i;
    }
    EXPECT_LT(squares[i] / counts[i], most) << method << " " << i;
  }
}

std::vector<Recording> Plywood(std::uint64_t seed) {
  return {PlywoodRecording(0.3, 1e-3, 240, 900 + static_cast<int>(seed))};
}

TEST(Identifiability, OfPlanarTrajectoriesIsTheScatterOfTheirFits) {
  ExpectTheScatterOfFits(PlywoodBlindScene(), Plywood, kPlywoodPaths, "trajectory", {kPlywoodRatio, 0.3, 0.2}, 20);
}

TEST(Identifiability, OfJointIsTheScatterOfItsFits) {
  ExpectTheScatterOfFits(PlywoodBlindScene(), Plywood, kPlywoodPaths, "joint", {kPlywoodRatio, 0.3, 0.2}, 8);
}

TEST(Identifiability, OfRegressionIsTheScatterOfItsFits) {
  ExpectTheScatterOfFits(PlywoodBlindScene(), Plywood, "bodies.ellipse.inertia / bodies.ellipse.mass", "regression",
                         {kPlywoodRatio}, 40);
}

/// Campaigns differ in their throws, too, and so each has its own attainable standard deviation.
void ExpectTheScatterOfCampaigns(const std::string& method, int tosses, bool drops, int seeds, bool may_be_wide) {
  const JongeneelBox& box = JongeneelBoxes()[2];
  const auto campaign = [&](std::uint64_t seed) {
    CampaignOptions options;
    options.tosses = tosses;
    options.drops = drops;
    options.seed = 100 + seed;
    return MakeCampaign(box, options);
  };
  ExpectTheScatterOfFits(TossScene(box, 0.3, 0.1), campaign, "contact.friction, contact.restitution", method,
                         {box.friction, box.restitution}, seeds, may_be_wide);
}

/// Deviations of tosses include other sequences of contacts that the data do not exclude, which may be all that there
/// is to them: they are never too small.
TEST(Identifiability, OfTossesIsNoLessThanTheScatterOfTheirFits) {
  ExpectTheScatterOfCampaigns("trajectory", 5, false, 8, true);
}

TEST(Identifiability, OfDropsByVelocityIsTheScatterOfTheirFits) {
  ExpectTheScatterOfCampaigns("velocity", 8, true, 20, false);
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

// A plan by brute force: differences of simulated recordings by the parameters and by the start, which slides in
// contact and so has four free elements: x, angle (with the height that it takes), velocity along the floor, rate.
TEST(Identifiability, OfAPlanIsThatOfDifferencesOfSimulations) {
  const Scene scene = ReadScene(testing::SourcePath("examples/ellipse_slide.yaml"));
  const auto recorded = [&](const Eigen::VectorXd& d) {
    Scene moved = scene;
    const double angle = d[1];
    moved.Set("initial.ellipse.pose", {d[0], std::hypot(1.5 * std::sin(angle), std::cos(angle)), angle});
    moved.Set("initial.ellipse.velocity", {15 + d[2], 0});
    moved.Set("initial.ellipse.angular_velocity", {d[3]});
    moved.Set("bodies.ellipse.inertia", {2 + 10 * d[4]});  // per mass
    moved.Set("contact.friction", {0.3 + d[5]});
    const Recording run = ObserveScene(moved, 240, 0, 0, 0);
    Eigen::VectorXd out(3 * run.rows());
    for (int row = 0; row < run.rows(); ++row)
      for (int k = 0; k < 3; ++k)
        out[3 * row + k] = run.values[static_cast<std::size_t>(k)][static_cast<std::size_t>(row)];
    return out;
  };
  constexpr double kStep[] = {1e-4, 3e-5, 3e-4, 3e-4, 6e-5, 3e-5};
  Eigen::MatrixXd jacobian;
  for (int i = 0; i < 6; ++i) {
    const Eigen::VectorXd d = kStep[i] * Eigen::VectorXd::Unit(6, i);
    const Eigen::VectorXd column = (recorded(d) - recorded(-d)) / (2 * kStep[i] * 1e-3);
    jacobian.conservativeResize(column.size(), i + 1);
    jacobian.col(i) = column;
  }
  const Eigen::VectorXd norms = jacobian.colwise().norm();
  const Eigen::MatrixXd scaled = jacobian * norms.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd covariance = (scaled.transpose() * scaled).inverse();
  const Identifiability planned = AnalyzeIdentifiability(
      scene, {}, "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction", {.rate = 240});
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(
        *planned.parameters[static_cast<std::size_t>(i)].std * norms[4 + i] / std::sqrt(covariance(4 + i, 4 + i)), 1,
        1e-3);
}

// The plan of a mechanism is its fit to a recording of it, with the noise that the scene states.
TEST(Identifiability, OfAPlannedMechanismIsThatOfItsRecordings) {
  Scene scene = Pendulum();
  scene.Set("observe.noise.angle", {2e-3});
  const Identifiability planned = AnalyzeIdentifiability(scene, {}, kPendulumPaths, {.rate = 100});
  const Identifiability recorded = AnalyzeIdentifiability(scene, {Observe(scene, 100, 2e-3, 5)}, kPendulumPaths);
  ASSERT_EQ(planned.parameters.size(), 2u);
  EXPECT_EQ(planned.rank, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(planned.parameters[i].std && recorded.parameters[i].std) << i;
    EXPECT_NEAR(*planned.parameters[i].std / *recorded.parameters[i].std, 1, 0.05) << i;
  }
}

// With an input the motor moves what would otherwise hang still.
TEST(Identifiability, OfAPlanUsesTheInputsThatAreGiven) {
  Scene scene = ParseScene(R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  rod: {mass: 0.4, inertia: [1e-4, 0.004, 0.004]}
joints:
  hinge:
    type: hinge
    parent: world
    child: rod
    parent_frame: {point: [0, 0, 0], axis: [0, -1, 0], zero: [0, 0, -1]}
    child_frame: {point: [-0.2, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}
    viscous: 0.002
    motor: {gain: 0.5, input: u}
initial:
  hinge: {angle: 0, rate: 0}
observe: {channels: [hinge.angle], noise: {angle: 1.0e-3}}
simulation: {method: spook, step: 1e-3, duration: 4}
)",
                           "driven.yaml");
  StateThatNothingElseActs(scene);
  Recording inputs;
  inputs.columns = {"u"};
  inputs.values.resize(1);
  for (int i = 0; i <= 400; ++i) {
    inputs.time.push_back(0.01 * i);
    inputs.values[0].push_back(0.5 * std::sin(3 * 0.01 * i) + 0.4 * std::sin(7 * 0.01 * i));
  }
  const Identifiability driven =
      AnalyzeIdentifiability(scene, {inputs}, "joints.hinge.viscous, joints.hinge.motor.gain", {.rate = 100});
  EXPECT_EQ(driven.rank, 2);
  for (const IdentifiabilityEntry& entry : driven.parameters) {
    ASSERT_TRUE(entry.std) << entry.path;
    EXPECT_LT(*entry.std, 0.1 * entry.value) << entry.path;
  }
}

// What a plan of points says is how the estimates of such recordings scatter.
TEST(Identifiability, OfPlannedPointsIsTheScatterOfTheirEstimates) {
  const Scene truth = ParseScene(
      FormatScene(PlywoodScene(0.2)) +
          "observe: {noise: {position: 3.0e-4}, points: {tip: [0.06, 0], side: [0, 0.03], heel: [-0.05, -0.01]}}\n",
      "points.yaml");
  const char paths[] = "observe.points.side, contact.friction";
  const Identifiability planned = AnalyzeIdentifiability(truth, {}, paths, {.rate = 120});
  ASSERT_EQ(planned.rank, 3);
  Scene scene = truth;
  scene.initial.clear();
  const Recording exact = ObserveScene(truth, 120, 0, 0, 0);
  double squares = 0;
  constexpr int kSeeds = 10;
  for (int seed = 0; seed < kSeeds; ++seed) {
    Recording recording = exact;
    Random random(static_cast<std::uint64_t>(seed));
    for (std::vector<double>& column : recording.values)
      for (double& value : column) value += 3e-4 * random.Normal();
    const Estimate estimate = Identify(scene, {recording}, paths).estimate;
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(planned.parameters[i].std && estimate.parameters[i].value) << seed;
      squares +=
          std::pow((*estimate.parameters[i].value - planned.parameters[i].value) / *planned.parameters[i].std, 2);
    }
  }
  // chi^2 of 30 over 30 lies between 0.46 and 1.79 with 99 %.
  EXPECT_GT(squares / (3 * kSeeds), 0.46);
  EXPECT_LT(squares / (3 * kSeeds), 1.79);
}

}  // namespace
}  // namespace ricochet
