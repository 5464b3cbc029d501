// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `ricochet report`, and what damaged files get for an answer: one message, status 2, no page.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;

class ReportCommand : public ::testing::Test {
 protected:
  auto Report(std::vector<std::string> words) {
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"-o", "page.html"});
    return RunProgram(words, folder_.path());
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(folder_.File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Write(const std::string& name, const std::string& text, const char* more = "") const {
    std::ofstream(folder_.File(name)) << text << more;
  }
  testing::TemporaryFolder folder_;
  static std::string SceneFile() { return SourcePath("examples/ellipse_throw.yaml"); }
};

TEST_F(ReportCommand, ShowsWhatSimulateWrote) {
  ASSERT_EQ(RunProgram({"simulate", SceneFile(), "-o", "run.csv", "--contacts", "contacts.csv"}, folder_.path()).status,
            0);
  const auto result = Report({"run.csv", "contacts.csv", "--scene", SceneFile()});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string page = Read("page.html");
  EXPECT_NE(page.find("ricochet-json"), std::string::npos);
  EXPECT_NE(page.find("run.csv"), std::string::npos);
  EXPECT_EQ(page.find("<!--ricochet-data-->"), std::string::npos);
}

TEST_F(ReportCommand, DamagedFilesGetOneMessage) {
  ASSERT_EQ(RunProgram({"simulate", SceneFile(), "-o", "run.csv", "--contacts", "contacts.csv"}, folder_.path()).status,
            0);
  const std::string run = Read("run.csv"), contacts = Read("contacts.csv");
  Write("cut.json", "{\"parameters\": [{\"path\"");
  Write("kind.json", "{\"hello\": 1}");
  Write("types.json", "{\"parameters\": 7}");
  Write("grid.json",
        "{\"evaluation\": \"sweep\", \"cost_maps\": [{\"axes\": [{\"path\": \"a\", \"values\": [1, 2]}], \"cost\": "
        "[1]}]}");
  Write("empty.csv", "");
  Write("cell.csv", run.substr(0, run.find('\n') + 1), "0,abc\n");
  Write("mode.csv", contacts.substr(0, contacts.find('\n') + 1), "0,ellipse/table,0,0,1,0,0,0,hover\n");
  Write("short.csv", contacts.substr(0, contacts.find('\n') + 1), "0,ellipse\n");
  Write("gone.json", "{\"parameters\": [], \"inputs\": [{\"name\": \"gone.yaml\", \"sha256\": \"\"}]}");
  for (const std::string file : {"cut.json", "kind.json", "types.json", "grid.json", "empty.csv", "cell.csv",
                                 "mode.csv", "short.csv", "gone.json", "nowhere.csv"}) {
    const std::vector<std::string> words =
        file == "gone.json" ? std::vector<std::string>{file} : std::vector<std::string>{file, "--scene", SceneFile()};
    const auto result = Report(words);
    EXPECT_EQ(result.status, 2) << file << ": " << result.err;
    EXPECT_NE(result.err.find(file), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_.File("page.html"))) << file;
  }
  const auto without = Report({"run.csv"});
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("--scene"), std::string::npos) << without.err;
  EXPECT_EQ(RunProgram({"report", "run.csv", "--scene", SceneFile(), "-o", "run.csv"}, folder_.path()).status, 2);
}

}  // namespace
}  // namespace ricochet
