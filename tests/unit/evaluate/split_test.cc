// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/split.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/random.h"
#include "tests/support/box_take.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

TEST(Split, TossesOfATakeInWhichTheBoxIsCarried) {
  for (std::uint64_t seed = 100; seed < 112; ++seed) {
    testing::BoxTakeOptions options;
    options.tosses = 4 + static_cast<int>(seed % 5);
    options.catches = static_cast<int>(seed % 3);
    const testing::BoxTake take = testing::MakeBoxTake(seed, options);
    const SplitTake split = SplitRecording(take.recording);
    EXPECT_EQ(split.kind, "toss") << seed;
    ASSERT_EQ(split.pieces.size(), take.releases.size()) << seed;
    for (std::size_t i = 0; i < split.pieces.size(); ++i) {
      const int first = split.pieces[i].first_row, last = first + split.pieces[i].rows - 1;
      // Frames before the release that fall nearly as in flight may belong to it.
      EXPECT_NEAR(first, take.releases[i], 0.05 * take.camera.rate) << seed << ", toss " << i + 1;
      EXPECT_NEAR(last, take.rests[i] + 0.25 * take.camera.rate, 0.4 * take.camera.rate) << seed << ", toss " << i + 1;
      EXPECT_EQ(split.pieces[i].recording.time.front(), 0);
    }
    if (options.catches > 0) {
      EXPECT_FALSE(split.left_out.empty()) << seed;
    }
  }
}

TEST(Split, ACarriedBoxHasNoTosses) {
  // Lifted, turned and put down, again and again.
  Random draws(5);
  std::vector<double> time, columns[7];
  for (int k = 0; k < 2400; ++k) {
    const double t = k / 240.0, s = std::fmod(t, 2.5) / 2.5, lift = s < 0.7 ? std::pow(std::sin(M_PI * s / 0.7), 2) : 0;
    const double angle = 1.3 * lift;
    time.push_back(t);
    const double values[7] = {0.3 * lift, 0.1 * lift, 0.05 + 0.6 * lift, std::cos(angle / 2), std::sin(angle / 2),
                              0,          0};
    for (int i = 0; i < 7; ++i) columns[i].push_back(values[i] + (i < 3 ? 3e-4 * draws.Normal() : 0));
  }
  const Recording carried = Recording::FromColumns(time, {{"x", columns[0]},
                                                          {"y", columns[1]},
                                                          {"z", columns[2]},
                                                          {"qw", columns[3]},
                                                          {"qx", columns[4]},
                                                          {"qy", columns[5]},
                                                          {"qz", columns[6]}});
  const SplitTake split = SplitRecording(carried);
  EXPECT_TRUE(split.pieces.empty());
  EXPECT_TRUE(split.kind.empty());
}

TEST(Split, SlidesOnOneLevel) {
  // Pushed along x for 0.3 s, then slowed down by friction 0.25, three times.
  Random draws(6);
  std::vector<double> time, x, y, theta;
  double place = 0, speed = 0;
  std::vector<int> fastest;
  for (int k = 0; k < 1200; ++k) {
    const double t = k / 200.0, s = std::fmod(t, 2.0);
    const double a = s >= 0.5 && s < 0.8 ? 3 : -0.25 * 9.81;
    if (std::abs(s - 0.8) < 1e-9) fastest.push_back(k);
    speed = std::max(0.0, speed + a / 200);
    place += speed / 200;
    time.push_back(t);
    x.push_back(place + 2e-4 * draws.Normal());
    y.push_back(0.03 + 2e-4 * draws.Normal());
    theta.push_back(1e-3 * draws.Normal());
  }
  const SplitTake split = SplitRecording(Recording::FromColumns(time, {{"x", x}, {"y", y}, {"theta", theta}}));
  EXPECT_EQ(split.kind, "slide");
  ASSERT_EQ(split.pieces.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(split.pieces[i].first_row, fastest[i], 6) << i;
}

TEST(Split, SwingsBetweenHands) {
  // Moved to 1 rad, held, released; three times.
  Random draws(7);
  std::vector<double> time, angle;
  std::vector<int> released;
  double phase = 0;
  for (int k = 0; k < 6000; ++k) {
    const double t = k / 200.0, s = std::fmod(t, 10.0);
    double value = 0;
    if (s > 1 && s <= 2) value = 0.5 * (1 - std::cos(M_PI * (s - 1)));
    if (s > 2 && s <= 3) value = 1;
    if (s > 3) value = std::exp(-1.2 * (s - 3)) * std::cos(7 * (s - 3));
    if (s > 3 && phase <= 3) released.push_back(k);
    phase = s;
    time.push_back(t);
    angle.push_back(value + 2e-4 * draws.Normal());
  }
  const SplitTake split = SplitRecording(Recording::FromColumns(time, {{"hinge.angle", angle}}));
  EXPECT_EQ(split.kind, "swing");
  ASSERT_EQ(split.pieces.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(split.pieces[i].first_row, released[i], 45) << i;
  EXPECT_EQ(split.left_out.size(), 3u);
}

TEST(Split, TakesAreReplacedByTheirPieces) {
  const testing::BoxTake take = testing::MakeBoxTake(100, {.tosses = 3});
  const SplitTake split = SplitRecording(take.recording);
  ASSERT_EQ(split.pieces.size(), 3u);
  const Scene scene = ParseScene(testing::BoxSceneText(take.world, 0.3, 0.2), "scene.yaml");
  const SplitRecordings all = SplitForScene(scene, {take.recording, split.pieces[0].recording});
  ASSERT_EQ(all.recordings.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all.recordings[i].time, split.pieces[i].recording.time) << i;
  EXPECT_EQ(all.recordings[3].time, split.pieces[0].recording.time);
  ASSERT_EQ(all.notes.size(), 1u);
  EXPECT_NE(all.notes[0].find("3 tosses are split into recordings of their own"), std::string::npos) << all.notes[0];
}

TEST(Split, OriginIsInTheFile) {
  const testing::TemporaryFolder folder;
  TakePiece piece;
  piece.recording = Recording::FromColumns(std::vector<double>{0, 1}, {});
  piece.recording.columns = {"x"};
  piece.recording.values = {{1, 2}};
  piece.origin = "toss 3 of take.csv, rows 12 to 40, from t = 0.1 s";
  WritePiece(piece, folder.File("piece.csv"));
  std::ifstream in(folder.File("piece.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "# origin: toss 3 of take.csv, rows 12 to 40, from t = 0.1 s");
  EXPECT_EQ(ReadRecording(folder.File("piece.csv")).values, piece.recording.values);
}

TEST(Split, RecordingsWithoutMotionOfABodyAreRefused) {
  const std::vector<double> time = {0, 1}, x = {0, 1};
  EXPECT_THROW(SplitRecording(Recording::FromColumns(time, {{"x", x}})), InputError);
}

/// Throws of a ball that bounces; a hand brings it back, unseen. The tracker gives it a new number in each throw.
TEST(Split, BallsAreCutIntoTheirThrows) {
  constexpr int kThrows = 4;
  constexpr double kRate = 120, kPeriod = 3, kRestitution = 0.6, kRadius = 0.02;
  Random draws(21);
  Recording take;
  take.file = "rally.csv";
  for (int i = 0; i < kThrows; ++i)
    for (const char* name : {".x", ".y", ".z"}) take.columns.push_back("ball" + std::to_string(i + 1) + name);
  take.values.resize(take.columns.size());
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), v = p;
  for (int k = 0; k < kRate * kPeriod * kThrows; ++k) {
    const double t = k / kRate;
    const int number = static_cast<int>(t / kPeriod);
    const double since = t - number * kPeriod;
    take.time.push_back(t);
    if (since < 0.5) {
      p = {0.1 * since, 0, 0.5};
      v = {1.2, 0.1 * number, 1};
    } else {
      constexpr int kSteps = 200;
      for (int step = 0; step < kSteps; ++step) {
        v[2] -= 9.81 / (kRate * kSteps);
        p += v / (kRate * kSteps);
        if (p[2] < kRadius && v[2] < 0) v[2] *= -kRestitution;
      }
    }
    for (std::size_t c = 0; c < take.columns.size(); ++c) {
      const bool seen = static_cast<int>(c) / 3 == number && since < 2.2;
      take.values[c].push_back(seen ? p[static_cast<Eigen::Index>(c % 3)] + 3e-4 * draws.Normal() : NAN);
    }
  }
  const SplitTake split = SplitRecording(take);
  EXPECT_EQ(split.kind, "toss");
  ASSERT_EQ(split.pieces.size(), static_cast<std::size_t>(kThrows));
  for (int i = 0; i < kThrows; ++i) {
    const TakePiece& piece = split.pieces[static_cast<std::size_t>(i)];
    EXPECT_NEAR(piece.first_row / kRate, i * kPeriod + 0.5, 0.03) << i;
    EXPECT_GT(piece.rows / kRate, 1.2) << i;
    const std::string name = "ball" + std::to_string(i + 1);
    EXPECT_EQ(piece.recording.columns, (std::vector<std::string>{name + ".x", name + ".y", name + ".z"})) << i;
  }
  // The pieces of one ball only.
  EXPECT_EQ(SplitRecording(take, {.body = "ball2"}).pieces.size(), 1u);
  EXPECT_THROW(SplitRecording(take, {.body = "ball9"}), InputError);
}

}  // namespace
}  // namespace ricochet
