// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recordings of a frame that is not the body frame, and of points instead of poses: the truth is found all the same.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/random.h"
#include "observation/sensor.h"
#include "reproduce/identification.h"
#include "reproduce/plywood.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// A recording of body frames as the tracker of this scene would make it, with noise of its own. Velocities are left
/// out.
Recording Tracked(const Scene& scene, const Recording& bodies, double noise_position, double noise_angle,
                  std::uint64_t seed) {
  const SensorNumbers numbers = FindObservationNumbers(scene).frames[0];
  const PlanarSensor<double> planar(numbers, scene);
  const SpatialSensor<double> spatial(numbers, scene);
  Random random(seed);
  Recording recording = bodies;
  const std::size_t width = scene.space == Space::kPlanar ? 3 : 7;
  recording.columns.resize(width);
  recording.values.resize(width);
  const auto normal = [&](double sigma) { return sigma > 0 ? sigma * random.Normal() : 0.0; };
  for (std::size_t row = 0; row < recording.time.size(); ++row) {
    if (scene.space == Space::kPlanar) {
      const PlanarPose<double> pose =
          planar.PoseOfBody({recording.values[0][row], recording.values[1][row], recording.values[2][row]});
      for (std::size_t k = 0; k < 3; ++k)
        recording.values[k][row] = pose[static_cast<Eigen::Index>(k)] + normal(k < 2 ? noise_position : noise_angle);
      continue;
    }
    SpatialPose<double> body;
    for (std::size_t k = 0; k < 7; ++k) body[static_cast<Eigen::Index>(k)] = recording.values[k][row];
    Vector6<double> error;
    for (int k = 0; k < 6; ++k) error[k] = normal(k < 3 ? noise_position : noise_angle);
    const SpatialPose<double> pose = BoxPlus<double>(spatial.PoseOfBody(body), error);
    for (std::size_t k = 0; k < 7; ++k) recording.values[k][row] = pose[static_cast<Eigen::Index>(k)];
  }
  return recording;
}

void ExpectWithin(const Estimate& estimate, const std::string& path, double truth, double deviations) {
  const EstimatedParameter& parameter = estimate.at(path);
  ASSERT_TRUE(parameter.value && parameter.std) << path << "\n" << DescribeEstimate(estimate);
  EXPECT_LT(std::abs(*parameter.value - truth), deviations * *parameter.std)
      << path << " " << *parameter.value << " +- " << *parameter.std;
}

/// Plywood ellipse with friction and frame unknown; inertia and restitution as they are.
Scene PlanarUnknown() {
  Scene scene = PlywoodScene(0.2);
  scene.Set("contact.friction", {0.4});
  scene.initial.clear();
  return scene;
}

Scene PlanarTruth() {
  Scene scene = PlywoodScene(0.2);
  scene.Set("observe.frame.position", {0.024, -0.018});  // 30 mm from the center
  scene.Set("observe.frame.rotation", {25 * kDegree});
  return scene;
}

TEST(TrackedFrame, PlanarFrameAndFrictionTogether) {
  const Recording exact = ObserveScene(PlywoodScene(0.2), 240, 0, 0, 0);
  const Estimate clean =
      Identify(PlanarUnknown(), {Tracked(PlanarTruth(), exact, 0, 0, 0)}, "observe.frame,contact.friction").estimate;
  ASSERT_TRUE(clean.converged) << DescribeEstimate(clean);
  EXPECT_NEAR(*clean.at("observe.frame.position[0]").value, 0.024, 1e-7);
  EXPECT_NEAR(*clean.at("observe.frame.position[1]").value, -0.018, 1e-7);
  EXPECT_NEAR(*clean.at("observe.frame.rotation").value, 25 * kDegree, 1e-6);
  EXPECT_NEAR(*clean.at("contact.friction").value, 0.2, 1e-6);

  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Identification found =
        Identify(PlanarUnknown(), {Tracked(PlanarTruth(), exact, 1e-3, 2e-3, seed)}, "observe.frame,contact.friction");
    ASSERT_TRUE(found.estimate.converged) << DescribeEstimate(found.estimate);
    ExpectWithin(found.estimate, "observe.frame.position[0]", 0.024, 4);
    ExpectWithin(found.estimate, "observe.frame.position[1]", -0.018, 4);
    ExpectWithin(found.estimate, "observe.frame.rotation", 25 * kDegree, 4);
    ExpectWithin(found.estimate, "contact.friction", 0.2, 4);
    EXPECT_LT(*found.estimate.at("observe.frame.rotation").std, 2 * kDegree);
    EXPECT_EQ(found.calibrated[found.calibrated.Find("observe.frame.rotation")],
              *found.estimate.at("observe.frame.rotation").value);
  }
}

TEST(TrackedFrame, PlanarFrameThatIsKnownChangesNothing) {
  const Recording bodies = PlywoodRecording(0.3, 1e-3, 120, 4);
  Scene scene = PlywoodBlindScene();
  const Estimate plain = Identify(scene, {bodies}, kPlywoodPaths).estimate;
  scene.Set("observe.frame.rotation", {25 * kDegree});
  const Estimate turned = Identify(scene, {Tracked(scene, bodies, 0, 0, 0)}, kPlywoodPaths).estimate;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(*turned.parameters[i].value, *plain.parameters[i].value, 1e-3 * *plain.parameters[i].std);
}

TEST(TrackedFrame, PlanarPointsInPlaceOfPoses) {
  Scene scene = ParseScene(FormatScene(PlanarUnknown()) + "observe: {points: {tip: [0.06, 0], side: [0, 0.03]}}\n",
                           "points.yaml");
  scene.initial.clear();
  const Recording exact = ObserveScene(PlywoodScene(0.2), 240, 0, 0, 0);
  Recording points;
  points.columns = {"tip.x", "tip.y", "side.x", "side.y"};
  points.values.resize(4);
  points.time = exact.time;
  Random random(5);
  for (std::size_t row = 0; row < exact.time.size(); ++row) {
    const double x = exact.values[0][row], y = exact.values[1][row], angle = exact.values[2][row], c = std::cos(angle),
                 s = std::sin(angle);
    const double seen[] = {x + 0.06 * c, y + 0.06 * s, x - 0.03 * s, y + 0.03 * c};
    for (std::size_t k = 0; k < 4; ++k) points.values[k].push_back(seen[k] + 2e-4 * random.Normal());
  }
  const Estimate estimate = Identify(scene, {points}, "contact.friction").estimate;
  ASSERT_TRUE(estimate.converged) << DescribeEstimate(estimate);
  ExpectWithin(estimate, "contact.friction", 0.2, 4);
  EXPECT_LT(*estimate.parameters[0].std, 0.02);
}

// A puck of ecp that slides and spins: where the tracked frame is in the puck shows in its turning.
TEST(TrackedFrame, SpatialFrameAndPatchLawTogether) {
  const Scene puck = ReadScene(testing::DataPath("truth/patch/puck_thick.yaml"));
  SimulateOptions options;
  options.duration = 0.40;
  const Recording bodies = Simulate(puck, options).recording;
  Scene truth = puck;
  truth.Set("observe.frame.position", {0.024, -0.018, 0.01});
  truth.Set("observe.frame.rotation", {0.1, -0.2, 0.4});
  Scene unknown = truth;
  unknown.Set("observe.frame.position[0:2]", {0, 0});
  unknown.Set("contact.friction", {0.5});
  unknown.initial.clear();
  const char paths[] = "observe.frame.position[0:2], contact.friction, contact.patch[2]";
  const Estimate clean = Identify(unknown, {Tracked(truth, bodies, 0, 0, 0)}, paths).estimate;
  ASSERT_TRUE(clean.converged) << DescribeEstimate(clean);
  EXPECT_NEAR(*clean.at("observe.frame.position[0]").value, 0.024, 1e-6);
  EXPECT_NEAR(*clean.at("observe.frame.position[1]").value, -0.018, 1e-6);
  EXPECT_NEAR(*clean.at("contact.friction").value, 0.3, 1e-6);
  const Estimate noisy = Identify(unknown, {Tracked(truth, bodies, 2e-4, 2e-3, 1)}, paths).estimate;
  ASSERT_TRUE(noisy.converged) << DescribeEstimate(noisy);
  ExpectWithin(noisy, "observe.frame.position[0]", 0.024, 4);
  ExpectWithin(noisy, "observe.frame.position[1]", -0.018, 4);
  ExpectWithin(noisy, "contact.friction", 0.3, 4);
}

TEST(TrackedFrame, SpatialPointsInPlaceOfPoses) {
  const Scene puck = ReadScene(testing::DataPath("truth/patch/puck_thick.yaml"));
  SimulateOptions options;
  options.duration = 0.40;
  const Recording bodies = Simulate(puck, options).recording;
  Scene scene = ParseScene(
      FormatScene(puck) + "observe: {points: {a: [0.1, 0, 0.05], b: [-0.05, 0.08, 0.05], c: [-0.05, -0.08, -0.05]}}\n",
      "puck.yaml");
  scene.Set("contact.friction", {0.5});
  scene.initial.clear();
  const Vector3<double> places[] = {{0.1, 0, 0.05}, {-0.05, 0.08, 0.05}, {-0.05, -0.08, -0.05}};
  Recording points;
  points.time = bodies.time;
  for (const char* column : {"a.x", "a.y", "a.z", "b.x", "b.y", "b.z", "c.x", "c.y", "c.z"})
    points.columns.emplace_back(column);
  points.values.resize(9);
  Random random(3);
  for (std::size_t row = 0; row < points.time.size(); ++row) {
    SpatialPose<double> pose;
    for (std::size_t k = 0; k < 7; ++k) pose[static_cast<Eigen::Index>(k)] = bodies.values[k][row];
    for (std::size_t p = 0; p < 3; ++p) {
      const Vector3<double> y = pose.head<3>() + Rotate<double>(Quaternion<double>(pose.tail<4>()), places[p]);
      for (std::size_t k = 0; k < 3; ++k)
        points.values[3 * p + k].push_back(y[static_cast<Eigen::Index>(k)] + 1e-4 * random.Normal());
    }
  }
  const Estimate estimate = Identify(scene, {points}, "contact.friction, contact.patch[2]").estimate;
  ASSERT_TRUE(estimate.converged) << DescribeEstimate(estimate);
  ExpectWithin(estimate, "contact.friction", 0.3, 4);
  ExpectWithin(estimate, "contact.patch[2]", 1.0 / 15, 4);
}

TEST(TrackedFrame, TossesOfAFrameThatIsKnown) {
  Scene scene = ReadScene(testing::SourcePath("examples/box006_toss.yaml"));
  scene.Set("contact.friction", {0.2});
  scene.Set("contact.restitution", {0.6});
  scene.initial.clear();
  const Recording bodies = ReadRecording(testing::DataPath("truth/box/campaign/toss_01.csv"));
  const char law[] = "contact.friction,contact.restitution";
  const Estimate plain = Identify(scene, {bodies}, law).estimate;
  scene.Set("observe.frame.rotation", {0.3, 0.8, -0.4});
  const Estimate turned = Identify(scene, {Tracked(scene, bodies, 0, 0, 0)}, law).estimate;
  ASSERT_TRUE(turned.converged) << DescribeEstimate(turned);
  // The likelihood of tosses is in pieces: rounding alone moves the estimate by a tenth of its standard deviation.
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(*turned.parameters[i].value, *plain.parameters[i].value, 0.3 * *plain.parameters[i].std);
  // A frame at a distance leaves the body frame the error of the rotation times the distance, and so other weights.
  scene.Set("observe.frame.position", {0.03, -0.02, 0.04});
  const Estimate away = Identify(scene, {Tracked(scene, bodies, 0, 0, 0)}, law).estimate;
  ASSERT_TRUE(away.converged) << DescribeEstimate(away);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(*away.parameters[i].value, *plain.parameters[i].value, *plain.parameters[i].std);
  ExpectWithin(away, "contact.friction", 0.40, 4);
  ExpectWithin(away, "contact.restitution", 0.25, 4);
}

}  // namespace
}  // namespace ricochet
