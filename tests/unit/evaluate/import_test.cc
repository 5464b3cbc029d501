// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "ricochet/import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "ricochet/error.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

/// A body that falls from 1.5 units of a length for 0.4 s and lies still for 0.1 s, along the axis `up` (0, 1, 2),
/// with noise of 0.1 mm.
std::string FallingTum(int up, double units_per_meter = 1) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise;
  std::string text = "# t x y z qx qy qz qw\n";
  for (int i = 0; i <= 50; ++i) {
    const double t = 0.01 * i, fall = std::min(t, 0.4);
    double p[3];
    for (double& each : p) each = 1e-4 * noise(random) * units_per_meter;
    p[up == 0 ? 1 : 0] += 0.3 * fall * units_per_meter;
    p[up] += (1.5 - 0.5 * 9.81 * fall * fall) * units_per_meter;
    text += std::to_string(t) + " " + std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]) +
            " 0 0 0 1\n";
  }
  return text;
}

class Import : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.File(name)) << text;
    return folder_.File(name);
  }
  testing::TemporaryFolder folder_;
};

bool Notes(const ImportedRecording& imported, const std::string& part) {
  const auto has = [&](const std::string& note) { return note.find(part) != std::string::npos; };
  return std::any_of(imported.notes.begin(), imported.notes.end(), has) ||
         std::any_of(imported.warnings.begin(), imported.warnings.end(), has);
}

TEST_F(Import, GravityConfirmsUnitAndAxes) {
  const ImportedRecording imported = ImportRecording(Write("fall.tum", FallingTum(2)), ImportFormat::kTum);
  EXPECT_EQ(imported.recording.rows(), 51);
  EXPECT_TRUE(Notes(imported, "gravity confirms it: 9.8"));
}

TEST_F(Import, GravityContradictsTheUpAxisAndTheOptionMendsIt) {
  const std::string file = Write("fall.tum", FallingTum(1));
  EXPECT_TRUE(Notes(ImportRecording(file, ImportFormat::kTum), "set option `up`"));
  const ImportedRecording imported = ImportRecording(file, ImportFormat::kTum, {.up = 'y'});
  EXPECT_TRUE(Notes(imported, "gravity confirms it"));
  const int z = imported.recording.Find("z");
  ASSERT_GE(z, 0);
  EXPECT_NEAR(imported.recording.values[static_cast<std::size_t>(z)][0], 1.5, 1e-3);
}

TEST_F(Import, GravityContradictsTheUnit) {
  const std::string file = Write("fall.tum", FallingTum(2, 1000));
  EXPECT_TRUE(Notes(ImportRecording(file, ImportFormat::kTum), "set option `unit` to mm"));
  EXPECT_TRUE(Notes(ImportRecording(file, ImportFormat::kTum, {.unit = "mm"}), "gravity confirms it"));
}

TEST_F(Import, RecognizesTheFormatAndDescribesTheRecording) {
  const std::string file = Write("fall.txt", FallingTum(2));
  EXPECT_EQ(RecognizeFormat(file), ImportFormat::kTum);
  const ImportedRecording imported = ImportRecording(file, ImportFormat::kRecognize);
  EXPECT_EQ(DescribeImport(imported),
            file + ": TUM trajectory, 51 frames at 100 Hz (0.5 s), body body, unit m, z up\n");
  const auto json = nlohmann::json::parse(FormatImport(imported, "out.csv"));
  EXPECT_EQ(json["format"], "TUM trajectory");
  EXPECT_EQ(json["frames"], 51);
  EXPECT_EQ(json["bodies"], nlohmann::json::array({"body"}));
  EXPECT_EQ(json["output"], "out.csv");
}

// A body that is carried does not fall with 9.81 m/s^2 in any unit: no alarm.
TEST_F(Import, MotionThatDoesNotFallRaisesNoAlarm) {
  std::string text;
  for (int i = 0; i <= 200; ++i) {
    const double t = 0.01 * i;
    text += std::to_string(t) + " " + std::to_string(0.3 * std::sin(3 * t)) + " 0 " +
            std::to_string(1 + 0.4 * std::sin(2 * t)) + " 0 0 0 1\n";
  }
  EXPECT_TRUE(ImportRecording(Write("carried.txt", text), ImportFormat::kRecognize).warnings.empty());
}

TEST_F(Import, ErrorsNameTheFileAndTheOption) {
  const std::string file = Write("fall.tum", FallingTum(2));
  try {
    ImportRecording(file, ImportFormat::kTum, {.body = "box"});
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().file, file);
    EXPECT_EQ(error.path(), "body");
  }
  EXPECT_THROW(ImportRecording(folder_.File("none.tum"), ImportFormat::kTum), InputError);
}

TEST_F(Import, UrdfBecomesASceneThatCanBeWritten) {
  const std::string file = Write(
      "arm.urdf",
      "<robot name='arm'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -0.1'/><mass value='0.2'/>"
      "<inertia ixx='1e-3' iyy='1e-3' izz='1e-4' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='hinge' type='revolute'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/>"
      "<limit lower='-1' upper='1' effort='1' velocity='1'/></joint></robot>");
  const Scene scene = ImportUrdf(file);
  EXPECT_EQ(scene.file, "arm.yaml");
  EXPECT_EQ(scene[scene.Find("bodies.rod.mass")], 0.2);
  WriteScene(scene, folder_.File("arm.yaml"));
  EXPECT_EQ(ReadScene(folder_.File("arm.yaml")).numbers().size(), scene.numbers().size());
}

}  // namespace
}  // namespace ricochet
