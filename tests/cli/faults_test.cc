// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Every call by which the program writes a file fails in turn, and allocations fail at places spread over the run
// (tests/faults/fault_shim.cc). Outputs are then whole or absent, the message names the file and the cause, the exit
// status is 2 or 3, nothing is left beside the outputs, and what can be resumed resumes to the same bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::ProgramEnvironment;
using testing::ProgramResult;
using testing::RunProgram;
using testing::TemporaryFolder;

constexpr int kAllocations = 40;  // that fail in turn, of each command

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Command {
  friend std::ostream& operator<<(std::ostream& out, const Command& command) { return out << command.name; }

  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> outputs;
};

std::vector<Command> Commands() {
  const auto example = [](const std::string& name) { return testing::SourcePath("examples/" + name); };
  const std::string toss = testing::DataPath("truth/box/campaign/toss_00.csv");
  return {
      {"simulate",
       {"simulate", example("ellipse_throw.yaml"), "-o", "run.csv", "--contacts", "contacts.csv", "--report", "run.html"},
       {"run.csv", "contacts.csv", "run.html"}},
      {"identify",
       {"identify", example("plywood_blind.yaml"), example("recordings/plywood_240fps.csv"), "--method", "regression",
        "--estimate", "bodies.ellipse.inertia / bodies.ellipse.mass", "-o", "estimate.json", "--scene-out",
        "calibrated.yaml", "--report", "fit.html"},
       {"estimate.json", "calibrated.yaml", "fit.html"}},
      {"validate", {"validate", example("box006_toss.yaml"), toss, "-o", "scores.json"}, {"scores.json"}},
      {"sweep",
       {"sweep", example("box006_toss.yaml"), toss, "--grid", "contact.friction=0:1:6", "--grid",
        "contact.restitution=0:1:5", "-o", "map.csv"},
       {"map.csv"}},
      {"import", {"import", toss, "-o", "imported"}, {}},
  };
}

/// A file without what differs between two runs: the time they took.
std::string Comparable(const std::filesystem::path& file) {
  const std::string text = TextOf(file);
  if (file.extension() == ".json") {
    auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) return "damaged: " + text;
    json.erase("seconds");
    return json.dump();
  }
  if (file.extension() == ".html") return text.ends_with("</html>\n") ? "whole page" : "damaged page";
  return text;
}

std::map<std::string, std::string> FilesIn(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder))
    if (each.is_regular_file()) files[std::filesystem::relative(each.path(), folder).string()] = Comparable(each.path());
  return files;
}

ProgramResult RunWithFault(const std::vector<std::string>& arguments, ProgramEnvironment fault,
                           const TemporaryFolder& folder) {
  fault.emplace_back("LD_PRELOAD", testing::FaultShimPath());
  return RunProgram(arguments, folder.path(), {}, fault);
}

/// How often a run without faults makes the call.
int CallsOf(const std::vector<std::string>& arguments, const std::string& call) {
  const TemporaryFolder folder, counts;
  const ProgramResult result = RunWithFault(
      arguments, {{"RICOCHET_FAULT_CALL", call}, {"RICOCHET_FAULT_COUNT", counts.File("count")}}, folder);
  EXPECT_EQ(result.status, 0) << result.err;
  return std::stoi("0" + TextOf(counts.File("count")));
}

class Faults : public ::testing::TestWithParam<Command> {
 protected:
  void SetUp() override {
    if (!*testing::FaultShimPath()) GTEST_SKIP() << "skipped: calls of the system can be made to fail on Linux only";
    const TemporaryFolder folder;
    const ProgramResult result = RunProgram(GetParam().arguments, folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    whole_ = FilesIn(folder.path());
    ASSERT_GE(whole_.size(), std::max<std::size_t>(GetParam().outputs.size(), 1));
  }

  static int CountOf(const std::string& call) { return CallsOf(GetParam().arguments, call); }

  /// Runs with a fault into an empty folder and judges what is left. The status is returned.
  int Check(const ProgramEnvironment& fault, bool of_files) {
    const TemporaryFolder folder;
    const ProgramResult result = RunWithFault(GetParam().arguments, fault, folder);
    std::string where;
    for (const auto& [name, value] : fault) where += value + " ";
    EXPECT_TRUE(result.status == 0 || result.status == 2 || result.status == 3) << where << result.status << result.err;
    for (const auto& [name, content] : FilesIn(folder.path())) {
      if (name.ends_with(".part")) continue;  // finished chunks of a sweep, which the next run takes up
      const auto known = whole_.find(name);
      if (known == whole_.end())
        ADD_FAILURE() << where << "left " << name;
      else
        EXPECT_EQ(content, known->second) << where << name;
    }
    if (result.status == 0) {
      EXPECT_EQ(FilesIn(folder.path()), whole_) << where;
    } else {
      EXPECT_NE(result.err, "") << where;
      for (const char* internal : {"bad_alloc", "std::", "Success", "terminate", "json.exception"})
        EXPECT_EQ(result.err.find(internal), std::string::npos) << where << result.err;
      if (of_files) {
        bool named = false;
        for (const auto& [name, content] : whole_)
          named = named || result.err.find(name) != std::string::npos ||
                  result.err.starts_with(std::filesystem::path(name).parent_path().string());
        EXPECT_TRUE(named) << where << result.err;
      }
    }
    return result.status;
  }

  std::map<std::string, std::string> whole_;  // files of a run without faults
};

TEST_P(Faults, EveryCallOnFilesFailsInTurn) {
  int failed = 0, calls = 0;
  for (const char* call : {"open", "write", "pwrite", "ftruncate", "fsync", "linkat", "rename", "close", "mkdir"}) {
    const int count = CountOf(call);
    for (int at = 1; at <= count; ++at) {
      ++calls;
      const ProgramEnvironment fault = {{"RICOCHET_FAULT_CALL", call}, {"RICOCHET_FAULT_AT", std::to_string(at)}};
      failed += Check(fault, true) != 0 ? 1 : 0;
      ProgramEnvironment disk = fault;
      disk.emplace_back(std::string(call).ends_with("write") ? "RICOCHET_FAULT_SHORT" : "RICOCHET_FAULT_LASTS", "1");
      Check(disk, true);
    }
  }
  EXPECT_GE(calls, 5);
  EXPECT_GE(failed, calls / 3);  // most of these calls cannot be done without
}

TEST_P(Faults, AllocationsFail) {
  const int count = CountOf("allocate");
  ASSERT_GT(count, 1000);
  int failed = 0;
  for (int i = 0; i < kAllocations; ++i) {
    const int at = 1 + static_cast<int>(static_cast<double>(count) * (i + 0.5) / kAllocations);
    failed += Check({{"RICOCHET_FAULT_CALL", "allocate"}, {"RICOCHET_FAULT_AT", std::to_string(at)}}, false) != 0;
  }
  EXPECT_GE(failed, kAllocations / 2);
  // Memory that is gone for good.
  for (const int at : {1, count / 3, count / 2, count - 5})
    Check({{"RICOCHET_FAULT_CALL", "allocate"}, {"RICOCHET_FAULT_AT", std::to_string(at)}, {"RICOCHET_FAULT_LASTS", "1"}},
          false);
}

INSTANTIATE_TEST_SUITE_P(Commands, Faults, ::testing::ValuesIn(Commands()),
                         [](const auto& command) { return command.param.name; });

TEST(FaultsOfSweeps, ResumeToTheSameMap) {
  if (!*testing::FaultShimPath()) GTEST_SKIP() << "skipped: calls of the system can be made to fail on Linux only";
  const std::vector<std::string> sweep = {"sweep",
                                          testing::SourcePath("examples/box006_toss.yaml"),
                                          testing::DataPath("truth/box/campaign/toss_00.csv"),
                                          "--grid",
                                          "contact.friction=0:1:21",
                                          "--grid",
                                          "contact.restitution=0:1:21",
                                          "-o",
                                          "map.csv"};
  const TemporaryFolder alone;
  ASSERT_EQ(RunProgram(sweep, alone.path()).status, 0);
  const int count = CallsOf(sweep, "pwrite");
  ASSERT_GT(count, 4);
  for (const int at : {1, 2, count / 2, count}) {
    const TemporaryFolder folder;
    const ProgramResult broken = RunWithFault(sweep,
                                              {{"RICOCHET_FAULT_CALL", "pwrite"},
                                               {"RICOCHET_FAULT_SHORT", "1"},
                                               {"RICOCHET_FAULT_AT", std::to_string(at)}},
                                              folder);
    EXPECT_EQ(broken.status, 2) << at << broken.err;
    EXPECT_NE(broken.err.find("No space left on device"), std::string::npos) << broken.err;
    EXPECT_FALSE(std::filesystem::exists(folder.File("map.csv")));
    const ProgramResult resumed = RunProgram(sweep, folder.path());
    EXPECT_EQ(resumed.status, 0) << at << resumed.err;
    EXPECT_EQ(TextOf(folder.File("map.csv")), TextOf(alone.File("map.csv"))) << at;
  }
}

}  // namespace
}  // namespace ricochet
