// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/recording.h"
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

// What an estimate says does not depend on the order of the request.
TEST(ValidateCommand, AppliesARatioAndItsDenominatorInEitherOrder) {
  const testing::TemporaryFolder folder;
  const nlohmann::json ratio = {{"path", "bodies.box.inertia[0]/bodies.box.mass"}, {"value", 3.2e-3}};
  const nlohmann::json mass = {{"path", "bodies.box.mass"}, {"value", 0.5}};
  std::vector<std::string> errors;
  for (const auto& parameters : {nlohmann::json{ratio, mass}, nlohmann::json{mass, ratio}}) {
    std::ofstream(folder.File("estimate.json")) << nlohmann::json{{"parameters", parameters}};
    const auto result =
        RunProgram({"validate", SceneFile(), Toss(0), "--with", "estimate.json", "--json"}, folder.path());
    ASSERT_EQ(result.status, 0) << result.err;
    errors.push_back(nlohmann::json::parse(result.out)["recordings"][0].dump());
  }
  EXPECT_EQ(errors[0], errors[1]);
  const auto expected = RunProgram({"validate", SceneFile(), Toss(0), "--set", "bodies.box.mass=0.5", "--set",
                                    "bodies.box.inertia[0]=1.6e-3", "--json"},
                                   folder.path());
  EXPECT_EQ(errors[0], nlohmann::json::parse(expected.out)["recordings"][0].dump());
}

TEST(IdentifyTosses, ScatterOfFewRecordingsIsRefused) {
  const testing::TemporaryFolder folder;
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--bootstrap", "9"}, {"--profile", "contact.friction"}}) {
    std::vector<std::string> words = {"identify", SceneFile(), Toss(0), Toss(1), "--estimate", "contact.friction"};
    words.insert(words.end(), option.begin(), option.end());
    const auto result = RunProgram(words, folder.path());
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_NE(result.err.find(option[0] + ": it needs the scatter between at least 5 recordings, and 2 can"),
              std::string::npos)
        << result.err;
  }
}

// Recordings that nothing can be learned from, or that a fit would never end on.
TEST(IdentifyTosses, StrangeRecordingsAreRefusedByName) {
  const testing::TemporaryFolder folder;
  const Recording toss = ReadRecording(Toss(0));
  Recording slow = toss, far = toss, flight = toss;
  for (double& time : slow.time) time *= 1000;
  for (double& x : far.values[0]) x += 1e9;
  flight.time.resize(31);
  for (std::vector<double>& column : flight.values) column.resize(31);
  WriteRecording(slow, folder.File("slow.csv"));
  WriteRecording(far, folder.File("far.csv"));
  WriteRecording(flight, folder.File("flight.csv"));
  const auto expect = [&](const std::string& file, const std::string& words) {
    const auto result = RunProgram(
        {"identify", SceneFile(), file, "--estimate", "contact.friction,contact.restitution"}, folder.path());
    EXPECT_EQ(result.status, 2) << file << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << file << ": " << result.err;
  };
  expect("slow.csv", "times are in milliseconds");
  expect("far.csv", "positions are up to 1e+09 m from the origin");
  expect("flight.csv", "no impact was found that depends on the requested parameters");
  expect(testing::DataPath("truth/plywood/1mrad/mu0.2_240fps_0.csv"),
         "the recording is planar, but the scene is spatial");
}

// Moments that no body has come up among the starts that are drawn.
TEST(IdentifyTosses, MomentsOfInertia) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"identify", SceneFile(), Toss(0), Toss(1), Toss(2), Toss(3), Toss(4), Toss(5),
                                  "--estimate", "bodies.box.inertia", "--json"},
                                 folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const double truth[] = {1.040e-3, 1.590e-3, 2.020e-3};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(json["parameters"][i]["value"].get<double>(), truth[i], 4 * json["parameters"][i]["std"].get<double>());
}

TEST(IdentifyTosses, ARecordingGivenTwiceIsReported) {
  const testing::TemporaryFolder folder;
  const auto result =
      RunProgram({"identify", SceneFile(), Toss(0), Toss(0), "--estimate", "contact.friction"}, folder.path());
  EXPECT_NE(result.out.find("it counts twice"), std::string::npos) << result.out;
}

TEST(SweepCommand, OneNumberHasOneGrid) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"sweep", SceneFile(), Toss(0), "--grid", "contact.friction=0:1:3", "--grid",
                                  "contact.friction=0:1:3", "-o", "map.csv"},
                                 folder.path());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("change the same parameter"), std::string::npos) << result.err;
  const auto nowhere = RunProgram(
      {"sweep", SceneFile(), Toss(0), "--grid", "contact.friction=0:1:3", "-o", "missing/map.csv"}, folder.path());
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_NE(nowhere.err.find("missing/map.csv: the folder does not exist"), std::string::npos) << nowhere.err;
}

TEST(ValidateCommand, ExcludesByNameWhatHasNoFlight) {
  const testing::TemporaryFolder folder;
  {
    std::ofstream rest(folder.File("still.csv"));
    rest << "t,x,y,z,qw,qx,qy,qz\n";
    for (int i = 0; i < 30; ++i) rest << i * 0.01 << ",0,0,0.05,1,0,0,0\n";
  }
  const auto mixed = RunProgram({"validate", SceneFile(), Toss(0), "still.csv"}, folder.path());
  EXPECT_EQ(mixed.status, 0) << mixed.err;
  EXPECT_NE(mixed.out.find("excluded: still.csv: no free flight was found"), std::string::npos) << mixed.out;
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

// Sensitivity is that of the estimate, not of the guesses in the scene.
TEST(ValidateCommand, VariesAboutTheEstimate) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("estimate.json"))
      << nlohmann::json{{"parameters", {{{"path", "contact.friction"}, {"value", 0.31}}}}};
  const auto result = RunProgram({"validate", SceneFile(), Toss(0), "--set", "contact.friction=0.7", "--with",
                                  "estimate.json", "--vary", "contact.friction=+-0.05:3", "--json"},
                                 folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out)["sensitivity"]["contact.friction"];
  ASSERT_EQ(rows.size(), 3u);
  const double expected[] = {0.26, 0.31, 0.36};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(rows[i]["value"].get<double>(), expected[i], 1e-12);
}

TEST(ValidateCommand, FoldsVariantsAndSensitivity) {
  const testing::TemporaryFolder folder;
  const auto folds = RunProgram(
      {"validate", SceneFile(), Toss(0), Toss(1), Toss(2), Toss(3), Toss(4), Toss(5), "--folds", "2", "--estimate",
       "contact.friction", "--variant", "contact.restitution=0", "--vary", "contact.friction=+-0.05:3", "--json"},
      folder.path());
  ASSERT_EQ(folds.status, 0) << folds.err;
  const auto none = RunProgram({"validate", SceneFile(), Toss(0), Toss(1), "--folds", "2"}, folder.path());
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "`--estimate` is missing. --folds needs it: name the parameters to estimate.\n");
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

TEST(PredictCommand, ReportsRegionAndFaces) {
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
