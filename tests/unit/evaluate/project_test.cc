// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/project.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "core/random.h"

namespace ricochet {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

struct Planar {
  double x, y, theta;
};
Planar MotionAt(double t) { return {0.4 * t, 0.3 + t - 4.905 * t * t + 3 * std::pow(t, 3), 3 * t + 0.2}; }

/// A body in the plane through the origin that `turn` makes of the world's x and z, as seen in space.
Recording Seen(const Quaterniond& turn, double noise, std::uint64_t seed) {
  Random draws(seed);
  std::vector<double> time, columns[7];
  for (int k = 0; k < 200; ++k) {
    const double t = k / 240.0;
    const Planar at = MotionAt(t);
    const Vector3d p = turn * Vector3d(at.x, 0, at.y);
    const Quaterniond q = turn * Quaterniond(Eigen::AngleAxisd(at.theta, -Vector3d::UnitY()));
    time.push_back(t);
    const double values[7] = {p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z()};
    for (int i = 0; i < 7; ++i) columns[i].push_back(values[i] + (i < 3 ? noise : 2 * noise) * draws.Normal());
  }
  return Recording::FromColumns(time, {{"x", columns[0]},
                                       {"y", columns[1]},
                                       {"z", columns[2]},
                                       {"qw", columns[3]},
                                       {"qx", columns[4]},
                                       {"qy", columns[5]},
                                       {"qz", columns[6]}});
}

TEST(Project, AStandingPlaneKeepsHeightsAndTurns) {
  // Turned about the vertical by 20 degrees and leaning by 1 degree.
  const Quaterniond turn =
      Eigen::AngleAxisd(0.35, Vector3d::UnitZ()) * Quaterniond(Eigen::AngleAxisd(0.017, Vector3d::UnitX()));
  const PlanarProjection flat = ProjectToPlane(Seen(turn, 3e-4, 1));
  EXPECT_FALSE(flat.level);
  EXPECT_NEAR(std::abs(flat.normal.dot(turn * Vector3d::UnitY())), 1, 1e-6);
  EXPECT_NEAR(flat.residual, 3e-4, 1e-4);
  EXPECT_LT(flat.residual_angle, 3e-3);
  ASSERT_EQ(flat.recording.columns, (std::vector<std::string>{"x", "y", "theta"}));
  for (int k = 0; k < flat.recording.rows(); k += 20) {
    const auto row = static_cast<std::size_t>(k);
    const Planar truth = MotionAt(flat.recording.time[row]);
    EXPECT_NEAR(flat.recording.values[0][row], truth.x, 2e-3) << k;
    EXPECT_NEAR(flat.recording.values[1][row], truth.y, 2e-3) << k;
    EXPECT_NEAR(flat.recording.values[2][row], truth.theta, 5e-3) << k;
  }
}

TEST(Project, ALyingPlaneHasNoGravity) {
  const Quaterniond turn(Eigen::AngleAxisd(-M_PI / 2, Vector3d::UnitX()));
  const PlanarProjection flat = ProjectToPlane(Seen(turn, 0, 2));
  EXPECT_TRUE(flat.level);
  EXPECT_NEAR(flat.normal.z(), 1, 1e-9);
  EXPECT_LT(flat.residual, 1e-9);
}

TEST(Project, MotionInSpaceIsRefused) {
  Recording recording = Seen(Quaterniond::Identity(), 0, 3);
  for (std::size_t k = 0; k < recording.time.size(); ++k)
    recording.values[1][k] = 0.2 * std::sin(20 * recording.time[k]);
  EXPECT_THROW(ProjectToPlane(recording), InputError);
}

TEST(Project, PointsThatLookAlikeAreDistinguishedByContinuity) {
  Random draws(4);
  std::vector<double> time, columns[6];
  int swaps = 0;
  bool other = false;
  for (int k = 0; k < 300; ++k) {
    const double t = k / 240.0;
    const Planar at = MotionAt(t);
    if (k > 0 && draws.Uniform() < 0.1) {
      other = !other;
      ++swaps;
    }
    time.push_back(t);
    for (const int side : {0, 1}) {
      const double sign = (side == 0) != other ? 1 : -1;
      const double values[3] = {at.x + sign * 0.03 * std::cos(at.theta), 0.5, at.y + sign * 0.03 * std::sin(at.theta)};
      for (int i = 0; i < 3; ++i) columns[3 * side + i].push_back(values[i] + 2e-4 * draws.Normal());
    }
  }
  const Recording seen = Recording::FromColumns(time, {{"a.x", columns[0]},
                                                       {"a.y", columns[1]},
                                                       {"a.z", columns[2]},
                                                       {"b.x", columns[3]},
                                                       {"b.y", columns[4]},
                                                       {"b.z", columns[5]}});
  const PlanarProjection flat = ProjectToPlane(seen, {.alike = {"a", "b"}});
  EXPECT_EQ(flat.swapped, swaps);
  ASSERT_EQ(flat.recording.columns, (std::vector<std::string>{"a.x", "a.y", "b.x", "b.y"}));
  for (std::size_t k = 0; k < time.size(); ++k) {
    const Planar at = MotionAt(time[k]);
    EXPECT_NEAR(flat.recording.values[0][k], at.x + 0.03 * std::cos(at.theta), 2e-3) << k;
  }
  EXPECT_THROW(ProjectToPlane(seen, {.alike = {"a", "c"}}), InputError);
}

}  // namespace
}  // namespace ricochet
