// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/pose_tracks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace ricochet {
namespace {

const char kScene[] = R"(ricochet: 1
space: spatial
bodies:
  box: {shape: {box: {size: [0.2, 0.1, 0.1]}}, mass: 1, center_of_mass: [0.01, 0.02, -0.01]}
)";

/// Flight with constant spin: center of mass c + v t + g t^2 / 2, rotation exp(w t) R_0.
Recording FreeFlight(double noise_position, double noise_angle, std::uint64_t seed) {
  const Vector3<double> c(0.1, 0.2, 0.5), v(1, -0.5, 2), w(1, 2, -3), g(0, 0, -9.81), p_BBcm(0.01, 0.02, -0.01);
  const Quaternion<double> q0 = ExpSO3(Vector3<double>(0.3, -0.2, 0.1));
  Recording recording;
  recording.columns = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  recording.values.resize(7);
  Random random(seed);
  const auto normal = [&] { return Vector3<double>(random.Normal(), random.Normal(), random.Normal()); };
  for (int i = 0; i < 80; ++i) {
    const double t = 0.005 * i;
    Quaternion<double> q = BoxPlusRotation<double>(q0, Vector3<double>(w * t));
    const Vector3<double> p = c + v * t + g * (0.5 * t * t) - Rotate<double>(q, p_BBcm) + noise_position * normal();
    q = BoxPlusRotation<double>(q, Vector3<double>(noise_angle * normal()));
    recording.time.push_back(t);
    for (std::size_t k = 0; k < 3; ++k) recording.values[k].push_back(p[static_cast<int>(k)]);
    for (std::size_t k = 0; k < 4; ++k) recording.values[3 + k].push_back(q[static_cast<int>(k)]);
  }
  return recording;
}

TEST(PoseTracks, NoiseAndStartOfAFlight) {
  const Scene scene = ParseScene(kScene, "scene.yaml");
  PoseTracks track = MakePoseTracks(scene, FreeFlight(5e-4, 2e-3, 1), {0});
  EstimateNoise(track);
  EXPECT_NEAR(track.noise_position, 5e-4, 1.5e-4);
  EXPECT_NEAR(track.noise_angle, 2e-3, 6e-4);
  const SpatialStart start = FitSpatialStart(track, 0, Vector3<double>(0.01, 0.02, -0.01));
  EXPECT_GE(start.rows, 20);
  EXPECT_LT((start.pose.head<3>() - Vector3<double>(0.1, 0.2, 0.5)).norm(), 2e-3);
  EXPECT_LT((start.velocity.head<3>() - Vector3<double>(1, -0.5, 2)).norm(), 0.05);
  EXPECT_LT((start.velocity.tail<3>() - Vector3<double>(1, 2, -3)).norm(), 0.2);
}

TEST(PoseTracks, MissingPosesAreMarkedAndCounted) {
  const Scene scene = ParseScene(kScene, "scene.yaml");
  Recording recording = FreeFlight(1e-4, 1e-3, 2);
  for (const std::size_t row : {0u, 1u, 7u, 8u}) recording.values[4][row] = NAN;
  const PoseTracks track = MakePoseTracks(scene, recording, {0});
  EXPECT_EQ(track.rows(), 76);
  EXPECT_EQ(track.dropped_rows, 4);
  EXPECT_EQ(track.time[0], recording.time[2]);
}

TEST(PoseTracks, TooFewRowsAndBadQuaternionsAreNamed) {
  const Scene scene = ParseScene(kScene, "scene.yaml");
  Recording recording = FreeFlight(0, 0, 3);
  recording.file = "toss.csv";
  for (std::size_t row = 4; row < 80; ++row) recording.values[0][row] = NAN;
  try {
    MakePoseTracks(scene, recording, {0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "toss.csv: 4 complete rows are too few: a motion in space needs at least 6. Record the motion from "
                 "before the first contact to the end.");
  }
  recording = FreeFlight(0, 0, 3);
  recording.file = "toss.csv";
  for (std::size_t k = 3; k < 7; ++k) recording.values[k][5] *= 0.9;
  try {
    MakePoseTracks(scene, recording, {0});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "toss.csv: qw: the quaternion has length 0.9, which is not a rotation. Columns qw, qx, qy, qz "
                 "hold a unit quaternion, real part first; check their order and unit.");
  }
}

TEST(PoseTracks, QuaternionsHaveTheSignOfTheOneBefore) {
  const Scene scene = ParseScene(kScene, "scene.yaml");
  Recording recording = FreeFlight(0, 0, 4);
  const PoseTracks plain = MakePoseTracks(scene, recording, {0});
  for (const std::size_t row : {3u, 4u, 9u})
    for (std::size_t k = 3; k < 7; ++k) recording.values[k][row] *= -1.01;
  const PoseTracks flipped = MakePoseTracks(scene, recording, {0});
  for (std::size_t i = 0; i < plain.pose.size(); ++i) EXPECT_LT((plain.pose[i] - flipped.pose[i]).norm(), 1e-14);
}

}  // namespace
}  // namespace ricochet
