// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Long work: shared among ranks, killed and taken up again.
#include <gtest/gtest.h>
#include <sys/wait.h>

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

std::string TextOf(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> SweepTo(const std::string& output, int frictions = 21) {
  return {"sweep",
          testing::SourcePath("examples/box006_toss.yaml"),
          testing::DataPath("truth/box/campaign/toss_00.csv"),
          testing::DataPath("truth/box/campaign/toss_01.csv"),
          "--grid",
          "contact.friction=0:1:" + std::to_string(frictions),
          "--grid",
          "contact.restitution=0:1:21",
          "-o",
          output};
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
    EXPECT_EQ(out.find("441 cells"), out.rfind("441 cells")) << "reported once: " << out;
  }
  // An error of all ranks is reported once.
  std::vector<std::string> wrong = SweepTo("wrong.csv");
  wrong[2] = "missing.csv";
  EXPECT_NE(*RunOnRanks(2, wrong, folder), 0);
  const std::string err = TextOf(folder.File("err"));
  EXPECT_NE(err.find("missing.csv"), std::string::npos) << err;
  EXPECT_EQ(err.find("missing.csv"), err.rfind("missing.csv")) << err;
}

TEST(BootstrapCommand, RanksShareTheRepetitions) {
  const testing::TemporaryFolder folder;
  const auto identify = [](const std::string& output) {
    return std::vector<std::string>{"identify",
                                    testing::SourcePath("examples/plywood_ellipse.yaml"),
                                    testing::DataPath("truth/plywood/1mrad/mu0.2_240fps_0.csv"),
                                    "--estimate",
                                    "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction",
                                    "--bootstrap",
                                    "12",
                                    "-o",
                                    output};
  };
  const auto estimate = [&](const std::string& file) {
    nlohmann::json json = nlohmann::json::parse(TextOf(folder.File(file)));
    json.erase("seconds");
    return json;
  };
  ASSERT_EQ(RunProgram(identify("alone.json"), folder.path()).status, 0);
  const auto ended = RunOnRanks(3, identify("shared.json"), folder);
  if (!ended) GTEST_SKIP() << "skipped: no mpirun, or built without MPI";
  ASSERT_EQ(*ended, 0) << TextOf(folder.File("err"));
  EXPECT_EQ(estimate("shared.json"), estimate("alone.json"));
  EXPECT_FALSE(std::filesystem::exists(folder.File("shared.json.part")));
  const std::string out = TextOf(folder.File("out"));
  EXPECT_EQ(out.find("converged"), out.rfind("converged")) << "reported once: " << out;
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

TEST(SweepCommand, LeavesNothingBesideADevice) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full here";
  const testing::TemporaryFolder folder;
  const auto run = RunProgram(SweepTo("/dev/full", 3), folder.path());
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("/dev/full: cannot be written: No space left on device."), std::string::npos) << run.err;
  EXPECT_FALSE(std::filesystem::exists("/dev/full.part"));
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

TEST(SweepCommand, CtrlCEndsItWith130AndItResumes) {
  const testing::TemporaryFolder folder;
  ASSERT_EQ(RunProgram(SweepTo("whole.csv", 401), folder.path()).status, 0);
  std::string command = "cd '" + folder.path().string() + "' || exit 1; '" + testing::ProgramPath() + "'";
  for (const std::string& argument : SweepTo("map.csv", 401)) command += " '" + argument + "'";
  // Some cells are finished half a second after the file appears, and not all. A shell in the background ignores SIGINT
  // for its children; SIGTERM asks in the same way.
  command +=
      " >out 2>err & program=$!; while kill -0 $program && [ ! -s map.csv.part ]; do sleep 0.02; done; "
      "sleep 0.5; kill -TERM $program; wait $program";
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c)
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130) << TextOf(folder.File("err"));
  EXPECT_NE(TextOf(folder.File("err")).find("map.csv.part keeps what is finished, and the same command resumes"),
            std::string::npos)
      << TextOf(folder.File("err"));
  const auto resumed = RunProgram(SweepTo("map.csv", 401), folder.path());
  ASSERT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("resumed from an earlier run"), std::string::npos) << resumed.out;
  EXPECT_EQ(TextOf(folder.File("map.csv")), TextOf(folder.File("whole.csv")));
}

TEST(SweepCommand, RefusesAForeignPartFileAndKeepsIt) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("other.csv.part")) << "not ours";
  EXPECT_EQ(RunProgram(SweepTo("other.csv"), folder.path()).status, 2);
  EXPECT_EQ(TextOf(folder.File("other.csv.part")), "not ours");
  EXPECT_FALSE(std::filesystem::exists(folder.File("other.csv")));
}

TEST(ThreadsOption, DoesNotChangeWhatIsPrinted) {
  const testing::TemporaryFolder folder;
  const auto validate = [&](const std::string& threads) {
    std::vector<std::string> arguments = {"validate", testing::SourcePath("examples/box006_toss.yaml")};
    for (const char* toss : {"00", "01", "02", "03", "04"})
      arguments.push_back(testing::DataPath(std::string("truth/box/campaign/toss_") + toss + ".csv"));
    arguments.insert(arguments.end(), {"--json", "--threads", threads});
    return RunProgram(arguments, folder.path());
  };
  const auto one = validate("1");
  ASSERT_EQ(one.status, 0) << one.err;
  for (const char* threads : {"2", "3", "7"}) EXPECT_EQ(validate(threads).out, one.out) << threads;
  for (const char* wrong : {"-1", "1e9", "many"}) {
    const auto ended = validate(wrong);
    EXPECT_EQ(ended.status, 2) << wrong;
    EXPECT_NE(ended.err.find("--threads: `" + std::string(wrong) + "` is not a whole number from 0 to 1024"),
              std::string::npos)
        << ended.err;
  }
}

/// Recordings that cannot be read, and those that have nothing to compare, are reported before anything is written: the
/// corrected ones would be other inputs.
TEST(SweepCommand, BadRecordingsLeaveNothingBehind) {
  const testing::TemporaryFolder folder;
  std::ofstream planar(folder.File("planar.csv")), still(folder.File("still.csv"));
  planar << "t,x,y,theta\n";
  still << "t,x,y,z,qw,qx,qy,qz\n";
  for (int i = 0; i < 30; ++i) {
    planar << 0.01 * i << ",0,1,0\n";
    still << 0.01 * i << ",0,0,0.05,1,0,0,0\n";
  }
  planar.close();
  still.close();
  std::ofstream(folder.File("broken.csv")) << "t,x,y,z,qw,qx,qy,qz\n0,0,0,x,1,0,0,0\n";
  for (const auto& [name, message] :
       {std::pair{"planar.csv", "the recording is planar"}, std::pair{"broken.csv", "broken.csv:2"},
        std::pair{"still.csv", "none of the recordings can be used"}}) {
    std::vector<std::string> arguments = SweepTo("map.csv");
    arguments[2] = arguments[3] = folder.File(name);
    const auto ended = RunProgram(arguments, folder.path());
    EXPECT_EQ(ended.status, 2) << name;
    EXPECT_NE(ended.err.find(message), std::string::npos) << ended.err;
    EXPECT_FALSE(std::filesystem::exists(folder.File("map.csv"))) << name;
    EXPECT_FALSE(std::filesystem::exists(folder.File("map.csv.part"))) << name;
  }
}

}  // namespace
}  // namespace ricochet
