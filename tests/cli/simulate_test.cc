// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/recording.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;

std::string Example(const std::string& name) { return SourcePath("examples/" + name); }

std::string ReadText(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteText(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

TEST(Simulate, WritesMotionAndContacts) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram(
      {"simulate", Example("ellipse_throw.yaml"), "-o", "run.csv", "--contacts", "contacts.csv"}, folder.path());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("irc: 4000 steps"), std::string::npos) << result.out;
  const Recording run = ReadRecording(folder.File("run.csv"));
  EXPECT_EQ(run.columns, (std::vector<std::string>{"x", "y", "theta", "vx", "vy", "omega"}));
  EXPECT_EQ(run.rows(), 4001);
  const std::string contacts = ReadText(folder.File("contacts.csv"));
  EXPECT_TRUE(contacts.starts_with("t,pair,contact,gap,normal_impulse,tangential_impulse,px,py,mode\n"));
  EXPECT_NE(contacts.find(",ellipse/ground,0,"), std::string::npos);
}

TEST(Simulate, PrintsJsonAndNothingElse) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"simulate", Example("ellipse_drop.yaml"), "--json"}, folder.path());
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["method"], "irc");
  EXPECT_EQ(json["steps"], 2000);
  // All but the last centimeters of potential energy are lost: m g (10 - 1).
  EXPECT_NEAR(json["energy"]["dissipated"].get<double>(), 10 * 9.81 * 9, 2);
}

TEST(Simulate, SetAndMethodAndStepChangeTheRun) {
  const testing::TemporaryFolder folder;
  const auto result =
      RunProgram({"simulate", Example("ellipse_drop.yaml"), "--set", "initial.ellipse.pose[1]=2", "--set",
                  "gravity=[0, -1]", "--method", "lcp", "--step", "0.01", "--duration", "0.5", "--json"},
                 folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["method"], "lcp");
  EXPECT_EQ(json["steps"], 50);
  EXPECT_NEAR(json["energy"]["potential_start"].get<double>(), 20, 1e-12);
}

TEST(Simulate, MakesANoisyRecordingThatASeedRepeats) {
  const testing::TemporaryFolder folder;
  const std::vector<std::string> call = {"simulate", Example("plywood_ellipse.yaml"), "--step", "1e-4", "--rate", "240",
                                         "--noise",  "position=0.001,angle=0.02",     "--seed", "7",    "-o"};
  for (const char* name : {"a.csv", "b.csv"}) {
    auto arguments = call;
    arguments.push_back(name);
    ASSERT_EQ(RunProgram(arguments, folder.path()).status, 0);
  }
  EXPECT_EQ(ReadText(folder.File("a.csv")), ReadText(folder.File("b.csv")));
  const Recording noisy = ReadRecording(folder.File("a.csv"));
  EXPECT_EQ(noisy.columns, (std::vector<std::string>{"x", "y", "theta"}));
  ASSERT_EQ(noisy.rows(), 121);
  EXPECT_NEAR(noisy.time[120], 0.5, 1e-12);
  ASSERT_EQ(
      RunProgram({"simulate", Example("plywood_ellipse.yaml"), "--step", "1e-4", "--rate", "240", "-o", "clean.csv"},
                 folder.path())
          .status,
      0);
  const Recording clean = ReadRecording(folder.File("clean.csv"));
  double sum = 0, angle_sum = 0;
  for (int i = 0; i < 121; ++i) {
    sum += std::pow(noisy.values[0][i] - clean.values[0][i], 2) + std::pow(noisy.values[1][i] - clean.values[1][i], 2);
    angle_sum += std::pow(noisy.values[2][i] - clean.values[2][i], 2);
  }
  EXPECT_NEAR(std::sqrt(sum / 242), 0.001, 0.00015);
  EXPECT_NEAR(std::sqrt(angle_sum / 121), 0.02, 0.004);
}

TEST(Simulate, LongRunsStreamInBoundedMemory) {
  // A million rows: about 100 MB of CSV from a process that stays small.
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"simulate", Example("ellipse_throw.yaml"), "--set", "contact.restitution=0.9",
                                  "--step", "1e-5", "--duration", "10", "-o", "long.csv", "--contacts", "contacts.csv"},
                                 folder.path());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_GT(std::filesystem::file_size(folder.File("long.csv")), 80u << 20);
  EXPECT_LT(result.peak_memory_kib, 64 * 1024);
}

struct WrongCall {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;  // must appear in what is printed
};

class WrongCalls : public ::testing::TestWithParam<WrongCall> {};

TEST_P(WrongCalls, ExitWith2AndSayWhy) {
  const testing::TemporaryFolder folder;
  WriteText(folder.File("scene.yaml"), ReadText(Example("ellipse_drop.yaml")));
  WriteText(folder.File("nan.yaml"),
            "ricochet: 1\nspace: planar\nbodies: {e: {shape: {circle: {radius: -1}}, mass: 1}}\n");
  WriteText(folder.File("nostart.yaml"),
            "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies: {e: {shape: {circle: {radius: 1}}, mass: 1}}\n"
            "simulation: {method: irc, step: 1e-3, duration: 1}\n");
  WriteText(
      folder.File("two.yaml"),
      "ricochet: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n  a: {shape: {circle: {radius: 1}}, mass: 1}\n"
      "  b: {shape: {circle: {radius: 1}}, mass: 1}\n"
      "initial: {a: {pose: [0, 0, 0]}, b: {pose: [5, 0, 0]}}\nsimulation: {method: irc, step: 1e-3, duration: 1}\n");
  WriteText(folder.File("in.csv"), "t,u\n0,1\n");
  const auto result = RunProgram(GetParam().arguments, folder.path());
  EXPECT_EQ(result.status, 2) << result.out << result.err;
  EXPECT_NE(result.err.find(GetParam().message), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder.File("out.csv")));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongCalls,
    ::testing::Values(
        WrongCall{"NoCommand", {}, "no command. There are simulate, "},
        WrongCall{"UnknownCommand", {"simulat"}, "there is no command `simulat`. Did you mean `simulate`?"},
        WrongCall{"NoScene", {"simulate"}, "SCENE"},
        WrongCall{"MissingFile", {"simulate", "nowhere.yaml"}, "nowhere.yaml"},
        WrongCall{
            "UnknownMethod", {"simulate", "scene.yaml", "--method", "irk", "-o", "out.csv"}, "Did you mean `irc`?"},
        WrongCall{"BadScene", {"simulate", "nan.yaml", "-o", "out.csv"}, "nan.yaml:3"},
        WrongCall{"NoStart",
                  {"simulate", "nostart.yaml", "-o", "out.csv"},
                  "initial.e: the scene does not define where e starts."},
        WrongCall{
            "TwoBodies", {"simulate", "two.yaml", "-o", "out.csv"}, "two.yaml:6:3: bodies.b: a and b could touch"},
        WrongCall{"UnknownPath", {"simulate", "scene.yaml", "--set", "contact.frction=1"}, "contact.friction"},
        WrongCall{"OutOfBounds", {"simulate", "scene.yaml", "--set", "contact.restitution=1.5"}, "contact.restitution"},
        WrongCall{"NegativeStep", {"simulate", "scene.yaml", "--step", "-1"}, "--step"},
        WrongCall{
            "TooManySteps", {"simulate", "scene.yaml", "--step", "1e-12", "-o", "out.csv"}, "simulation.duration"},
        WrongCall{
            "NanRate", {"simulate", "scene.yaml", "--rate", "nan", "-o", "out.csv"}, "`nan` is not a positive number"},
        WrongCall{"NegativeSeed", {"simulate", "scene.yaml", "--seed", "-1"}, "--seed"},
        WrongCall{"SameOutputs", {"simulate", "scene.yaml", "-o", "out.csv", "--contacts", "./out.csv"}, "two outputs"},
        WrongCall{"OverwritesScene", {"simulate", "scene.yaml", "-o", "scene.yaml"}, "is an input"},
        WrongCall{"SinkingSurface",
                  {"simulate", "scene.yaml", "--set", "surfaces.ground.velocity=[0, 1]"},
                  "a surface moves only within itself"},
        WrongCall{"NoMotor", {"simulate", "scene.yaml", "--inputs", "in.csv", "-o", "out.csv"}, "has no motor"},
        WrongCall{"BadNoise", {"simulate", "scene.yaml", "--noise", "size=3"}, "--noise"},
        WrongCall{"NoFolder", {"simulate", "scene.yaml", "-o", "nowhere/out.csv"}, "nowhere"},
        WrongCall{"IgcRestitution",
                  {"simulate", "scene.yaml", "--method", "igc", "--set", "contact.restitution=0.5", "-o", "out.csv"},
                  "igc ties the impulse to the gap"},
        WrongCall{"UnknownExperiment", {"reproduce", "gabicini", "-o", "x"}, "there is no experiment"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Commands, HelpTeachesWithAnExample) {
  const testing::TemporaryFolder folder;
  for (const char* command : {"simulate", "parameters", "reproduce"}) {
    const auto result = RunProgram({command, "--help"}, folder.path());
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.out.find("Example"), std::string::npos) << command;
  }
  const auto version = RunProgram({"--version"}, folder.path());
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("ricochet 0.")) << version.out;
}

TEST(Parameters, ListsAndRewritesTheScene) {
  const testing::TemporaryFolder folder;
  const auto list = RunProgram({"parameters", Example("ellipse_throw.yaml")}, folder.path());
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("bodies.ellipse.inertia"), std::string::npos);
  EXPECT_NE(list.out.find("contact.tangential_restitution"), std::string::npos);
  const auto written = RunProgram({"parameters", Example("ellipse_throw.yaml"), "contact.friction", "--set",
                                   "contact.friction=0.55", "-o", "other.yaml", "--json"},
                                  folder.path());
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(nlohmann::json::parse(written.out)["parameters"][0]["value"], 0.55);
  const std::string text = ReadText(folder.File("other.yaml"));
  EXPECT_NE(text.find("# Gabiccini sec. 4.2 and 4.4: a thrown ellipse."), std::string::npos);
  EXPECT_NE(text.find("contact: {friction: 0.55, restitution: 0}"), std::string::npos) << text;
}

TEST(Reproduce, WritesTablesPicturesAndComparisons) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"reproduce", "gabiccini-drop", "fazeli-block", "-o", "out"}, folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* file :
       {"out/gabiccini-drop/drop_peaks.csv", "out/gabiccini-drop/drop_peaks.svg", "out/gabiccini-drop/comparison.md",
        "out/fazeli-block/trace.csv", "out/fazeli-block/trace.svg"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / file)) << file;
}

}  // namespace
}  // namespace ricochet
