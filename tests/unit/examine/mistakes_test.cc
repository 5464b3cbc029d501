// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mistakes of recordings: each is made on simulated motions, must be named, and the change that comes with it must give
// back the recording. Recordings without a mistake raise no alarm.
#include "examine/mistakes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "math/so3.h"
#include "ricochet/identify.h"
#include "ricochet/simulate.h"
#include "tests/support/random_planar.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

Scene BoxScene() { return ReadScene(testing::SourcePath("examples/box006_toss.yaml")); }

Recording Toss(int number) {
  return ReadRecording(testing::DataPath(fmt::format("truth/box/campaign/toss_{:02d}.csv", number)));
}

Scene EllipseScene() { return ReadScene(testing::SourcePath("examples/plywood_ellipse.yaml")); }

/// A throw of an ellipse at 240 frames per second with 0.5 mm of noise, from a random height with a random spin.
Recording Throw(std::uint64_t seed, Scene scene = EllipseScene(), double speed = 1) {
  const double s = static_cast<double>(seed);
  scene.Set("initial.ellipse.pose", {0, 0.25 + 0.02 * std::fmod(s, 7), 0.3 * s});
  scene.Set("initial.ellipse.velocity", {speed * (0.4 + 0.1 * std::fmod(s, 5)), -0.2});
  scene.Set("initial.ellipse.angular_velocity", {(std::fmod(s, 2) < 1 ? 1 : -1) * (4 + std::fmod(1.7 * s, 6))});
  Recording out = Simulate(scene, {.rate = 240, .noise_position = 5e-4, .noise_angle = 2e-3}, {.seed = seed}).recording;
  out.file = fmt::format("throw_{}.csv", seed);
  return out;
}

std::string CheckOf(const Scene& scene, const Recording& recording) {
  const std::vector<Mistake> found = FindMistakes(&scene, {recording});
  return found.empty() ? "" : found[0].check;
}

/// Undoes what `made` did to a recording, up to rounding and what contacts cannot show.
void ExpectRepaired(const Scene& scene, const Recording& wrong, const std::string& check) {
  const std::vector<Mistake> found = FindMistakes(&scene, {wrong});
  ASSERT_EQ(found.size(), 1u) << wrong.file << " " << check;
  EXPECT_EQ(found[0].check, check) << wrong.file << ": " << found[0].problem;
  ASSERT_TRUE(found[0].change) << found[0].problem;
  EXPECT_NE(found[0].remedy.find("option `repair`"), std::string::npos) << found[0].remedy;
  const std::vector<Mistake> then = FindMistakes(&scene, {Repair(wrong, *found[0].change)});
  EXPECT_TRUE(then.empty()) << wrong.file << " " << check << ": " << (then.empty() ? "" : then[0].problem);
}

Recording Scaled(Recording recording, const std::vector<std::string>& columns, double factor) {
  for (const std::string& column : columns)
    for (double& value : recording.values[static_cast<std::size_t>(recording.Find(column))]) value *= factor;
  return recording;
}

Recording Timed(Recording recording, double factor) {
  for (double& t : recording.time) t *= factor;
  return recording;
}

TEST(Mistakes, NoneInTosses) {
  const Scene scene = BoxScene();
  for (int i = 0; i < 24; ++i) EXPECT_EQ(CheckOf(scene, Toss(i)), "") << i;
}

TEST(Mistakes, NoneInThrows) {
  const Scene scene = EllipseScene();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(CheckOf(scene, Throw(seed)), "") << seed;
}

// Random shapes, slopes, walls and belts, as they are simulated and at the rate of a camera.
TEST(Mistakes, NoneInRandomScenes) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Scene scene = testing::RandomPlanarScene(seed, {.moving_surfaces = seed % 3 == 0});
    for (const double rate : {0.0, 60.0 + 10 * static_cast<double>(seed)}) {
      SimulateOptions options{.rate = rate};
      if (rate > 0) options.noise_position = options.noise_angle = 5e-4;
      Recording recording;
      try {
        recording = Simulate(scene, options, {.seed = seed}).recording;
      } catch (const std::runtime_error&) {
        continue;  // a scene that the stepper cannot simulate
      }
      ++moved;
      const std::vector<Mistake> found = FindMistakes(&scene, {recording});
      EXPECT_TRUE(found.empty()) << "seed " << seed << " rate " << rate << ": " << found[0].problem;
    }
  }
  EXPECT_GT(moved, 80);
}

TEST(Mistakes, NoneInExamples) {
  for (const char* name : {"block", "box006_toss", "cube_slide", "cube_topple", "cylinder_roll", "ellipse_drop",
                           "ellipse_slide", "ellipse_throw", "furuta", "parcels_two_belts", "plywood_ellipse"}) {
    const Scene scene = ReadScene(testing::SourcePath(fmt::format("examples/{}.yaml", name)));
    const Recording recording = Simulate(scene, {}).recording;
    const Examination report = Examine({recording}, scene);
    EXPECT_TRUE(report.mistakes.empty()) << name << ": " << report.mistakes[0].problem;
    for (const Finding& finding : report.findings)
      EXPECT_NE(finding.verdict, CheckLevel::kBad) << name << " " << finding.check;
    for (const ExaminedRecording& entry : report.recordings) EXPECT_TRUE(entry.usable) << name;
  }
  const Scene blind = ReadScene(testing::SourcePath("examples/plywood_blind.yaml"));
  EXPECT_EQ(CheckOf(blind, ReadRecording(testing::SourcePath("examples/recordings/plywood_240fps.csv"))), "");
}

TEST(Mistakes, PlanarUnitsAndAngles) {
  const Scene scene = EllipseScene();
  for (std::uint64_t seed = 31; seed <= 36; ++seed) {
    const Recording right = Throw(seed);
    ExpectRepaired(scene, Scaled(right, {"x", "y"}, 1000), "unit");
    ExpectRepaired(scene, Scaled(right, {"x", "y"}, 100), "unit");
    ExpectRepaired(scene, Scaled(right, {"theta"}, 180 / std::numbers::pi), "angle");
    ExpectRepaired(scene, Scaled(right, {"y"}, -1), "axes");
    ExpectRepaired(scene, Scaled(right, {"y", "theta"}, -1), "axes");
  }
}

// A disc touches the surface at any angle: only its spin after impacts shows the angle.
TEST(Mistakes, AnglesOfADisc) {
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse: {shape: {circle: {radius: 0.05}}, mass: "
      "0.1}\nsurfaces:\n  bar: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: 0.3, restitution: "
      "0.6}\ninitial:\n"
      "  ellipse: {pose: [0, 0.3, 0], velocity: [1, 0], angular_velocity: 0}\nsimulation: {method: irc, step: 1e-3, "
      "duration: 0.8}\n",
      "disc.yaml");
  int degrees = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Recording right = Throw(seed, scene, 5);
    EXPECT_EQ(CheckOf(scene, right), "") << seed;
    const std::string as_mirrored = CheckOf(scene, Scaled(right, {"theta"}, -1)),
                      as_degrees = CheckOf(scene, Scaled(right, {"theta"}, 180 / std::numbers::pi));
    // Few impacts say too little about the sense of an angle: a fit finds it.
    EXPECT_EQ(as_mirrored, "") << seed;
    EXPECT_TRUE(as_degrees.empty() || as_degrees == "angle") << as_degrees;
    degrees += as_degrees == "angle" ? 1 : 0;
  }
  // It takes two impacts that turn the disc; none is called something else.
  EXPECT_GE(degrees, 2);
}

TEST(Mistakes, TimesThatAreNoSeconds) {
  const Scene ellipse = EllipseScene(), box = BoxScene();
  for (int i = 1; i <= 4; ++i) {
    Recording frames = Throw(static_cast<std::uint64_t>(i));
    ExpectRepaired(ellipse, Timed(frames, 1e3), "times");
    ExpectRepaired(box, Timed(Toss(i), 1e3), "times");
    ExpectRepaired(box, Timed(Toss(i), 1e9), "times");
    for (std::size_t k = 0; k < frames.time.size(); ++k) frames.time[k] = static_cast<double>(k);
    ExpectRepaired(ellipse, frames, "times");
    const std::vector<Mistake> found = FindMistakes(&ellipse, {frames});
    EXPECT_NEAR(1 / found.at(0).change->time, 240, 8);
  }
}

/// Tumbling tosses: a box that lands flat lies flat when its rotation is inverted, too.
std::vector<Recording> Tumbling(int count) {
  std::vector<Recording> out;
  for (int i = 0; i < count; ++i) {
    Random random(static_cast<std::uint64_t>(100 + i));
    const auto normal = [&](double size) { return random.Normal(0, size); };
    Scene scene = BoxScene();
    const Quaternion<double> q = Quaternion<double>(normal(1), normal(1), normal(1), normal(1)).normalized();
    scene.Set("initial.box.orientation", {q[0], q[1], q[2], q[3]});
    scene.Set("initial.box.angular_velocity", {normal(5), normal(5), normal(5)});
    out.push_back(Simulate(scene, {.rate = 360, .noise_position = 3e-4, .noise_angle = 2e-3},
                           {.seed = static_cast<std::uint64_t>(i)})
                      .recording);
    out.back().file = fmt::format("tumbling_{}.csv", i);
  }
  return out;
}

TEST(Mistakes, QuaternionsOfAnotherOrderOrInverted) {
  const Scene scene = BoxScene();
  int last = 0, inverted = 0;
  const std::vector<Recording> right = Tumbling(12);
  EXPECT_TRUE(FindMistakes(&scene, right).empty());
  for (const Recording& recording : right) {
    Recording moved = recording, inverse = recording;
    const auto q = static_cast<std::size_t>(recording.Find("qw"));
    for (std::size_t k = 0; k < 4; ++k) moved.values[q + k] = recording.values[q + (k + 1) % 4];
    for (std::size_t k = 1; k < 4; ++k)
      for (double& value : inverse.values[q + k]) value = -value;
    for (const Mistake& mistake : FindMistakes(&scene, {moved})) {
      EXPECT_EQ(mistake.check, "quaternions") << mistake.problem;
      last += mistake.change && mistake.change->real_last ? 1 : 0;
    }
    for (const Mistake& mistake : FindMistakes(&scene, {inverse})) {
      EXPECT_EQ(mistake.check, "quaternions") << mistake.problem;
      inverted += mistake.change && mistake.change->turn_signs == Eigen::Vector3d(-1, -1, -1) ? 1 : 0;
    }
  }
  EXPECT_GE(last, 9);
  EXPECT_GE(inverted, 5);
}

TEST(Mistakes, AnotherVerticalAxis) {
  const Scene scene = BoxScene();
  const double quarter = std::numbers::pi / 2;
  for (const Eigen::Vector3d& turn :
       {Eigen::Vector3d(-quarter, 0, 0), Eigen::Vector3d(quarter, 0, 0), Eigen::Vector3d(0, quarter, 0),
        Eigen::Vector3d(0, -quarter, 0), Eigen::Vector3d(2 * quarter, 0, 0)})
    for (const double length : {1.0, 1000.0}) {
      RecordingChange change;
      change.axes = RotationMatrix<double>(ExpSO3(turn));
      change.length = length;
      std::vector<Recording> session;
      for (int i = 0; i < 6; ++i) session.push_back(Repair(Toss(i), change));
      std::vector<Recording> repaired;
      for (const Mistake& mistake : FindMistakes(&scene, session)) {
        EXPECT_EQ(mistake.check, "axes") << mistake.problem;
        ASSERT_TRUE(mistake.change);
        repaired.push_back(Repair(session[repaired.size()], *mistake.change));
      }
      EXPECT_EQ(repaired.size(), 6u);
      EXPECT_TRUE(FindMistakes(&scene, repaired).empty());
    }
}

TEST(Mistakes, AnotherObject) {
  Scene scene = BoxScene();
  const NumberId size =
      scene.Find("bodies.box.shape.box.size[0]") ? scene.Find("bodies.box.shape.box.size[0]") : NumberId{};
  ASSERT_TRUE(size) << "the scene names its size otherwise";
  for (int i = 0; i < 3; ++i) {
    const NumberId id = scene.Find(fmt::format("bodies.box.shape.box.size[{}]", i));
    scene.Set(id, scene[id] / 2);
  }
  int named = 0;
  for (int i = 0; i < 12; ++i) {
    const std::vector<Mistake> found = FindMistakes(&scene, {Toss(i)});
    if (found.empty()) continue;
    EXPECT_EQ(found[0].check, "size") << found[0].problem;
    ++named;
    // Who estimates the size knows that it is open.
    EXPECT_TRUE(FindMistakes(&scene, {Toss(i)}, ParsePathList(scene, "bodies.box.shape.box.size")).empty());
  }
  EXPECT_GE(named, 6);  // of 12: others have a single contact
}

TEST(Mistakes, NothingMovesOrMostIsMissing) {
  const Scene scene = BoxScene();
  Recording still = Toss(0);
  for (std::vector<double>& column : still.values) std::fill(column.begin(), column.end(), column.back());
  EXPECT_EQ(CheckOf(scene, still), "motion");
  Recording sparse = Toss(0);
  for (std::size_t k = 0; k < sparse.time.size(); ++k)
    if (k % 8 != 0) sparse.values[0][k] = NAN;
  EXPECT_EQ(CheckOf(scene, sparse), "rows");
}

// Identify refuses what the doctor calls bad, with the same words.
TEST(Mistakes, IdentifyStopsWithTheDoctorsWords) {
  const Scene scene = BoxScene();
  RecordingChange change;
  change.axes = RotationMatrix<double>(ExpSO3(Eigen::Vector3d(-std::numbers::pi / 2, 0, 0)));
  std::vector<Recording> recordings = {Repair(Toss(0), change), Repair(Toss(1), change)};
  const Examination doctor = Examine(recordings, scene);
  ASSERT_EQ(doctor.mistakes.size(), 2u);
  try {
    Identify(scene, recordings, "contact.friction");
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_TRUE(error.problem().starts_with(doctor.mistakes[0].problem)) << error.what();
    EXPECT_EQ(error.remedy(), doctor.mistakes[0].remedy);
    EXPECT_NE(error.problem().find("2 of 2 recordings"), std::string::npos);
  }
}

}  // namespace
}  // namespace ricochet
