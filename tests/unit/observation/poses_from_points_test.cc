// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/poses_from_points.h"

#include <gtest/gtest.h>

#include <cmath>

#include "math/manifold.h"

namespace ricochet {
namespace {

TEST(PosesFromPoints, PlanarPosesAreExactAndMissingPointsLeaveARowOut) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\nbodies: {e: {shape: {circle: {radius: 0.1}}, mass: 1}}\n"
      "observe: {length_scale: 2, offset: {tip.x: 0.5}, frame: {position: [0.03, 0.01], rotation: 0.4},\n"
      "  points: {tip: [0.1, 0.02], heel: [-0.1, 0]}}\n",
      "e.yaml");
  Recording recording;
  recording.columns = {"tip.x", "tip.y", "heel.x", "heel.y"};
  recording.values.resize(4);
  for (int i = 0; i < 5; ++i) {
    const double x = 0.3 * i, y = 1 - 0.1 * i, angle = 2.5 * i, c = std::cos(angle), s = std::sin(angle);
    recording.time.push_back(0.01 * i);
    recording.values[0].push_back(2 * (x + c * 0.1 - s * 0.02) + 0.5);
    recording.values[1].push_back(2 * (y + s * 0.1 + c * 0.02));
    recording.values[2].push_back(2 * (x - c * 0.1));
    recording.values[3].push_back(2 * (y - s * 0.1));
  }
  recording.values[2][3] = NAN;
  const Recording posed = AddPosesFromPoints(scene, recording);
  ASSERT_EQ(posed.columns.size(), 7u);
  EXPECT_EQ(posed.columns[4], "e.x");
  for (int i = 0; i < 5; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (i == 3) {
      EXPECT_TRUE(std::isnan(posed.values[4][row]));
      continue;
    }
    const double angle = 2.5 * i, c = std::cos(angle), s = std::sin(angle);
    EXPECT_NEAR(posed.values[4][row], 2 * (0.3 * i + c * 0.03 - s * 0.01), 1e-14);
    EXPECT_NEAR(posed.values[5][row], 2 * (1 - 0.1 * i + s * 0.03 + c * 0.01), 1e-14);
    EXPECT_NEAR(std::remainder(posed.values[6][row] - angle - 0.4, 2 * M_PI), 0, 1e-14);
  }
}

TEST(PosesFromPoints, PartialRowsTakeTheAngleBetweenTheirNeighbors) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\nbodies: {e: {shape: {circle: {radius: 0.1}}, mass: 1}}\n"
      "observe: {points: {tip: [0.1, 0.02], heel: [-0.1, 0]}}\n",
      "e.yaml");
  Recording recording;
  recording.columns = {"tip.x", "tip.y", "heel.x", "heel.y"};
  recording.values.resize(4);
  for (int i = 0; i < 8; ++i) {
    const double x = 0.3 * i * i, y = 1 - 0.1 * i, angle = 3 + 0.2 * i, c = std::cos(angle), s = std::sin(angle);
    recording.time.push_back(0.01 * i);
    recording.values[0].push_back(x + c * 0.1 - s * 0.02);
    recording.values[1].push_back(y + s * 0.1 + c * 0.02);
    recording.values[2].push_back(x - c * 0.1);
    recording.values[3].push_back(y - s * 0.1);
  }
  for (const std::size_t row : {0, 3, 4, 5, 7}) recording.values[0][row] = NAN;
  recording.values[2][4] = NAN;
  const Recording posed = AddPosesFromPoints(scene, recording, PartialRows::kInterpolated);
  for (int i = 0; i < 8; ++i) {
    const auto row = static_cast<std::size_t>(i);
    // Row 4 shows nothing; the first and the last have a neighbor on one side only.
    const bool known = i != 0 && i != 4 && i != 7;
    EXPECT_EQ(std::isfinite(posed.values[4][row]), known) << i;
    if (!known) continue;
    EXPECT_NEAR(posed.values[4][row], 0.3 * i * i, 1e-14);
    EXPECT_NEAR(posed.values[5][row], 1 - 0.1 * i, 1e-14);
    EXPECT_NEAR(std::remainder(posed.values[6][row] - 3 - 0.2 * i, 2 * M_PI), 0, 1e-14);
  }
}

TEST(PosesFromPoints, TheCenterOfADiscOrABallIsEnough) {
  const Scene disc = ParseScene(
      "ricochet: 1\nspace: planar\nbodies: {d: {shape: {circle: {radius: 0.1}}, mass: 1}}\n"
      "observe: {points: {c: [0, 0]}}\n",
      "d.yaml");
  Recording seen;
  seen.columns = {"c.x", "c.y"};
  seen.time = {0, 0.1};
  seen.values = {{1, 2}, {3, NAN}};
  const Recording posed = AddPosesFromPoints(disc, seen);
  EXPECT_EQ(posed.values[2][0], 1);
  EXPECT_EQ(posed.values[3][0], 3);
  EXPECT_EQ(posed.values[4][0], 0);
  EXPECT_TRUE(std::isnan(posed.values[2][1]));
  const Scene ball = ParseScene(
      "ricochet: 1\nspace: spatial\nbodies: {b: {shape: {sphere: {radius: 0.1}}, mass: 1}}\n"
      "observe: {points: {c: [0, 0, 0]}}\n",
      "b.yaml");
  seen.columns = {"c.x", "c.y", "c.z"};
  seen.values = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ(AddPosesFromPoints(ball, seen).values[6][1], 1);  // qw
  // Beside the center the rotation matters, and one point does not show it.
  const Scene beside = ParseScene(
      "ricochet: 1\nspace: spatial\nbodies: {b: {shape: {sphere: {radius: 0.1}}, mass: 1}}\n"
      "observe: {points: {c: [0.05, 0, 0]}}\n",
      "b.yaml");
  EXPECT_THROW(AddPosesFromPoints(beside, seen), InputError);
}

const char kBox[] =
    "ricochet: 1\nspace: spatial\nbodies: {box: {shape: {box: {size: [0.2, 0.1, 0.1]}}, mass: 1}}\n"
    "observe: {points: {a: [0.1, 0, 0], b: [-0.1, 0, 0], c: [0, 0.05, 0.01]}}\n";

Recording BoxPoints(std::size_t count) {
  const Vector3<double> places[] = {{0.1, 0, 0}, {-0.1, 0, 0}, {0, 0.05, 0.01}};
  Recording recording;
  recording.file = "box.csv";
  for (std::size_t p = 0; p < count; ++p)
    for (const char* axis : {"x", "y", "z"}) recording.columns.push_back(std::string(1, "abc"[p]) + "." + axis);
  recording.values.resize(recording.columns.size());
  for (int i = 0; i < 20; ++i) {
    const Quaternion<double> q = ExpSO3(Vector3<double>(0.3 * i, -0.2 * i, 0.1));
    recording.time.push_back(0.01 * i);
    for (std::size_t p = 0; p < count; ++p) {
      const Vector3<double> y = Vector3<double>(1, 2, 0.1 * i) + Rotate<double>(q, places[p]);
      for (std::size_t k = 0; k < 3; ++k) recording.values[3 * p + k].push_back(y[static_cast<Eigen::Index>(k)]);
    }
  }
  return recording;
}

TEST(PosesFromPoints, SpatialPosesAreExact) {
  const Recording posed = AddPosesFromPoints(ParseScene(kBox, "box.yaml"), BoxPoints(3));
  ASSERT_EQ(posed.columns.size(), 16u);
  for (int i = 0; i < 20; ++i) {
    const auto row = static_cast<std::size_t>(i);
    const Quaternion<double> q(posed.values[12][row], posed.values[13][row], posed.values[14][row],
                               posed.values[15][row]);
    EXPECT_LT(BoxMinusRotation<double>(q, ExpSO3(Vector3<double>(0.3 * i, -0.2 * i, 0.1))).norm(), 1e-7);
    EXPECT_NEAR(posed.values[9][row], 1, 1e-12);
    EXPECT_NEAR(posed.values[11][row], 0.1 * i, 1e-12);
  }
}

TEST(PosesFromPoints, TooFewPointsAreNamed) {
  try {
    AddPosesFromPoints(ParseScene(kBox, "box.yaml"), BoxPoints(2));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "box.csv: box: 2 recorded points do not fix the pose of the body. Record at least 3 points of it that "
                 "are not on a line, and name them in observe.points.");
  }
}

}  // namespace
}  // namespace ricochet
