// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a new estimator is tested for: exact data give the truth, noisy data errors that agree with the reported
// covariance, derivatives are those of differences, and what it cannot fit is refused.
#include "tests/unit/contributing/flight_estimator.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "ricochet/scene_builder.h"
#include "tests/support/derivative_check.h"

namespace ricochet {
namespace {

constexpr double kGravity = 9.6, kTilt = 0.05;  // truth; the scene says 9.81 and 0
constexpr double kNoise = 1e-3;

Scene ThrownDisk() {
  return SceneBuilder(Space::kPlanar)
      .AddBody("disk", {.shape = shapes::Circle(0.05), .mass = 0.2})
      .SetGravity(9.81, {0})
      .SetObserve({.noise_position = kNoise, .noise_angle = kNoise})
      .Build();
}

/// Throws of half a second at 100 frames per second.
std::vector<Recording> Throws(int count, double noise, std::uint64_t seed) {
  std::vector<Recording> recordings;
  for (int k = 0; k < count; ++k) {
    Random random(seed, static_cast<std::uint64_t>(k));
    const double vx = random.Uniform(0.5, 2), vy = random.Uniform(1, 3), spin = random.Uniform(-5, 5);
    std::vector<double> time;
    Eigen::MatrixXd values(50, 3);
    for (int i = 0; i < 50; ++i) {
      const double t = 0.01 * i;
      time.push_back(t);
      values.row(i) << vx * t + kGravity * std::sin(kTilt) * t * t / 2 + noise * random.Normal(),
          1 + vy * t - kGravity * std::cos(kTilt) * t * t / 2 + noise * random.Normal(),
          spin * t + noise * random.Normal();
    }
    recordings.push_back(Recording::FromMatrix(time, {"x", "y", "theta"}, values));
  }
  return recordings;
}

Identification FitGravity(const std::vector<Recording>& recordings, std::string_view paths) {
  const Scene scene = ThrownDisk();
  const IdentifyRequest request{scene, recordings, ParsePathList(scene, paths), {}};
  EXPECT_EQ(Flight().Refusal(request), "");
  return Flight().Run(request);
}

TEST(FlightEstimator, ExactDataGiveTheTruth) {
  const Identification result = FitGravity(Throws(2, 0, 1), "gravity.magnitude, gravity.tilt");
  ASSERT_TRUE(result.estimate.converged);
  EXPECT_NEAR(result.estimate.at("gravity.magnitude").value.value(), kGravity, 1e-9);
  EXPECT_NEAR(result.estimate.at("gravity.tilt").value.value(), kTilt, 1e-9);
  EXPECT_NEAR(result.calibrated[result.calibrated.Find("gravity[0]")], kGravity * std::sin(kTilt), 1e-9);
}

TEST(FlightEstimator, ErrorsAgreeWithTheReportedCovariance) {
  // Mahalanobis distances are chi^2 with 2 degrees of freedom each: their sum over n fits has mean 2 n, variance 4 n.
  constexpr int kFits = 60;
  double sum = 0;
  for (int k = 0; k < kFits; ++k) {
    const Identification result = FitGravity(Throws(2, kNoise, 100 + k), "gravity.magnitude, gravity.tilt");
    ASSERT_TRUE(result.estimate.converged);
    const Eigen::Vector2d error(result.estimate.parameters[0].value.value() - kGravity,
                                result.estimate.parameters[1].value.value() - kTilt);
    sum += error.dot(result.estimate.covariance.inverse() * error);
  }
  EXPECT_NEAR(sum, 2 * kFits, 4 * std::sqrt(4.0 * kFits));
}

TEST(FlightEstimator, DerivativesAreThoseOfDifferences) {
  const Scene scene = ThrownDisk();
  const PlanarTrack track = MakePlanarTrack(scene, Throws(1, kNoise, 7)[0], 0);
  const FlightProblem problem(ParameterMap(scene, ParsePathList(scene, "gravity.magnitude, gravity.tilt")),
                              {{0, track}});
  const FitPoint at{Eigen::Vector2d(9.7, 0.1), {Eigen::Vector4d(0, 1, 1, 2)}};
  const auto residuals = [&](const FitPoint& point) {
    ResidualBlock out;
    EXPECT_TRUE(problem.Evaluate(0, point, false, out));
    return out.residuals;
  };
  ResidualBlock block;
  ASSERT_TRUE(problem.Evaluate(0, at, true, block));
  const auto by_values = [&](const Eigen::VectorXd& x) { return residuals({x, at.local}); };
  const auto by_local = [&](const Eigen::VectorXd& x) { return residuals({at.values, {x}}); };
  EXPECT_TRUE(IsJacobian(block.by_values, by_values, at.values, {.tolerance = 1e-8}));
  EXPECT_TRUE(IsJacobian(block.by_local, by_local, at.local[0], {.tolerance = 1e-8}));
}

TEST(FlightEstimator, ProfilesAndBootstrapWorkAsForEveryEstimator) {
  const Scene scene = ThrownDisk();
  const std::vector<Recording> recordings = Throws(3, kNoise, 3);
  const IdentifyRequest request{scene,
                                recordings,
                                ParsePathList(scene, "gravity.magnitude, gravity.tilt"),
                                {.bootstrap = 40, .profiles = {"gravity.magnitude"}}};
  const Estimate estimate = Flight().Run(request).estimate;
  ASSERT_EQ(estimate.profiles.size(), 1u);
  const EstimatedParameter& gravity = estimate.parameters[0];
  EXPECT_NEAR(gravity.value.value(), kGravity, 5 * gravity.std.value());
}

TEST(FlightEstimator, RefusesWhatItCannotFit) {
  const Scene scene = ThrownDisk();
  const std::vector<Recording> recordings = Throws(1, 0, 1);
  const IdentifyRequest request{scene, recordings, ParsePathList(scene, "bodies.disk.mass"), {}};
  EXPECT_EQ(Flight().Refusal(request), "flight estimates gravity, not bodies.disk.mass; use trajectory");
}

}  // namespace
}  // namespace ricochet
