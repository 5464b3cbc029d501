// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

const std::string& SceneFile() {
  static const std::string kFile = testing::SourcePath("examples/box006_toss.yaml");
  return kFile;
}
std::string Toss(int number) {
  return testing::DataPath("truth/box/campaign/toss_0" + std::to_string(number) + ".csv");
}

TEST(ValidateCommand, PrintsTheFieldsOfTheFormat) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"validate", SceneFile(), Toss(0), Toss(1), "--json"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["recordings"].size(), 2u);
  for (const char* field : {"trajectory_position_error", "trajectory_rotation_error", "rest_position_error",
                            "rest_rotation_error", "rest_yaw_error", "trajectory_loss"}) {
    EXPECT_TRUE(json["recordings"][0][field].is_number()) << field;
    for (const char* statistic : {"mean", "std", "median"})
      EXPECT_TRUE(json["summary"][field][statistic].is_number()) << field;
  }
  EXPECT_TRUE(json["recordings"][0]["rest_face_correct"].is_boolean());
}

TEST(IdentifyTosses, ScatterOfFewRecordingsIsRefused) {
  const testing::TemporaryFolder folder;
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--bootstrap", "9"}, {"--profile", "contact.friction"}}) {
    std::vector<std::string> words = {"identify", SceneFile(), Toss(0), Toss(1), "--estimate", "contact.friction"};
    words.insert(words.end(), option.begin(), option.end());
    const auto result = RunProgram(words, folder.path());
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_NE(result.err.find(option[0] + ": it takes the scatter between recordings, at least 5 of them, and 2 can"),
              std::string::npos)
        << result.err;
  }
}

TEST(ValidateCommand, SetsAsideByNameWhatHasNoFlight) {
  const testing::TemporaryFolder folder;
  {
    std::ofstream rest(folder.File("still.csv"));
    rest << "t,x,y,z,qw,qx,qy,qz\n";
    for (int i = 0; i < 30; ++i) rest << i * 0.01 << ",0,0,0.05,1,0,0,0\n";
  }
  const auto mixed = RunProgram({"validate", SceneFile(), Toss(0), "still.csv"}, folder.path());
  EXPECT_EQ(mixed.status, 0) << mixed.err;
  EXPECT_NE(mixed.out.find("set aside: still.csv: no free flight was found in it"), std::string::npos) << mixed.out;
  EXPECT_EQ(RunProgram({"validate", SceneFile(), "still.csv"}, folder.path()).status, 3);
}

TEST(ValidateCommand, WrongInputIsNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(RunProgram({"validate", SceneFile(), "none.csv"}, folder.path()).status, 2);
  EXPECT_EQ(RunProgram({"validate", SceneFile(), Toss(0), "--start", "later"}, folder.path()).status, 2);
  const auto planar =
      RunProgram({"validate", testing::SourcePath("examples/ellipse_throw.yaml"), Toss(0)}, folder.path());
  EXPECT_EQ(planar.status, 2);
  EXPECT_NE(planar.err.find("only tosses in space"), std::string::npos) << planar.err;
}

std::string TextOf(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> SweepTo(const std::string& output, int frictions = 21) {
  return {"sweep",  SceneFile(),
          Toss(0),  Toss(1),
          "--grid", "contact.friction=0:1:" + std::to_string(frictions),
          "--grid", "contact.restitution=0:1:21",
          "-o",     output};
}

/// Runs the program on `ranks` ranks of this machine; empty when mpirun is missing or the program knows no MPI.
std::optional<int> RunOnRanks(int ranks, const std::vector<std::string>& arguments,
                              const testing::TemporaryFolder& folder, const std::string& before = "") {
  const std::string program = testing::ProgramPath();
  if (std::system("command -v mpirun >/dev/null") != 0) return {};                      // NOLINT(cert-env33-c)
  if (std::system(("ldd '" + program + "' | grep -q libmpi").c_str()) != 0) return {};  // NOLINT(cert-env33-c)
  std::string command = "cd '" + folder.path().string() + "' && " + before + " mpirun -n " + std::to_string(ranks) +
                        " --oversubscribe --allow-run-as-root '" + program + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  return std::system((command + " >out 2>err").c_str());  // NOLINT(cert-env33-c)
}

TEST(SweepCommand, SharesTheWorkAmongRanks) {
  const testing::TemporaryFolder folder;
  ASSERT_EQ(RunProgram(SweepTo("alone.csv"), folder.path()).status, 0);
  for (const int ranks : {2, 4}) {
    const auto ended = RunOnRanks(ranks, SweepTo("shared.csv"), folder);
    if (!ended) GTEST_SKIP() << "skipped: no mpirun, or built without MPI";
    ASSERT_EQ(*ended, 0) << TextOf(folder.File("err"));
    EXPECT_EQ(TextOf(folder.File("shared.csv")), TextOf(folder.File("alone.csv")));
    const std::string out = TextOf(folder.File("out"));
    EXPECT_EQ(out.find("441 cells"), out.rfind("441 cells")) << "told once: " << out;
  }
  // What is wrong for all is told once.
  std::vector<std::string> wrong = SweepTo("wrong.csv");
  wrong[2] = "missing.csv";
  EXPECT_NE(*RunOnRanks(2, wrong, folder), 0);
  const std::string err = TextOf(folder.File("err"));
  EXPECT_NE(err.find("missing.csv"), std::string::npos) << err;
  EXPECT_EQ(err.find("missing.csv"), err.rfind("missing.csv")) << err;
}

/// All ranks killed, or one alone, which takes the others with it, as soon as something is stored: a
/// run with any number of ranks goes on from there.
TEST(SweepCommand, GoesOnWhereRanksWereKilled) {
  constexpr int kFrictions = 201;
  const testing::TemporaryFolder folder;
  ASSERT_EQ(RunProgram(SweepTo("alone.csv", kFrictions), folder.path()).status, 0);
  const std::string wait = "{ (while [ ! -s resumed.csv.part ]; do sleep 0.02; done; sleep 0.1; kill -KILL $(";
  const std::string ranks =
      "grep -lx ricochet /proc/[0-9]*/comm | sed s/comm/cmdline/ | xargs grep -ls resumed.csv | sort -V";
  const std::string numbers = " | cut -d/ -f3)) & }; ";
  for (const std::string& how : {wait + ranks + numbers, wait + ranks + " | tail -n 1" + numbers}) {
    std::filesystem::remove(folder.File("resumed.csv"));
    const auto killed = RunOnRanks(3, SweepTo("resumed.csv", kFrictions), folder, how);
    if (!killed) GTEST_SKIP() << "skipped: no mpirun, or built without MPI";
    EXPECT_NE(*killed, 0) << how;
    EXPECT_TRUE(std::filesystem::exists(folder.File("resumed.csv.part"))) << how;
    EXPECT_FALSE(std::filesystem::exists(folder.File("resumed.csv"))) << how;
    int status = 2;  // while ranks that lost their mpirun still hold the store
    for (int attempt = 0; attempt < 100 && status == 2; ++attempt) {
      status = RunProgram(SweepTo("resumed.csv", kFrictions), folder.path()).status;
      if (status == 2) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    ASSERT_EQ(status, 0) << how;
    EXPECT_EQ(TextOf(folder.File("resumed.csv")), TextOf(folder.File("alone.csv"))) << how;
  }
}

TEST(SweepCommand, GoesOnWhereItWasKilled) {
  const testing::TemporaryFolder folder;
  const auto whole = RunProgram(SweepTo("whole.csv"), folder.path());
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_NE(whole.out.find("441 cells, 2 recordings given, 2 used"), std::string::npos) << whole.out;

  std::string command =
      "cd '" + folder.path().string() + "' && timeout -s KILL SECONDS '" + testing::ProgramPath() + "'";
  for (const std::string& argument : SweepTo("killed.csv")) command += " '" + argument + "'";
  command += " >/dev/null 2>&1";
  for (const char* seconds : {"0.05", "0.1", "0.15", "0.2"}) {
    std::string run = command;
    run.replace(run.find("SECONDS"), 7, seconds);
    std::system(run.c_str());  // NOLINT(cert-env33-c): killed or not, the next run must go on from there
  }
  const auto resumed = RunProgram(SweepTo("killed.csv"), folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_EQ(TextOf(folder.File("killed.csv")), TextOf(folder.File("whole.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder.File("killed.csv.part")));
}

TEST(SweepCommand, RefusesAForeignPartFileAndKeepsIt) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("other.csv.part")) << "not ours";
  EXPECT_EQ(RunProgram(SweepTo("other.csv"), folder.path()).status, 2);
  EXPECT_EQ(TextOf(folder.File("other.csv.part")), "not ours");
  EXPECT_FALSE(std::filesystem::exists(folder.File("other.csv")));
}

TEST(ValidateCommand, FoldsVariantsAndSensitivity) {
  const testing::TemporaryFolder folder;
  const auto folds = RunProgram(
      {"validate", SceneFile(), Toss(0), Toss(1), Toss(2), Toss(3), Toss(4), Toss(5), "--folds", "2", "--estimate",
       "contact.friction", "--variant", "contact.restitution=0", "--vary", "contact.friction=+-0.05:3", "--json"},
      folder.path());
  ASSERT_EQ(folds.status, 0) << folds.err;
  const auto json = nlohmann::json::parse(folds.out);
  ASSERT_EQ(json["models"].size(), 3u);
  EXPECT_EQ(json["models"][1]["name"], "contact.restitution=0");
  ASSERT_EQ(json["models"][2]["folds"].size(), 2u);
  for (const auto& fold : json["models"][2]["folds"])
    EXPECT_NEAR(fold["values"]["contact.friction"].get<double>(), 0.40, 0.01);
  const auto& rows = json["sensitivity"]["contact.friction"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_GT(rows[0]["rest_position_error"]["mean"].get<double>(),
            10 * rows[1]["rest_position_error"]["mean"].get<double>());
  EXPECT_EQ(
      RunProgram({"validate", SceneFile(), Toss(0), "--folds", "2", "--estimate", "contact.friction"}, folder.path())
          .status,
      2);
  EXPECT_EQ(RunProgram({"validate", SceneFile(), Toss(0), "--vary", "contact.friction=0.05"}, folder.path()).status, 2);
}

TEST(ValidateCommand, AveragesRollOutsOverTheStart) {
  const testing::TemporaryFolder folder;
  const auto mean_of = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"validate", SceneFile(), Toss(0), Toss(1), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto run = RunProgram(words, folder.path());
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out)["summary"]["trajectory_position_error"]["mean"].get<double>();
  };
  const double one = mean_of({}), many = mean_of({"--average", "10"});
  EXPECT_NE(many, one);
  EXPECT_LT(many, 5e-3);
  EXPECT_EQ(many, mean_of({"--average", "10"}));
  EXPECT_NE(many, mean_of({"--average", "10", "--seed", "1"}));
  EXPECT_EQ(RunProgram({"validate", SceneFile(), Toss(0), "--average", "-1"}, folder.path()).status, 2);
}

TEST(PredictCommand, TellsRegionAndFaces) {
  const testing::TemporaryFolder folder;
  const auto result =
      RunProgram({"predict", SceneFile(), Toss(0), Toss(1), "--samples", "20", "--json"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["tosses"].size(), 2u);
  EXPECT_GT(json["tosses"][0]["faces"]["+z"].get<double>(), 0.9);
  EXPECT_GT(json["tosses"][0]["region"]["semi_axes"][0].get<double>(), 0);
  EXPECT_EQ(RunProgram({"predict", SceneFile(), "none.csv"}, folder.path()).status, 2);
}

}  // namespace
}  // namespace ricochet
