// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The doctor on tosses whose faults are known: the campaign of tests/data/truth/box (Box006, 0.3 mm and 0.1 degrees of
// noise) as it is, and with one fault each; and on real recordings where a machine has them.
#include "ricochet/examine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "examine/doctor_tracks.h"
#include "math/so3.h"
#include "tests/support/box_take.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr double kDegree = 0.017453292519943295;

std::vector<Recording> Campaign() {
  std::vector<Recording> all;
  for (const char* number : {"00", "03", "06", "09", "12", "15", "18", "21"})
    all.push_back(ReadRecording(testing::DataPath("truth/box/campaign/toss_") + number + ".csv"));
  return all;
}

Scene BoxScene() { return ReadScene(testing::SourcePath("examples/box006_toss.yaml")); }

const Finding& FindingOf(const Examination& report, const std::string& check) {
  for (const Finding& finding : report.findings)
    if (finding.check == check) return finding;
  ADD_FAILURE() << "no finding " << check;
  return report.findings.front();
}

/// Turns every pose by a rotation of the world.
void Turn(std::vector<Recording>& recordings, const Eigen::Vector3d& rotation) {
  const Quaternion<double> turn = ExpSO3(rotation);
  for (Recording& r : recordings) {
    for (std::size_t k = 0; k < r.time.size(); ++k) {
      const Eigen::Vector3d p = Rotate<double>(turn, Eigen::Vector3d(r.values[0][k], r.values[1][k], r.values[2][k]));
      const Quaternion<double> q = QuaternionProduct<double>(
          turn, Quaternion<double>(r.values[3][k], r.values[4][k], r.values[5][k], r.values[6][k]));
      for (int i = 0; i < 3; ++i) r.values[static_cast<std::size_t>(i)][k] = p[i];
      for (int i = 0; i < 4; ++i) r.values[static_cast<std::size_t>(3 + i)][k] = q[i];
    }
  }
}

void Scale(std::vector<Recording>& recordings, double factor) {
  for (Recording& r : recordings)
    for (std::size_t c = 0; c < 3; ++c)
      for (double& x : r.values[c]) x *= factor;
}

TEST(Doctor, AHealthyCampaignIsHealthy) {
  const Scene scene = BoxScene();
  const Examination report = Examine(Campaign(), scene);
  EXPECT_EQ(report.usable, 8);
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.verdict, CheckLevel::kOk) << finding.check << " " << finding.found;
  ASSERT_TRUE(report.gravity);
  EXPECT_NEAR(report.gravity->value, 9.81, 4 * report.gravity->std);
  EXPECT_LT(report.gravity->std, 0.05);
  EXPECT_EQ(report.unit, "m");
  EXPECT_EQ(report.up, 'z');
  for (const ExaminedRecording& entry : report.recordings) {
    EXPECT_NEAR(*entry.noise_position, 0.3e-3, 0.06e-3);
    EXPECT_NEAR(*entry.noise_angle, 0.1 * kDegree, 0.06 * kDegree);
    EXPECT_NEAR(*entry.rest_noise_position, 0.3e-3, 0.09e-3);
    EXPECT_NEAR(entry.rate, 360, 0.01);
    EXPECT_TRUE(entry.contact_time && entry.rest_time);
    EXPECT_GE(entry.impacts.size(), 1u);
  }
}

TEST(Doctor, FindsAWrongScale) {
  const Scene scene = BoxScene();
  std::vector<Recording> recordings = Campaign();
  Scale(recordings, 0.97);
  const Examination report = Examine(recordings, scene);
  EXPECT_NEAR(report.scale_by_gravity->value, 0.97, 0.01);
  EXPECT_NEAR(report.scale_by_rest->value, 0.97, 0.006);
  EXPECT_EQ(FindingOf(report, "length scale").verdict, CheckLevel::kWatch);
  EXPECT_NE(FindingOf(report, "length scale").remedy.find("short"), std::string::npos);
  EXPECT_EQ(FindingOf(report, "resting height").verdict, CheckLevel::kWatch);
}

TEST(Doctor, FindsMillimeters) {
  std::vector<Recording> recordings = Campaign();
  Scale(recordings, 1000);
  const Scene scene = BoxScene();
  const Examination report = Examine(recordings, scene);
  EXPECT_EQ(report.unit, "mm");
  EXPECT_EQ(report.usable, 0);
  EXPECT_EQ(FindingOf(report, "unit").verdict, CheckLevel::kBad);
  EXPECT_NE(FindingOf(report, "unit").found.find("millimeters"), std::string::npos);
  EXPECT_NEAR(*report.recordings[0].noise_position, 0.3e-3, 0.06e-3);
}

// A scene that is wrong does not make recordings wrong.
TEST(Doctor, FindsTheWrongGravityOfAScene) {
  Scene scene = BoxScene();
  scene.Set("gravity", {0, 0, -1.62});
  const Examination report = Examine(Campaign(), scene);
  EXPECT_EQ(report.unit, "m");
  EXPECT_EQ(report.up, 'z');
  EXPECT_NEAR(report.gravity->value, 9.81, 0.1);
  EXPECT_EQ(FindingOf(report, "gravity").verdict, CheckLevel::kBad);
  EXPECT_NE(FindingOf(report, "gravity").remedy.find("Correct `gravity` in the scene"), std::string::npos)
      << FindingOf(report, "gravity").remedy;
}

TEST(Doctor, FindsTheWrongUpAxis) {
  std::vector<Recording> recordings = Campaign();
  Turn(recordings, {-90 * kDegree, 0, 0});  // z up becomes y up
  const Examination report = Examine(recordings);
  EXPECT_EQ(report.up, 'y');
  EXPECT_EQ(FindingOf(report, "axes").verdict, CheckLevel::kBad);
  EXPECT_NE(FindingOf(report, "axes").found.find("y is up"), std::string::npos);
  EXPECT_EQ(report.usable, 0);
}

TEST(Doctor, FindsATiltedSurface) {
  std::vector<Recording> recordings = Campaign();
  Turn(recordings, {0.8 * kDegree, 0, 0});
  const Scene scene = BoxScene();
  const Examination report = Examine(recordings, scene);
  // Boxes of this stepper rest up to 0.13 degrees askew by themselves: it does not correct penetrations.
  EXPECT_NEAR(report.lean->value, 0.8 * kDegree, 0.15 * kDegree);
  EXPECT_NEAR(report.lean_fixed, 0.8 * kDegree, 0.15 * kDegree);
  EXPECT_EQ(FindingOf(report, "surface at rest").verdict, CheckLevel::kWatch);
}

TEST(Doctor, FindsFrozenDroppedAndFaultyFrames) {
  std::vector<Recording> recordings = Campaign();
  Recording& r = recordings[0];
  for (std::vector<double>& column : r.values) {
    column[12] = column[10];
    column[11] = column[10];
  }
  r.values[2][20] += 5e-3;
  Recording& dropped = recordings[1];
  for (std::vector<double>& column : dropped.values) column.erase(column.begin() + 30, column.begin() + 33);
  dropped.time.erase(dropped.time.begin() + 30, dropped.time.begin() + 33);
  dropped.lines.erase(dropped.lines.begin() + 30, dropped.lines.begin() + 33);
  recordings[2].values[4][15] = std::numeric_limits<double>::quiet_NaN();
  const Examination report = Examine(recordings);
  EXPECT_EQ(report.recordings[0].frozen_rows, (std::vector<int>{12, 13}));
  EXPECT_EQ(report.recordings[0].outlier_rows, (std::vector<int>{21}));
  EXPECT_EQ(report.recordings[1].dropped_frames, 3);
  EXPECT_EQ(report.recordings[2].incomplete_rows, 1);
  for (std::size_t i = 3; i < 8; ++i) {
    EXPECT_TRUE(report.recordings[i].frozen_rows.empty());
    EXPECT_TRUE(report.recordings[i].outlier_rows.empty());
    EXPECT_EQ(report.recordings[i].dropped_frames, 0);
  }
  EXPECT_NEAR(report.gravity->value, 9.81, 4 * report.gravity->std);
}

TEST(Doctor, AWrongRateIsNoUnit) {
  std::vector<Recording> recordings = Campaign();
  for (Recording& r : recordings)
    for (double& t : r.time) t *= 2;
  const Examination report = Examine(recordings);
  EXPECT_NE(FindingOf(report, "gravity").verdict, CheckLevel::kOk);
  EXPECT_LE(report.usable, 2);  // single flights may be too short to show it
}

Recording PlanarThrow() {
  Recording r;
  r.columns = {"x", "y", "theta"};
  r.values.assign(3, {});
  Random random(3);
  for (int k = 0; k < 80; ++k) {
    const double t = k / 200.0, s = std::min(t, 0.25);
    r.time.push_back(t);
    // Flies for 0.25 s, then bounces.
    const double after = t - s, y = 0.5 + 0.2 * s - 0.5 * 9.81 * s * s;
    r.values[0].push_back(0.8 * s + 0.5 * after + random.Normal(0, 2e-4));
    r.values[1].push_back(y + 0.9 * after - 0.5 * 9.81 * after * after + random.Normal(0, 2e-4));
    r.values[2].push_back(3 * s - 1 * after + random.Normal(0, 1e-3));
  }
  return r;
}

TEST(Doctor, PlanarRecordings) {
  const Examination report = Examine({PlanarThrow()});
  EXPECT_EQ(report.recordings[0].kind, "planar");
  EXPECT_NEAR(report.gravity->value, 9.81, 5 * report.gravity->std);
  EXPECT_LT(report.gravity->std, 0.2);
  EXPECT_NEAR(*report.recordings[0].contact_time, 0.255, 0.011);
  ASSERT_EQ(report.recordings[0].impacts.size(), 1u);
  EXPECT_NEAR(report.recordings[0].impacts[0].time, 0.25, 0.006);
  EXPECT_NEAR(report.recordings[0].impacts[0].approach_speed, 9.81 * 0.25 - 0.2, 0.1);
  EXPECT_NEAR(*report.recordings[0].noise_position, 2e-4, 0.5e-4);
}

TEST(Doctor, ARecordingWithoutFlightAndRestHasOutliersButNoNoise) {
  Recording r;
  r.columns = {"x", "y", "theta"};
  r.values.assign(3, {});
  Random random(4);
  for (int k = 0; k < 200; ++k) {
    r.time.push_back(k * 0.01);
    r.values[0].push_back(0.5 * r.time.back() + random.Normal(0, 2e-4));
    r.values[1].push_back(random.Normal(0, 2e-4));
    r.values[2].push_back(random.Normal(0, 1e-3));
  }
  const Examination report = Examine({r});
  FindingOf(report, "outliers");
  for (const Finding& finding : report.findings) EXPECT_FALSE(finding.check.starts_with("noise")) << finding.found;
}

TEST(Doctor, JointRecordings) {
  Recording r;
  r.columns = {"hinge.angle", "u"};
  r.values.assign(2, {});
  Random random(4);
  for (int k = 0; k < 400; ++k) {
    r.time.push_back(k * 0.01);
    r.values[0].push_back(std::sin(0.03 * k) + random.Normal(0, 1e-3));
    r.values[1].push_back(0);
  }
  r.values[0][100] += 0.1;
  r.values[0][201] = r.values[0][200];
  const Examination report = Examine({r});
  EXPECT_EQ(report.recordings[0].kind, "joint");
  EXPECT_EQ(report.recordings[0].outlier_rows, (std::vector<int>{101}));
  EXPECT_EQ(report.recordings[0].frozen_rows, (std::vector<int>{202}));
  EXPECT_NEAR(*report.recordings[0].noise_angle, 1e-3, 2e-4);
  FindingOf(report, "outliers");
  FindingOf(report, "noise");
}

TEST(Doctor, ReportsInTextAndJson) {
  const Scene scene = BoxScene();
  const Examination report = Examine(Campaign(), scene);
  const std::string text = DescribeExamination(report);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 50);
  const auto json = nlohmann::json::parse(FormatExamination(report));
  EXPECT_EQ(json["recordings"].size(), 8u);
  EXPECT_NEAR(json["gravity"]["magnitude"]["value"].get<double>(), report.gravity->value, 1e-12);
}

TEST(Doctor, ASingleRowHasNoRate) {
  const std::vector<double> zero = {0};
  const Examination report = Examine({Recording::FromColumns(zero, {{"x", zero}, {"y", zero}, {"theta", zero}})});
  EXPECT_EQ(FindingOf(report, "rate").verdict, CheckLevel::kUnknown);
  const std::string text = DescribeExamination(report);
  EXPECT_TRUE(text.starts_with("1 recording, 1 row; 0 of 1 usable\n")) << text;
  EXPECT_NE(text.find("1 complete row is too few; at least"), std::string::npos) << text;
}

TEST(Doctor, HalfSampleModeIgnoresOneSidedRubbish) {
  std::vector<double> values;
  Random random(5);
  for (int i = 0; i < 300; ++i) values.push_back(random.Normal(1, 0.01));
  for (int i = 0; i < 300; ++i) values.push_back(1 + 3 * random.Uniform());
  EXPECT_NEAR(HalfSampleMode(values), 1, 0.02);
}

/// Real tosses are not part of the repository; they may lie beside it.
TEST(Doctor, RealCubeTosses) {
  const std::string folder = testing::SourcePath("../shared/data/cube_tosses");
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "the recordings are not there: " << folder;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  std::vector<Recording> recordings;
  for (const std::string& file : files) recordings.push_back(ReadRecording(file));
  const Scene scene = ParseScene(
      "ricochet: 1\nspace: spatial\nbodies:\n  cube: {shape: {box: {size: [0.1048, 0.1048, 0.1048]}}, mass: 0.37, "
      "inertia: [8.1e-4, 8.1e-4, 8.1e-4]}\nsurfaces:\n  board: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}\n",
      "cube.yaml");
  const Examination report = Examine(recordings, scene);
  EXPECT_NEAR(report.gravity->value, 9.652, 0.02);
  EXPECT_LT(report.gravity->std, 0.01);
  EXPECT_NEAR(report.scale_by_gravity->value, 0.984, 0.003);
  EXPECT_NEAR(report.scale_by_rest->value, 0.978, 0.003);
  EXPECT_NEAR(report.corner_shortfall, 3.35e-3, 0.7e-3);
  EXPECT_NEAR(report.lean->value, 0.59 * kDegree, 0.05 * kDegree);
  EXPECT_NEAR(report.lean_side->value, -0.5 * kDegree, 0.1 * kDegree);
  for (const ExaminedRecording& entry : report.recordings) {
    const std::string name = std::filesystem::path(entry.file).filename().string();
    if (name == "toss_111.csv") {
      EXPECT_EQ(entry.outlier_rows.front(), 16);
    }
    if (name == "toss_450.csv") {
      EXPECT_GT(entry.standstill, 1.5);
    }
  }
}

TEST(Doctor, WhatIsCarriedOrWalksDoesNotFly) {
  // Twelve markers on legs that swing, and a box that a hand lifts and turns, over several seeds.
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random draws(seed, 3);
    std::vector<double> time;
    std::vector<std::vector<double>> columns;
    std::vector<std::string> names;
    for (int k = 0; k < 600; ++k) time.push_back(k / 120.0);
    for (int marker = 0; marker < 12; ++marker) {
      const double phase = draws.Uniform(0, 6), reach = draws.Uniform(0.05, 0.35), lift = draws.Uniform(0.02, 0.12);
      std::vector<double> x, y, z;
      for (const double t : time) {
        const double s = 2 * M_PI * 0.95 * t + phase;
        x.push_back(1.2 * t + reach * std::sin(s) + 0.03 * std::sin(3 * s + 1) + 4e-4 * draws.Normal());
        y.push_back(0.05 * std::sin(s + 1) + 4e-4 * draws.Normal());
        z.push_back(0.3 + std::pow(std::max(0.0, std::cos(s)), 2) * lift + 0.02 * std::cos(2 * s) +
                    4e-4 * draws.Normal());
      }
      columns.insert(columns.end(), {x, y, z});
      for (const char* axis : {".x", ".y", ".z"}) names.push_back("M" + std::to_string(marker) + axis);
    }
    std::vector<RecordingColumn> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back({names[i], columns[i]});
    const Examination gait = Examine({Recording::FromColumns(time, all)});
    EXPECT_EQ(FindingOf(gait, "gravity").verdict, CheckLevel::kUnknown) << seed;
    EXPECT_EQ(FindingOf(gait, "events").verdict, CheckLevel::kOk) << seed;
    EXPECT_EQ(gait.usable, 12) << seed;

    // Only the frames of a take in which a hand carries the box.
    testing::BoxTakeOptions options;
    options.tosses = 1;
    const testing::BoxTake take = testing::MakeBoxTake(seed, options);
    Recording carried = take.recording;
    const auto rows = static_cast<std::size_t>(take.releases[0]);
    carried.time.resize(rows);
    for (std::vector<double>& column : carried.values) column.resize(rows);
    const Examination box = Examine({carried});
    EXPECT_EQ(FindingOf(box, "gravity").verdict, CheckLevel::kUnknown) << seed;
    for (const Finding& finding : box.findings)
      EXPECT_TRUE(finding.verdict == CheckLevel::kOk || finding.verdict == CheckLevel::kUnknown)
          << seed << ": " << finding.check << ": " << finding.found;
  }
}

TEST(Doctor, ABallSeenByItsCenterFalls) {
  Random draws(5);
  std::vector<double> time, x, y, z;
  double height = 0.6, speed = 1;
  for (int k = 0; k < 300; ++k) {
    time.push_back(k / 200.0);
    x.push_back(0.8 * k / 200.0 + 3e-4 * draws.Normal());
    y.push_back(0.1 + 3e-4 * draws.Normal());
    z.push_back(height + 3e-4 * draws.Normal());
    for (int i = 0; i < 100; ++i) {
      speed -= 9.81 * 5e-5;
      height += speed * 5e-5;
      if (height < 0.02 && speed < 0) speed *= -0.8;
    }
  }
  const Recording ball = Recording::FromColumns(time, {{"ball.x", x}, {"ball.y", y}, {"ball.z", z}});
  const Examination found = Examine({ball});
  ASSERT_EQ(found.recordings.size(), 1u);
  EXPECT_EQ(found.recordings[0].kind, "point");
  ASSERT_TRUE(found.gravity.has_value());
  EXPECT_NEAR(found.gravity->value, 9.81, std::max(4 * found.gravity->std, 0.05));
  EXPECT_EQ(found.up, 'z');
}

/// Three throws of a light ball whose marker wobbles: the air slows it, and it lands, rolls away or is lost.
TEST(Doctor, ThrowsOfALightBallFallWithGravity) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random draws(seed, 17);
    Recording take;
    for (int i = 0; i < 3; ++i)
      for (const char* axis : {".x", ".y", ".z"}) take.columns.push_back("M" + std::to_string(i) + axis);
    take.values.resize(9);
    for (int i = 0; i < 3; ++i) {
      Eigen::Vector3d p(0, -1, 0.5), v(draws.Uniform(-0.2, 0.2), draws.Uniform(2.8, 3.6), draws.Uniform(1.5, 2.5));
      const double spin = draws.Uniform(10, 25);
      for (int k = 0; k < 100; ++k) {
        const double t = k / 100.0;
        if (i == 0) take.time.push_back(t);
        const double wobble = 4e-4;
        const Eigen::Vector3d off(0, wobble * std::cos(spin * t), wobble * std::sin(spin * t));
        const bool seen = i > 0 || p[2] > 0.1;
        for (int axis = 0; axis < 3; ++axis)
          take.values[static_cast<std::size_t>(3 * i + axis)].push_back(
              seen ? p[axis] + off[axis] + 5e-5 * draws.Normal() : NAN);
        for (int step = 0; step < 100; ++step) {
          v += 1e-4 * (Eigen::Vector3d(0, 0, -9.81) - 0.07 * v.norm() * v);
          p += 1e-4 * v;
          if (p[2] < 0.02 && v[2] < 0) v = {0.3 * v[0], 0.3 * v[1], -0.2 * v[2]};
        }
      }
    }
    const Examination found = Examine({take});
    ASSERT_TRUE(found.gravity.has_value()) << seed;
    EXPECT_NEAR(found.gravity->value, 9.81, 0.02 * 9.81) << seed;
    EXPECT_EQ(found.up, 'z') << seed;
    EXPECT_EQ(FindingOf(found, "air drag").verdict, CheckLevel::kWatch) << seed;
    for (const ExaminedRecording& entry : found.recordings) {
      ASSERT_TRUE(entry.drag.has_value()) << seed;
      EXPECT_NEAR(entry.drag->value, 0.07 * 4, 0.15) << seed;
    }
  }
}

// The floor of the motion capture leans, or the scene's gravity does.
TEST(Doctor, ComparesTheDirectionOfGravityWithTheScene) {
  EXPECT_EQ(FindingOf(Examine(Campaign(), BoxScene()), "up").verdict, CheckLevel::kOk);
  Scene scene = BoxScene();
  scene.Set("gravity.tilt", {0.05, 0});
  const Examination report = Examine(Campaign(), scene);
  EXPECT_EQ(FindingOf(report, "up").verdict, CheckLevel::kWatch);
  EXPECT_NE(FindingOf(report, "up").remedy.find("Gravity leans 2."), std::string::npos)
      << FindingOf(report, "up").remedy;
  // The gravity that the remedy states.
  ASSERT_TRUE(report.gravity_vector.has_value());
  scene.Set("gravity", {report.gravity_vector->x(), report.gravity_vector->y(), report.gravity_vector->z()});
  EXPECT_EQ(FindingOf(Examine(Campaign(), scene), "up").verdict, CheckLevel::kOk);
}

}  // namespace
}  // namespace ricochet
