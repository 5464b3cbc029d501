// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `ricochet report`, and what damaged files get for an answer: one message, status 2, no page.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

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

TEST_F(ReportCommand, ShowsValidationsAndSweeps) {
  const std::string scene = SourcePath("examples/box006_toss.yaml");
  std::vector<std::string> tosses;
  for (int i = 0; i < 3; ++i)
    tosses.push_back(testing::DataPath("truth/box/campaign/toss_0" + std::to_string(i) + ".csv"));
  std::vector<std::string> words = {"validate", scene};
  words.insert(words.end(), tosses.begin(), tosses.end());
  words.insert(words.end(), {"-o", "validation.json", "--report", "validate.html"});
  const auto validated = RunProgram(words, folder_.path());
  ASSERT_EQ(validated.status, 0) << validated.err;
  EXPECT_NE(Read("validate.html").find("rest_position_error"), std::string::npos);
  EXPECT_NE(Read("validate.html").find("\"predicted\""), std::string::npos);

  const auto swept = RunProgram({"sweep", scene, tosses[0], "--grid", "contact.friction=0.2:0.6:3", "--grid",
                                 "contact.restitution=0.1:0.4:2", "-o", "map.csv", "--report", "sweep.html"},
                                folder_.path());
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_NE(Read("sweep.html").find("contact.restitution"), std::string::npos);

  for (const char* file : {"validation.json", "map.csv"}) {
    const auto shown = Report({file, "--scene", scene});
    EXPECT_EQ(shown.status, 0) << file << ": " << shown.err;
    EXPECT_NE(Read("page.html").find("cost_maps"), std::string::npos);
  }
}

TEST_F(ReportCommand, EstimateCarriesTheOptimizersWay) {
  const auto result = RunProgram(
      {"identify", SourcePath("examples/plywood_blind.yaml"), SourcePath("examples/recordings/plywood_240fps.csv"),
       "--estimate", "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution", "-o",
       "estimate.json", "--report", "identify.html"},
      folder_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(Read("estimate.json"));
  ASSERT_FALSE(json["trace"].empty());
  const auto& last = json["trace"].back();
  EXPECT_EQ(last["stage"], "all rows");
  EXPECT_EQ(last["cost"].size(), last["step"].size());
  for (std::size_t i = 1; i < last["cost"].size(); ++i) EXPECT_LT(last["cost"][i], last["cost"][i - 1]);
  // The noise is estimated once more after the last step.
  EXPECT_NEAR(last["cost"].back().get<double>() / json["cost"].get<double>(), 1, 1e-2);
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
