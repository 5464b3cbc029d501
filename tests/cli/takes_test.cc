// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From a take to a contact law, as a newcomer types it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "tests/support/box_take.h"
#include "tests/support/c3d_bytes.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

/// Friction and restitution of an estimate are those of a world within 3 standard deviations. The steps of `moreau` add
/// an error of restitution that standard deviations do not know of: 0.01 at the scene's 1 ms.
void ExpectLaw(const std::string& file, const testing::BoxWorld& world) {
  constexpr double kStepError = 0.01;
  std::ifstream in(file);
  const nlohmann::json estimate = nlohmann::json::parse(in);
  for (const nlohmann::json& parameter : estimate["parameters"]) {
    const double truth = parameter["path"] == "contact.friction" ? world.friction : world.restitution;
    EXPECT_NEAR(parameter["value"].get<double>(), truth, std::max(3 * parameter["std"].get<double>(), kStepError))
        << parameter["path"];
    EXPECT_NEAR(parameter["value"].get<double>(), truth, 0.05) << parameter["path"];
  }
}

TEST(Takes, MotiveTakeWithAnyPivotToFrictionAndRestitution) {
  const testing::BoxTake take = testing::MakeBoxTake(800);
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("take.csv")) << testing::MotiveText(take.recording, "box");
  std::ofstream(folder.File("box.yaml")) << testing::BoxSceneText(take.world, 0.3, 0.3);
  const auto split = RunProgram({"import", "take.csv", "--split", "-o", "tosses"}, folder.path());
  ASSERT_EQ(split.status, 0) << split.err;
  EXPECT_NE(split.out.find("take_toss8.csv"), std::string::npos) << split.out;
  EXPECT_EQ(split.out.find("take_toss9.csv"), std::string::npos) << split.out;
  std::vector<std::string> files;
  for (int i = 1; i <= 8; ++i) files.push_back("tosses/take_toss" + std::to_string(i) + ".csv");
  std::ifstream piece(folder.File(files[0]));
  std::string line;
  std::getline(piece, line);
  EXPECT_TRUE(line.starts_with("# origin: toss 1 of take.csv, rows ")) << line;

  std::vector<std::string> calibrate = {"calibrate-frame", "box.yaml"};
  calibrate.insert(calibrate.end(), files.begin(), files.end());
  calibrate.insert(calibrate.end(), {"--scene-out", "calibrated.yaml"});
  const auto calibrated = RunProgram(calibrate, folder.path());
  ASSERT_EQ(calibrated.status, 0) << calibrated.err << calibrated.out;
  EXPECT_NE(calibrated.out.find("the body looks alike in 4 poses"), std::string::npos) << calibrated.out;

  std::vector<std::string> identify = {"identify", "calibrated.yaml"};
  identify.insert(identify.end(), files.begin(), files.end());
  identify.insert(identify.end(), {"--estimate", "contact.friction,contact.restitution", "-o", "estimate.json"});
  const auto identified = RunProgram(identify, folder.path());
  ASSERT_EQ(identified.status, 0) << identified.err << identified.out;
  ExpectLaw(folder.File("estimate.json"), take.world);

  // Both in one command.
  identify[1] = "box.yaml";
  identify.back() = "both.json";
  identify.push_back("--calibrate-frame");
  const auto both = RunProgram(identify, folder.path());
  ASSERT_EQ(both.status, 0) << both.err << both.out;
  EXPECT_NE(both.out.find("tracked frame of box in its body frame"), std::string::npos) << both.out;
  ExpectLaw(folder.File("both.json"), take.world);
}

// A take that does not show the frame is no reason to fit anything.
TEST(Takes, AFrameThatIsNotIdentifiableStopsTheFit) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"identify", testing::SourcePath("examples/box006_toss.yaml"),
                                  testing::SourcePath("examples/recordings/box006/toss_00.csv"), "--calibrate-frame",
                                  "--estimate", "contact.friction"},
                                 folder.path());
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out.find("not identifiable: 1 toss cannot determine the tracked frame of box"), 0u) << result.out;
  EXPECT_NE(result.err.find("identify: the pose of the tracked frame is not fully identifiable"), std::string::npos)
      << result.err;
}

TEST(Takes, MarkersOfOneBoxInC3dToFrictionAndRestitution) {
  // Five markers on the box; their own frame is wherever they are.
  testing::BoxTake take = testing::MakeBoxTake(801);
  const Eigen::Vector3d s = 0.5 * take.world.size;
  const std::vector<Eigen::Vector3d> markers = {{s.x(), 0.3 * s.y(), 0.2 * s.z()},
                                                {-s.x(), 0.5 * s.y(), -0.4 * s.z()},
                                                {0.2 * s.x(), s.y(), 0.6 * s.z()},
                                                {-0.5 * s.x(), -s.y(), 0.1 * s.z()},
                                                {0.4 * s.x(), -0.3 * s.y(), s.z()}};
  testing::C3dSpec spec;
  spec.labels = {"Box:A", "Box:B", "Box:C", "Box:D", "Box:E"};
  spec.points = 5;
  spec.frames = static_cast<int>(take.states.size());
  spec.rate = take.camera.rate;
  Random draws(801);
  for (const testing::BoxState& state : take.states)
    for (const Eigen::Vector3d& marker : markers) {
      std::array<double, 3>& place = spec.places.emplace_back();
      const Eigen::Vector3d p = state.position + state.rotation * marker;
      for (int i = 0; i < 3; ++i) place[static_cast<std::size_t>(i)] = 1e3 * p[i] + 0.3 * draws.Normal();
    }
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("trial.c3d"), std::ios::binary) << testing::C3dBytes(spec).bytes();
  std::ofstream(folder.File("box.yaml")) << testing::BoxSceneText(take.world, 0.3, 0.3);
  const auto imported = RunProgram({"import", "trial.c3d", "-o", "."}, folder.path());
  ASSERT_EQ(imported.status, 0) << imported.err;
  // A take with several tosses is split by the commands themselves.
  const auto calibrated =
      RunProgram({"calibrate-frame", "box.yaml", "trial.csv", "--scene-out", "calibrated.yaml"}, folder.path());
  ASSERT_EQ(calibrated.status, 0) << calibrated.err << calibrated.out;
  const auto identified = RunProgram({"identify", "calibrated.yaml", "trial.csv", "--estimate",
                                      "contact.friction,contact.restitution", "-o", "estimate.json"},
                                     folder.path());
  ASSERT_EQ(identified.status, 0) << identified.err << identified.out;
  EXPECT_NE(identified.out.find("trial.csv: 8 tosses are split"), std::string::npos) << identified.out;
  ExpectLaw(folder.File("estimate.json"), take.world);
}

TEST(Takes, ATakeWithoutTossesIsNotSplit) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("still.tum")) << "0.0 0 0 1 0 0 0 1\n0.01 0 0 1 0 0 0 1\n0.02 0 0 1 0 0 0 1\n";
  const auto result = RunProgram({"import", "still.tum", "--split", "-o", "out"}, folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("complete rows are too few"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace ricochet
