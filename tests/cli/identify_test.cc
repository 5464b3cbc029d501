// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `identify` and `identifiability` as a user types them, and what nonsense gets for an answer.
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

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

TEST_F(IdentifyCommand, OptionsOfAnotherMethodAreRefused) {
  const auto expect = [&](const std::vector<std::string>& option) {
    std::vector<std::string> words = {"identify", "scene.yaml", "throw.csv", "--estimate", kPaths};
    words.insert(words.end(), option.begin(), option.end());
    const auto result = RunProgram(words, folder_.path());
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_NE(result.err.find(option[0] + ": trajectory does not support it"), std::string::npos) << result.err;
  };
  Save(recording_, "throw.csv");
  expect({"--compare-friction"});
  expect({"--residual", "paper"});
  expect({"--start", "contact"});
}

TEST_F(IdentifyCommand, RegressionRefusesWhatItDoesNotKnow) {
  Save(recording_, "throw.csv");
  const auto result =
      RunProgram({"identify", "scene.yaml", "throw.csv", "--estimate", "bodies.ellipse.inertia / bodies.ellipse.mass",
                  "--method", "regression", "--impact-restitutions", "2"},
                 folder_.path());
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_NE(result.err.find("--impact-restitutions: regression does not support it"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("trajectory"), std::string::npos) << result.err;
}

TEST_F(IdentifyCommand, IdentifiabilityNamesFlagsInItsMessages) {
  Save(recording_, "throw.csv");
  const auto result = RunProgram(
      {"identifiability", "scene.yaml", "throw.csv", "--estimate", "contact.friction", "--method", "nonsense"},
      folder_.path());
  EXPECT_EQ(result.status, 2) << result.out;
  EXPECT_NE(result.err.find("--method: there is no estimator `nonsense`"), std::string::npos) << result.err;
}

TEST_F(IdentifyCommand, JointAndRegressionHaveProfileAndBootstrap) {
  const std::string ratio = "bodies.ellipse.inertia / bodies.ellipse.mass";
  for (const std::string method : {"joint", "regression"}) {
    // Velocities from 120 rows per second leave regression without a lower limit.
    Save(method == "joint" ? recording_ : ReadRecording(SourcePath("tests/data/truth/plywood/1mrad/mu0.3_240fps_0.csv")),
         "throw.csv");
    const auto result =
        RunProgram({"identify", "scene.yaml", "throw.csv", "--estimate", method == "joint" ? kPaths : ratio, "--method",
                    method, "--profile", ratio, "--bootstrap", "20", "--json"},
                   folder_.path());
    ASSERT_EQ(result.status, 0) << method << result.err;
    const auto json = nlohmann::json::parse(result.out);
    const double value = json["parameters"][0]["value"].get<double>(), std = json["parameters"][0]["std"].get<double>();
    ASSERT_EQ(json["profiles"].size(), 1u) << method;
    const double lower = json["profiles"][0]["lower"].get<double>(), upper = json["profiles"][0]["upper"].get<double>();
    EXPECT_LT(lower, value) << method;
    EXPECT_LT(value, upper) << method;
    EXPECT_NEAR(value, 756e-6, 4 * std) << method;
    // A standard deviation from 20 repetitions is known to 16 %.
    EXPECT_NEAR((upper - lower) / (2 * 1.96 * std), 1, 0.5) << method;
  }
}

TEST_F(IdentifyCommand, ProfilesAreReportedStoredAndShown) {
  Save(recording_, "throw.csv");
  const auto result = RunProgram({"identify", "scene.yaml", "throw.csv", "--estimate", kPaths, "--profile",
                                  "bodies.ellipse.inertia / bodies.ellipse.mass", "--profile", "contact.friction", "-o",
                                  "estimate.json", "--report", "page.html"},
                                 folder_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("profile of bodies.ellipse.inertia/bodies.ellipse.mass: between"), std::string::npos)
      << result.out;
  std::ifstream in(folder_.File("estimate.json"));
  const auto json = nlohmann::json::parse(in);
  ASSERT_EQ(json["profiles"].size(), 2u);
  const auto& friction = json["profiles"][1];
  EXPECT_EQ(friction["path"], "contact.friction");
  EXPECT_EQ(friction["value"].size(), friction["deviance"].size());
  const double value = json["parameters"][1]["value"].get<double>(), std = json["parameters"][1]["std"].get<double>();
  EXPECT_NEAR(friction["lower"].get<double>(), value - 1.96 * std, 0.2 * std);
  EXPECT_NEAR(friction["upper"].get<double>(), value + 1.96 * std, 0.2 * std);
  std::ifstream page(folder_.File("page.html"));
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find("profile: deviance"), std::string::npos);
  const auto other = RunProgram(
      {"identify", "scene.yaml", "throw.csv", "--estimate", "contact.friction", "--profile", "contact.restitution"},
      folder_.path());
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("--profile: `contact.restitution` is not among the estimated parameters"), std::string::npos)
      << other.err;
}

TEST_F(IdentifyCommand, CrossValidationIsPrintedStoredAndShown) {
  const auto run = [&](const std::string& folds) {
    std::vector<std::string> words = {"identify", "scene.yaml"};
    for (const char* rate : {"60", "120", "240"})
      words.push_back(SourcePath(std::string("tests/data/truth/plywood/1mrad/mu0.3_") + rate + "fps_0.csv"));
    for (const char* word : {"--estimate", kPaths, "-o", "estimate.json", "--report", "page.html", "--folds"})
      words.emplace_back(word);
    words.push_back(folds);
    return RunProgram(words, folder_.path());
  };
  const auto result = run("3");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string sentence = "cross-validation in 3 folds: residuals of held-out recordings are ";
  EXPECT_NE(result.out.find(sentence), std::string::npos) << result.out;
  std::ifstream in(folder_.File("estimate.json"));
  const auto validation = nlohmann::json::parse(in)["cross_validation"];
  EXPECT_NEAR(validation["residual_over_noise"].get<double>(), 1, 0.1);
  ASSERT_EQ(validation["values"].size(), 3u);
  for (const auto& values : validation["values"]) EXPECT_NEAR(values[1].get<double>(), 0.3, 0.02);
  ASSERT_EQ(validation["recordings"].size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(validation["recordings"][i]["fold"], i);
  std::ifstream page(folder_.File("page.html"));
  const std::string text((std::istreambuf_iterator<char>(page)), std::istreambuf_iterator<char>());
  EXPECT_NE(text.find(sentence), std::string::npos);

  const auto many = run("4");
  EXPECT_EQ(many.status, 2);
  EXPECT_NE(many.err.find("--folds: 3 recordings cannot be split into 4 folds."), std::string::npos) << many.err;
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

class IdentifyNonsense : public IdentifyCommand, public ::testing::WithParamInterface<const char*> {};

TEST_P(IdentifyNonsense, MessagesNameWhatSeemsWrong) {
  const std::string method = GetParam();
  const std::string paths = method == "regression" ? "bodies.ellipse.inertia / bodies.ellipse.mass" : kPaths;
  Recording millimeters = recording_, mirrored = recording_, three = recording_, far = recording_;
  Recording degrees = recording_, downward = recording_, slow = recording_;
  for (double& value : degrees.values[2]) value *= 180 / std::numbers::pi;
  for (double& value : downward.values[1]) value = -value;
  for (double& time : slow.time) time *= 1000;
  Save(degrees, "degrees.csv");
  Save(downward, "downward.csv");
  Save(slow, "slow.csv");
  for (int c = 0; c < 2; ++c)
    for (double& value : millimeters.values[c]) value *= 1000;
  for (double& value : mirrored.values[2]) value = -value;
  three.time.resize(3);
  for (auto& column : three.values) column.resize(3);
  for (int i = 0; i < far.rows(); ++i) {
    const double t = far.time[i];
    far.values[0][i] = 3 * t;
    far.values[1][i] = 5 + 2 * t - 0.5 * 9.81 * t * t;
    far.values[2][i] = 4 * t;
  }
  Save(millimeters, "mm.csv");
  Save(mirrored, "mirrored.csv");
  Save(three, "three.csv");
  Save(far, "far.csv");
  const auto expect = [&](const std::string& file, const std::string& words) {
    const auto result =
        RunProgram({"identify", "scene.yaml", file, "--method", method, "--estimate", paths}, folder_.path());
    EXPECT_TRUE(result.status == 2 || result.status == 3) << file << ": " << result.status << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << file << ": " << result.err;
  };
  expect("mm.csv", "millimeters");
  expect("mirrored.csv", "mirrored");
  expect("three.csv", "too few");
  expect("far.csv", "no impact");
  expect("degrees.csv", "degrees");
  expect("downward.csv", "the y axis seems to point down");
  expect("slow.csv", "milliseconds");
  Save(recording_, "throw.csv");
  const auto expect_gravity = [&](const std::string& gravity, const std::string& words) {
    const auto result = RunProgram(
        {"identify", "scene.yaml", "throw.csv", "--method", method, "--estimate", paths, "--set", "gravity=" + gravity},
        folder_.path());
    EXPECT_EQ(result.status, 2) << gravity;
    EXPECT_NE(result.err.find(words), std::string::npos) << gravity << ": " << result.err;
  };
  expect_gravity("[0, 9.81]", "gravity seems to point the wrong way");
  expect_gravity("[0, 0]", "free flight does not accelerate by the scene's gravity but by about");
  expect_gravity("[0, -4]", "free flight does not accelerate by the scene's gravity but by about");
}
INSTANTIATE_TEST_SUITE_P(Methods, IdentifyNonsense, ::testing::Values("trajectory", "joint", "regression"),
                         [](const auto& name) { return std::string(name.param); });

// The doctor's command in the message gives a recording that can be used.
TEST_F(IdentifyCommand, MistakesComeWithTheCommandThatRepairsThem) {
  Recording millimeters = recording_;
  for (std::size_t c = 0; c < 2; ++c)
    for (double& value : millimeters.values[c]) value *= 1000;
  Save(millimeters, "throw.csv");
  const auto refused = RunProgram({"identify", "scene.yaml", "throw.csv", "--estimate", kPaths}, folder_.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("ricochet doctor throw.csv --scene scene.yaml --repair repaired"), std::string::npos)
      << refused.err;
  const auto doctor =
      RunProgram({"doctor", "throw.csv", "--scene", "scene.yaml", "--repair", "repaired"}, folder_.path());
  EXPECT_EQ(doctor.status, 0);
  EXPECT_NE(doctor.out.find("BAD"), std::string::npos) << doctor.out;
  const auto result =
      RunProgram({"identify", "scene.yaml", "repaired/throw.csv", "--estimate", kPaths}, folder_.path());
  EXPECT_EQ(result.status, 0) << result.err;
}

// Names that are no UTF-8 and streams that nobody reads lose no fit.
TEST_F(IdentifyCommand, EndsInTime) {
  Save(recording_, "throw.csv");
  std::vector<std::string> command = {"identify",     "scene.yaml", "throw.csv", "--estimate",   kPaths,
                                      "--time-limit", "0.001",      "-o",        "estimate.json"};
  const auto late = RunProgram(command, folder_.path());
  EXPECT_EQ(late.status, 3) << late.err;
  EXPECT_TRUE(late.out.starts_with("rejected: out of time: the limit of 0.001 s ended the search. Allow more "
                                   "(--time-limit), or estimate fewer parameters from fewer recordings"))
      << late.out;
  EXPECT_TRUE(std::filesystem::exists(folder_.File("estimate.json")));
  command[6] = "0";
  const auto none = RunProgram(command, folder_.path());
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "--time-limit: 0 s leave no time. Give a positive number of seconds.\n");
}

TEST_F(IdentifyCommand, SurvivesOddNamesAndClosedStreams) {
  Save(recording_, "caf\xe9.csv");
  const auto odd =
      RunProgram({"identify", "scene.yaml", "caf\xe9.csv", "--estimate", kPaths, "-o", "e.json", "--report", "r.html"},
                 folder_.path());
  EXPECT_EQ(odd.status, 0) << odd.err;
  EXPECT_TRUE(std::filesystem::exists(folder_.File("e.json")));
  const std::string run = "cd '" + folder_.path().string() + "' && '" + testing::ProgramPath() +
                          "' identify scene.yaml none.csv --estimate x ";
  for (const char* stream : {"2>&-", "2>/dev/full", ">&- 2>&-"}) {
    const int status = std::system((run + stream).c_str());  // NOLINT(cert-env33-c)
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << stream << " " << status;
  }
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

TEST_F(IdentifyCommand, KnownForceSeparatesMassAndInertia) {
  const auto scene = [&](const std::string& name, const std::string& inertia, const std::string& force) {
    std::ofstream(folder_.File(name)) << "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  body: {shape: "
                                         "{ellipse: {semi_axes: [2, 1]}}, mass: 1.3, inertia: "
                                      << inertia
                                      << "}\nsurfaces:\n  ground: {line: {point: [0, 0], angle: 0}}\ncontact: "
                                         "{friction: 0.3, restitution: 0.6}\ninitial:\n  body: {pose: [0, 3, 0.7], "
                                         "velocity: [1, 0], angular_velocity: 2}\n"
                                      << force << "simulation: {method: lcp, step: 1.0e-3, duration: 3}\n";
  };
  const std::string force = "actions:\n  - {body: body, force: [0.4, -0.7], torque: 0.5}\n";
  scene("truth.yaml", "1.7", force);
  scene("force.yaml", "1.0", force);
  scene("free_truth.yaml", "1.7", "");
  scene("free.yaml", "1.0", "");
  for (const std::string kind : {"", "free_"})
    ASSERT_EQ(RunProgram({"simulate", kind + "truth.yaml", "-o", kind + "run.csv"}, folder_.path()).status, 0);
  const std::string paths = "bodies.body.mass, bodies.body.inertia";
  const auto known = RunProgram({"identify", "force.yaml", "run.csv", "--set", "bodies.body.mass=0.8", "--estimate",
                                 paths, "--method", "regression", "--json"},
                                folder_.path());
  ASSERT_EQ(known.status, 0) << known.err;
  const auto json = nlohmann::json::parse(known.out);
  EXPECT_NEAR(json["parameters"][0]["value"].get<double>() / 1.3, 1, 1e-10);
  EXPECT_NEAR(json["parameters"][1]["value"].get<double>() / 1.7, 1, 1e-10);
  const auto free =
      RunProgram({"identify", "free.yaml", "free_run.csv", "--estimate", paths, "--method", "regression", "--json"},
                 folder_.path());
  ASSERT_EQ(free.status, 0) << free.err;
  const auto refused = nlohmann::json::parse(free.out);
  for (const int i : {0, 1}) {
    EXPECT_TRUE(refused["parameters"][i]["value"].is_null());
    EXPECT_NE(refused["parameters"][i]["combination"].get<std::string>().find("bodies.body.inertia/bodies.body.mass"),
              std::string::npos);
  }
}

TEST_F(IdentifyCommand, MotionsThatDetermineNothingAreExplained) {
  const auto ask = [&](const std::string& initial, const std::string& contact) {
    std::ofstream(folder_.File("plan.yaml"))
        << "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  e: {shape: {ellipse: {semi_axes: [0.05, "
           "0.025]}}, mass: 0.064, inertia: 4.8e-5}\nsurfaces:\n  bar: {line: {point: [0, 0], angle: 0}}\ncontact: "
        << contact << "\ninitial:\n  e: " << initial << "\nsimulation: {method: event, step: 0.01, duration: 0.3}\n";
    const auto result = RunProgram(
        {"identifiability", "plan.yaml", "--estimate", "bodies.e.inertia / bodies.e.mass, contact.friction", "--json"},
        folder_.path());
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto says = [](const nlohmann::json& answer, const std::string& words) {
    return answer["notes"].dump().find(words) != std::string::npos;
  };
  // Flat drop: no angular acceleration, so no inertia.
  const auto flat =
      ask("{pose: [0, 0.1, 0], velocity: [0, 0], angular_velocity: 0}", "{friction: 0.3, restitution: 0.3}");
  EXPECT_FALSE(flat["parameters"][0]["identifiable"].get<bool>());
  EXPECT_TRUE(says(flat, "no impact changes the rotation") && says(flat, "Throw the body tilted")) << flat["notes"];
  // Everything sticks: friction from below only.
  const auto sticks =
      ask("{pose: [0, 0.1, 0.3], velocity: [0.1, 0], angular_velocity: 0}", "{friction: 2, restitution: 0.3}");
  EXPECT_TRUE(sticks["parameters"][0]["identifiable"].get<bool>());
  EXPECT_FALSE(sticks["parameters"][1]["identifiable"].get<bool>());
  EXPECT_GT(sticks["parameters"][1]["lower"].get<double>(), 0);
  EXPECT_TRUE(says(sticks, "every contact sticks") && says(sticks, "slides")) << sticks["notes"];
  // No impact: nothing.
  const auto flies =
      ask("{pose: [0, 2, 0.3], velocity: [1, 1], angular_velocity: 2}", "{friction: 0.3, restitution: 0.3}");
  EXPECT_FALSE(flies["parameters"][0]["identifiable"].get<bool>());
  EXPECT_FALSE(flies["parameters"][1]["identifiable"].get<bool>());
  EXPECT_TRUE(says(flies, "no impact") && says(flies, "Let the body hit")) << flies["notes"];
}

TEST_F(IdentifyCommand, ConsistencyOfImpactsFromDataAndFromAPlan) {
  Save(ReadRecording(SourcePath("tests/data/truth/plywood/1mrad/mu0.3_240fps_0.csv")), "throw.csv");
  const std::string ratio = "bodies.ellipse.inertia / bodies.ellipse.mass";
  const auto data =
      RunProgram({"identifiability", "scene.yaml", "throw.csv", "--estimate", ratio, "--json"}, folder_.path());
  ASSERT_EQ(data.status, 0) << data.err;
  const auto seen = nlohmann::json::parse(data.out);
  EXPECT_TRUE(seen["consistency_measured"].get<bool>());
  EXPECT_TRUE(seen["consistent"].get<bool>()) << seen["consistency"];
  ASSERT_FALSE(seen["consistency"].empty());
  for (const auto& impact : seen["consistency"])
    EXPECT_LT(std::abs(impact["ratio"].get<double>() - 756e-6), 5 * impact["std"].get<double>()) << impact;
  // A center of mass that is wrong by 5 mm: single impacts are too uncertain to show it, the whole motion does.
  for (const bool wrong : {false, true}) {
    const auto motion = RunProgram({"identifiability", "scene.yaml", "throw.csv", "--estimate", kPaths, "--set",
                                    wrong ? "bodies.ellipse.center_of_mass=[0.005, 0]" : "contact.friction=0.4"},
                                   folder_.path());
    ASSERT_EQ(motion.status, 0) << motion.err;
    EXPECT_EQ(motion.out.find("no motion of the scene explains it") != std::string::npos, wrong) << motion.out;
  }
  const auto plan = RunProgram(
      {"identifiability", SourcePath("examples/plywood_ellipse.yaml"), "--estimate", ratio, "--json"}, folder_.path());
  const auto planned = nlohmann::json::parse(plan.out);
  EXPECT_FALSE(planned["consistency_measured"].get<bool>());
  EXPECT_TRUE(planned["consistent"].get<bool>());
  for (const auto& impact : planned["consistency"]) EXPECT_NEAR(impact["ratio"].get<double>() / 756e-6, 1, 1e-5);
  EXPECT_EQ(planned["dynamics"]["rank"].get<int>() + 1, planned["dynamics"]["unknowns"].get<int>());
}

TEST_F(IdentifyCommand, IdentifiabilityOfAPlannedThrow) {
  const auto result = RunProgram({"identifiability", SourcePath("examples/plywood_ellipse.yaml"), "--estimate",
                                  "bodies.ellipse.mass, bodies.ellipse.inertia, contact.friction", "--json"},
                                 folder_.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["null_space"], "only bodies.ellipse.inertia / bodies.ellipse.mass is identifiable");
  EXPECT_TRUE(json["parameters"][2]["identifiable"].get<bool>());
}

}  // namespace
}  // namespace ricochet
