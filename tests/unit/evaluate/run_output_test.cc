// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What `simulate` writes is what the sensors of `observe` record of the motion: formulas written out here.
#include "evaluate/run_output.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "ricochet/simulate.h"

namespace ricochet {
namespace {

using Names = std::vector<std::string>;

constexpr char kPlanar[] = R"(ricochet: 1
space: planar
gravity: [0, -9.81]
bodies:
  e: {shape: {ellipse: {semi_axes: [0.05, 0.025]}}, mass: 0.064, center_of_mass: [0.004, -0.003]}
surfaces:
  floor: {line: {point: [0, 0], angle: 0}}
contact: {friction: 0.2, restitution: 0.5}
initial:
  e: {pose: [0, 0.2, 0.3], velocity: [1, 0], angular_velocity: 3}
simulation: {method: event, step: 0.01, duration: 0.3}
)";

constexpr char kSpatial[] = R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  box: {shape: {box: {size: [0.2, 0.15, 0.1]}}, mass: 0.4, center_of_mass: [0.01, 0, 0]}
surfaces:
  floor: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}
contact: {friction: 0.3, restitution: 0.2}
initial:
  box: {position: [0, 0, 0.3], orientation: [0.9, 0.3, 0.25, 0.15], velocity: [1, 0, 0], angular_velocity: [1, 2, 3]}
simulation: {method: moreau, step: 0.005, duration: 0.3}
)";

Recording Recorded(const std::string& text, const SimulateOptions& options = {}) {
  return Simulate(ParseScene(text, "scene.yaml"), options).recording;
}

TEST(RunOutput, PlanarFrameScaleOffsetAndDelay) {
  const Recording plain = Recorded(kPlanar);
  const Recording seen = Recorded(
      std::string(kPlanar) +
      "observe: {frame: {position: [0.02, 0.01], rotation: 0.4}, length_scale: 1.1, delay: 0.03, offset: {x: 0.5, "
      "theta: 0.1}}\n");
  EXPECT_EQ(seen.columns, (Names{"x", "y", "theta", "vx", "vy", "omega"}));
  ASSERT_EQ(seen.rows(), plain.rows());
  for (std::size_t i = 0; i < plain.time.size(); ++i) {
    const double x = plain.values[0][i], y = plain.values[1][i], angle = plain.values[2][i], c = std::cos(angle),
                 s = std::sin(angle);
    EXPECT_NEAR(seen.time[i], plain.time[i] + 0.03, 1e-15);
    EXPECT_NEAR(seen.values[0][i], 1.1 * (x + 0.02 * c - 0.01 * s) + 0.5, 1e-14);
    EXPECT_NEAR(seen.values[1][i], 1.1 * (y + 0.02 * s + 0.01 * c), 1e-14);
    EXPECT_NEAR(seen.values[2][i], angle + 0.4 + 0.1, 1e-14);
    for (std::size_t k = 3; k < 6; ++k) EXPECT_EQ(seen.values[k][i], plain.values[k][i]);
  }
}

TEST(RunOutput, PlanarPointsInPlaceOfThePose) {
  const Recording plain = Recorded(kPlanar);
  const std::string points = "points: {tip: [0.05, 0], side: [0, 0.02]}";
  const Recording seen = Recorded(kPlanar + ("observe: {" + points + ", length_scale: 0.9}\n"));
  EXPECT_EQ(seen.columns, (Names{"tip.x", "tip.y", "side.x", "side.y"}));
  for (std::size_t i = 0; i < plain.time.size(); ++i) {
    const double x = plain.values[0][i], y = plain.values[1][i], c = std::cos(plain.values[2][i]),
                 s = std::sin(plain.values[2][i]);
    const double expected[] = {x + 0.05 * c, y + 0.05 * s, x - 0.02 * s, y + 0.02 * c};
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(seen.values[k][i], 0.9 * expected[k], 1e-14);
  }
  // Listed poses are recorded beside the points, and noise is added to both.
  const Recording both = Recorded(kPlanar + ("observe: {channels: [poses], " + points + "}\n"));
  EXPECT_EQ(both.columns, (Names{"tip.x", "tip.y", "side.x", "side.y", "x", "y", "theta", "vx", "vy", "omega"}));
  const Recording noisy = Recorded(kPlanar + ("observe: {channels: [poses], " + points + "}\n"),
                                   {.noise_position = 1e-3, .noise_angle = 1e-3});
  EXPECT_EQ(noisy.columns, (Names{"tip.x", "tip.y", "side.x", "side.y", "x", "y", "theta"}));
  for (std::size_t k = 0; k < noisy.columns.size(); ++k) {
    double squares = 0;
    for (std::size_t i = 0; i < noisy.time.size(); ++i)
      squares += std::pow(noisy.values[k][i] - both.values[k][i], 2) / static_cast<double>(noisy.time.size());
    EXPECT_GT(std::sqrt(squares), 0.5e-3) << noisy.columns[k];
    EXPECT_LT(std::sqrt(squares), 1.7e-3) << noisy.columns[k];
  }
}

TEST(RunOutput, SpatialFrameAndPoints) {
  const Recording plain = Recorded(kSpatial);
  const Recording seen =
      Recorded(std::string(kSpatial) +
               "observe: {channels: [poses], frame: {position: [0.03, 0, 0.01], rotation: [0, 0, 0.5]}, "
               "points: {tip: [0.1, 0.075, 0.05]}, length_scale: 1.2, offset: {tip.z: 0.1}}\n");
  const Names head(seen.columns.begin(), seen.columns.begin() + 10);
  EXPECT_EQ(head, (Names{"tip.x", "tip.y", "tip.z", "x", "y", "z", "qw", "qx", "qy", "qz"}));
  for (std::size_t i = 0; i < plain.time.size(); ++i) {
    const auto at = [&](std::size_t k) { return plain.values[k][i]; };
    const Eigen::Vector3d p(at(0), at(1), at(2));
    const Eigen::Quaterniond q(at(3), at(4), at(5), at(6));
    const Eigen::Vector3d tip = 1.2 * (p + q * Eigen::Vector3d(0.1, 0.075, 0.05)) + Eigen::Vector3d(0, 0, 0.1);
    const Eigen::Vector3d frame = 1.2 * (p + q * Eigen::Vector3d(0.03, 0, 0.01));
    const Eigen::Quaterniond turned = q * Eigen::Quaterniond(std::cos(0.25), 0, 0, std::sin(0.25));
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(seen.values[static_cast<std::size_t>(k)][i], tip[k], 1e-14);
      EXPECT_NEAR(seen.values[static_cast<std::size_t>(3 + k)][i], frame[k], 1e-14);
    }
    EXPECT_NEAR(std::abs(turned.dot(
                    Eigen::Quaterniond(seen.values[6][i], seen.values[7][i], seen.values[8][i], seen.values[9][i]))),
                1, 1e-14);
  }
}

TEST(RunOutput, JointsWithOffsetsAndDelay) {
  const std::string arm = R"(ricochet: 1
space: spatial
gravity: [0, 0, -9.81]
bodies:
  link: {shape: {box: {size: [0.2, 0.02, 0.02]}}, mass: 0.3}
joints:
  hinge:
    type: hinge
    parent: world
    child: link
    parent_frame: {point: [0, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}
    child_frame: {point: [-0.1, 0, 0], axis: [0, 1, 0], zero: [1, 0, 0]}
    motor: {gain: 0.1, input: u}
initial:
  hinge: {angle: 0.3}
simulation: {method: spook, step: 0.01, duration: 0.5}
)";
  Recording inputs;
  inputs.columns = {"u"};
  inputs.time = {0, 0.1, 0.3};
  inputs.values = {{1, -2, 0.5}};
  const Recording plain = Recorded(arm + "observe: [hinge.angle]\n", {.inputs = &inputs});
  const Recording seen =
      Recorded(arm +
                   "observe: {channels: [hinge.angle, hinge.rate], delay: 0.05, offset: {hinge.angle: 0.2, hinge.rate: "
                   "-1}}\n",
               {.inputs = &inputs});
  EXPECT_EQ(plain.columns, (Names{"hinge.angle", "hinge.rate", "u"}));
  EXPECT_EQ(seen.columns, plain.columns);
  for (std::size_t i = 0; i < plain.time.size(); ++i) {
    EXPECT_NEAR(seen.time[i], plain.time[i] + 0.05, 1e-15);
    EXPECT_NEAR(seen.values[0][i], plain.values[0][i] + 0.2, 1e-15);
    EXPECT_NEAR(seen.values[1][i], plain.values[1][i] - 1, 1e-14);
    // Inputs are known without delay.
    if (i + 5 < plain.time.size()) {
      EXPECT_EQ(seen.values[2][i], plain.values[2][i + 5]);
    }
  }
}

}  // namespace
}  // namespace ricochet
