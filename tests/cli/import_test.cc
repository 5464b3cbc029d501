// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `import` and `doctor` as a user types them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/recording.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

void Write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

TEST(ImportCommand, TumBecomesARecordingOfItsName) {
  const testing::TemporaryFolder folder;
  Write(folder.File("fall.tum"),
        "# t x y z qx qy qz qw\n0.0 0 0 1 0 0 0 1\n0.01 0.01 0 0.999 0 0 0 1\n0.02 0.02 0 0.998 0 0 0 1\n");
  const auto result = RunProgram({"import", "tum", "fall.tum", "-o", "out"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const Recording recording = ReadRecording(folder.File("out/fall.csv"));
  ASSERT_EQ(recording.rows(), 3);
  EXPECT_NEAR(recording.values[static_cast<std::size_t>(recording.Find("z"))][2], 0.998, 1e-12);
  EXPECT_NEAR(recording.values[static_cast<std::size_t>(recording.Find("qw"))][0], 1, 1e-12);
}

TEST(ImportCommand, TrcMarkersBecomeABody) {
  const testing::TemporaryFolder folder;
  std::string text =
      "PathFileType\t4\t(X/Y/Z)\tbox.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n100\t100\t3\t3\tmm\n"
      "Frame#\tTime\tA\t\t\tB\t\t\tC\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\n\n";
  for (int i = 0; i < 3; ++i)
    text += std::to_string(i + 1) + "\t0.0" + std::to_string(i) + "\t" + std::to_string(10 * i) + "\t100\t0\t" +
            std::to_string(10 * i + 100) + "\t100\t0\t" + std::to_string(10 * i) + "\t100\t50\n";
  Write(folder.File("box.trc"), text);
  const auto result = RunProgram({"import", "trc", "box.trc", "-o", "out"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const Recording recording = ReadRecording(folder.File("out/box.csv"));
  ASSERT_EQ(recording.rows(), 3);
  const int x = recording.Find("x") >= 0 ? recording.Find("x") : 0;
  EXPECT_NEAR(recording.values[static_cast<std::size_t>(x)][2] - recording.values[static_cast<std::size_t>(x)][0], 0.02,
              1e-9);
}

TEST(ImportCommand, RecognizesFilesAndPrintsASummary) {
  const testing::TemporaryFolder folder;
  Write(folder.File("fall.txt"), "0.0 0 0 1 0 0 0 1\n0.01 0.01 0 0.999 0 0 0 1\n0.02 0.02 0 0.998 0 0 0 1\n");
  Write(folder.File("hand.csv"), "TRAJECTORIES\n100,Hz\n,A,,\nField #,X,Y,Z\n1,1,2,3\n2,1,2,4\n");
  Write(folder.File("arm.urdf"),
        "<robot name='arm'><link name='base'/><link name='rod'><inertial><mass value='0.2'/><inertia ixx='1e-3' "
        "iyy='1e-3' izz='1e-4'/></inertial></link><joint name='hinge' type='continuous'><parent link='base'/><child "
        "link='rod'/></joint></robot>");
  const auto result = RunProgram({"import", "fall.txt", "hand.csv", "arm.urdf", "-o", "out"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "fall.txt: TUM trajectory, 3 frames at 100 Hz (0.02 s), body body, unit m, z up\n  wrote out/fall.csv\n"
            "hand.csv: Vicon CSV, 2 frames at 100 Hz (0.01 s), point A, unit mm, z up\n  wrote out/hand.csv\n"
            "arm.urdf: URDF, 1 body, 1 joint\n  wrote out/arm.yaml\n");
  const auto json = RunProgram({"import", "hand.csv", "-o", "out", "--json"}, folder.path());
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out)[0]["points"], nlohmann::json::array({"A"}));
  const auto missing = RunProgram({"import", "hand.csv"}, folder.path());
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "`--output` is missing. Name a folder with -o, or add --dry-run.\n");
}

TEST(ImportCommand, TablesWithStatedColumnsAndADryRun) {
  const testing::TemporaryFolder folder;
  Write(folder.File("track.csv"), "frame;px;py\n0;100;50\n1;110;40,5\n");
  const std::string columns = "t=frame/240,x=px*0.9mm,y=-py*0.9mm";
  const auto dry = RunProgram({"import", "track.csv", "--columns", columns, "--dry-run"}, folder.path());
  ASSERT_EQ(dry.status, 0) << dry.err;
  EXPECT_NE(dry.out.find("t,x,y\n0,0.09000000000000001,-0.045"), std::string::npos) << dry.out;
  EXPECT_FALSE(std::filesystem::exists(folder.File("out")));
  ASSERT_EQ(RunProgram({"import", "csv", "track.csv", "--columns", columns, "-o", "out"}, folder.path()).status, 0);
  const Recording recording = ReadRecording(folder.File("out/track.csv"));
  EXPECT_EQ(recording.columns, (std::vector<std::string>{"x", "y"}));
  EXPECT_NEAR(recording.time[1], 1 / 240.0, 1e-15);
  EXPECT_NEAR(recording.values[1][1], -0.03645, 1e-15);
}

TEST(ImportCommand, WrongInputIsNamed) {
  const testing::TemporaryFolder folder;
  Write(folder.File("bad.tum"), "0.0 0 0 1 0 0 0 2\n");
  const auto bad = RunProgram({"import", "tum", "bad.tum", "-o", "out"}, folder.path());
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("the quaternion has length 2, not 1"), std::string::npos) << bad.err;
  EXPECT_FALSE(std::filesystem::exists(folder.File("out/bad.csv")));
  EXPECT_EQ(RunProgram({"import", "tum", "none.tum", "-o", "out"}, folder.path()).status, 2);
  EXPECT_EQ(RunProgram({"import", "nothing", "bad.tum"}, folder.path()).status, 2);
}

TEST(DoctorCommand, ReportsGravityAndNoiseOfTosses) {
  const testing::TemporaryFolder folder;
  std::vector<std::string> words = {"doctor"};
  for (int i = 0; i < 6; ++i)
    words.push_back(testing::DataPath("truth/box/campaign/toss_0" + std::to_string(i) + ".csv"));
  for (const char* word : {"--scene", "", "--json"}) words.emplace_back(word);
  words[words.size() - 2] = testing::SourcePath("examples/box006_toss.yaml");
  const auto result = RunProgram(words, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_FALSE(json.empty());
  words.pop_back();
  const auto text = RunProgram(words, folder.path());
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("gravity"), std::string::npos) << text.out;
  EXPECT_EQ(RunProgram({"doctor", "none.csv"}, folder.path()).status, 2);
}

}  // namespace
}  // namespace ricochet
