// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `identify` and `identifiability` as a user types them, and what nonsense gets for an answer.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/recording.h"
#include "ricochet/scene.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;

const char kScene[] =
    "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  ellipse:\n    shape: {ellipse: {semi_axes: [0.050, "
    "0.025]}}\n"
    "    mass: 0.064\n    inertia: 3.0e-5\nsurfaces:\n  bar: {line: {point: [0, 0], angle: 0}}\ncontact: {friction: "
    "0.4, restitution: 0.5}\n";
const char kPaths[] = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

class IdentifyCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.File("scene.yaml")) << kScene;
    recording_ = ReadRecording(SourcePath("tests/data/truth/plywood/1mrad/mu0.3_120fps_0.csv"));
  }
  void Save(const Recording& recording, const std::string& name) { WriteRecording(recording, folder_.File(name)); }
  auto Run(const std::string& name, const std::string& paths = kPaths) {
    return RunProgram({"identify", "scene.yaml", name, "--estimate", paths, "--json"}, folder_.path());
  }
  testing::TemporaryFolder folder_;
  Recording recording_;
};

TEST_F(IdentifyCommand, GivesAnEstimateWithEvidence) {
  Save(recording_, "throw.csv");
  const auto result = RunProgram({"identify", "scene.yaml", "throw.csv", "--estimate", kPaths, "-o", "estimate.json",
                                  "--scene-out", "calibrated.yaml"},
                                 folder_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("method auto -> trajectory"), std::string::npos) << result.out;
  std::ifstream in(folder_.File("estimate.json"));
  const auto json = nlohmann::json::parse(in);
  EXPECT_NEAR(json["parameters"][0]["value"].get<double>(), 756e-6, 4e-6);
  EXPECT_EQ(json["parameters"][0]["unit"], "m^2");
  EXPECT_TRUE(json["converged"].get<bool>());
  EXPECT_EQ(json["inputs"].size(), 2u);
  const Scene calibrated = ReadScene(folder_.File("calibrated.yaml"));
  EXPECT_NEAR(calibrated[calibrated.Find("contact.friction")], 0.3, 0.02);
}

TEST_F(IdentifyCommand, RefusesMassAndNamesTheRatio) {
  Save(recording_, "throw.csv");
  const auto result =
      Run("throw.csv", "bodies.ellipse.mass, bodies.ellipse.inertia, contact.friction, contact.restitution");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  for (const int i : {0, 1}) {
    EXPECT_TRUE(json["parameters"][i]["value"].is_null());
    EXPECT_FALSE(json["parameters"][i]["identifiable"].get<bool>());
    EXPECT_NE(
        json["parameters"][i]["combination"].get<std::string>().find("bodies.ellipse.inertia/bodies.ellipse.mass"),
        std::string::npos);
  }
  EXPECT_NEAR(json["parameters"][4]["value"].get<double>(), 756e-6, 4e-6);
}

TEST_F(IdentifyCommand, SaysWhatIsWrongWithNonsense) {
  Recording millimetres = recording_, mirrored = recording_, three = recording_, far = recording_;
  for (int c = 0; c < 2; ++c)
    for (double& value : millimetres.values[c]) value *= 1000;
  for (double& value : mirrored.values[2]) value = -value;
  three.time.resize(3);
  for (auto& column : three.values) column.resize(3);
  for (int i = 0; i < far.rows(); ++i) {
    const double t = far.time[i];
    far.values[0][i] = 3 * t;
    far.values[1][i] = 5 + 2 * t - 0.5 * 9.81 * t * t;
    far.values[2][i] = 4 * t;
  }
  Save(millimetres, "mm.csv");
  Save(mirrored, "mirrored.csv");
  Save(three, "three.csv");
  Save(far, "far.csv");
  const auto expect = [&](const std::string& file, const std::string& words) {
    const auto result = Run(file);
    EXPECT_TRUE(result.status == 2 || result.status == 3) << file << ": " << result.status << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << file << ": " << result.err;
  };
  expect("mm.csv", "millimetres");
  expect("mirrored.csv", "mirrored");
  expect("three.csv", "too few");
  expect("far.csv", "no impact");
  Save(recording_, "throw.csv");
  const auto upside = RunProgram(
      {"identify", "scene.yaml", "throw.csv", "--estimate", kPaths, "--set", "gravity=[0, 9.81]"}, folder_.path());
  EXPECT_TRUE(upside.status == 2 || upside.status == 3);
  EXPECT_NE(upside.err.find("gravity"), std::string::npos) << upside.err;
}

TEST_F(IdentifyCommand, WorksOnRawCameraPoses) {
  // Wrapped angle, dropped frames, jittered stamps, one gross outlier.
  Recording raw;
  raw.columns = recording_.columns;
  raw.values.resize(3);
  for (int i = 0; i < recording_.rows(); ++i) {
    if (i % 9 == 5) continue;
    raw.time.push_back(recording_.time[i]);
    for (int c = 0; c < 3; ++c)
      raw.values[c].push_back(c == 2 ? std::remainder(recording_.values[c][i], 6.283185307179586)
                                     : recording_.values[c][i]);
  }
  raw.values[1][30] += 0.05;
  Save(raw, "raw.csv");
  const auto result = Run("raw.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_NEAR(json["parameters"][0]["value"].get<double>(), 756e-6, 5e-6);
  EXPECT_GE(json["recordings"][0]["rejected_rows"].get<int>(), 1);
}

TEST_F(IdentifyCommand, IdentifiabilityOfAPlannedThrow) {
  const auto result = RunProgram({"identifiability", SourcePath("examples/plywood_ellipse.yaml"), "--estimate",
                                  "bodies.ellipse.mass, bodies.ellipse.inertia, contact.friction", "--json"},
                                 folder_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["null_space"], "only bodies.ellipse.inertia / bodies.ellipse.mass can be told");
  EXPECT_TRUE(json["parameters"][2]["identifiable"].get<bool>());
}

}  // namespace
}  // namespace ricochet
