// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mechanisms on the command line: simulate with joint angles and motor inputs, import urdf, wrong options.
#include <gtest/gtest.h>

#include <fstream>

#include "ricochet/recording.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::DataPath;
using testing::RunProgram;

TEST(SimulateSpook, WritesJointAnglesRatesAndTheInput) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"simulate", DataPath("truth/furuta/furuta_pulse.yaml"), "--inputs",
                                  DataPath("truth/furuta/furuta_pulse.csv"), "-o", "run.csv", "--duration", "0.2"},
                                 folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const Recording run = ReadRecording(folder.File("run.csv"));
  EXPECT_EQ(run.columns, (std::vector<std::string>{"hinge1.angle", "hinge2.angle", "hinge1.rate", "hinge2.rate", "u"}));
  EXPECT_EQ(run.rows(), 201);
}

TEST(SimulateSpook, WrongOptionsAreNamed) {
  const testing::TemporaryFolder folder;
  std::ifstream in(DataPath("truth/furuta/pendulum_viscous.yaml"));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto run = [&](const std::string& options) {
    std::string changed = text;
    changed.replace(changed.find("simulation: {"), 13, "simulation: {options: {" + options + "}, ");
    std::ofstream(folder.File("scene.yaml")) << changed;
    return RunProgram({"simulate", "scene.yaml", "-o", "run.csv", "--duration", "0.1"}, folder.path());
  };
  const auto order = run("order: 3");
  EXPECT_EQ(order.status, 2);
  EXPECT_NE(order.err.find("simulation.options.order"), std::string::npos) << order.err;
  const auto unknown = run("oder: 2");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("order"), std::string::npos) << unknown.err;
  EXPECT_EQ(run("order: 2").status, 0);
}

/// The first seconds of a recording, angles alone.
void WriteSeconds(const std::string& from, const std::vector<std::string>& angles, const std::string& to,
                  double seconds) {
  const Recording recording = ReadRecording(from);
  std::ofstream out(to);
  out.precision(12);
  out << 't';
  for (const std::string& angle : angles) out << ',' << angle;
  for (std::size_t i = 0; i < recording.time.size() && recording.time[i] <= seconds; ++i) {
    out << '\n' << recording.time[i];
    for (const std::string& angle : angles) out << ',' << recording.values[recording.Find(angle)][i];
  }
  out << '\n';
}

TEST(IdentifyMechanism, ResidualAndKappaAreReportedApart) {
  const testing::TemporaryFolder folder;
  WriteSeconds(DataPath("truth/furuta/release_1mrad/release_0.csv"), {"hinge1.angle", "hinge2.angle"},
               folder.File("release.csv"), 1.5);
  const std::vector<std::string> start = {"identify",
                                          DataPath("truth/furuta/furuta_release.yaml"),
                                          "release.csv",
                                          "--method",
                                          "inverse-dynamics",
                                          "--estimate",
                                          "bodies.B.inertia[1]",
                                          "--set",
                                          "joints.*.compliance.linear=1e-4",
                                          "--set",
                                          "joints.*.compliance.angular=1e-4",
                                          "--set",
                                          "simulation.step=1e-2",
                                          "--json"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), start.begin(), start.end());
    return RunProgram(more, folder.path());
  };
  const auto unknown = run({"--residual", "nonsense"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("--residual: `nonsense` is not one of its values. Use motion or paper."),
            std::string::npos)
      << unknown.err;
  const auto weightless = run({"--residual", "paper", "--kappa", "-3"});
  EXPECT_EQ(weightless.status, 2);
  EXPECT_NE(weightless.err.find("--kappa: -3 is not one of its values. Give a number > 0."), std::string::npos)
      << weightless.err;
  const auto alone = run({"--kappa", "10"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_NE(alone.err.find("--kappa: it weights the residuals of the paper"), std::string::npos) << alone.err;

  const auto given = run({"--residual", "paper", "--kappa", "100"});
  EXPECT_EQ(given.status, 0) << given.err;
  EXPECT_NE(given.out.find("kappa 100:"), std::string::npos) << given.out;
  EXPECT_NE(given.out.find("shadow parameters"), std::string::npos) << given.out;
  const auto chosen = run({"--residual", "paper"});
  EXPECT_EQ(chosen.status, 0) << chosen.err;
  EXPECT_NE(chosen.out.find("(from the sizes of both residuals)"), std::string::npos) << chosen.out;
}

TEST(IdentifyMechanism, CompareFrictionNeedsADryPartAndRecommends) {
  const testing::TemporaryFolder folder;
  WriteSeconds(DataPath("truth/furuta/pendulum_dry_l1.csv"), {"hinge.angle"}, folder.File("swing.csv"), 12);
  std::ifstream in(DataPath("truth/furuta/pendulum_dry_l1.yaml"));
  std::string line;
  std::ofstream without(folder.File("viscous.yaml"));
  while (std::getline(in, line)) {
    if (line.find("dry:") == std::string::npos) without << line << '\n';
  }
  without.close();
  const auto run = [&](const std::string& scene) {
    return RunProgram({"identify", scene, "swing.csv", "--method", "inverse-dynamics", "--estimate",
                       "bodies.rod.inertia[1]", "--compare-friction", "--json"},
                      folder.path());
  };
  const auto viscous = run("viscous.yaml");
  EXPECT_EQ(viscous.status, 2);
  EXPECT_NE(viscous.err.find("no joint has a `dry` part"), std::string::npos) << viscous.err;
  const auto dry = run(DataPath("truth/furuta/pendulum_dry_l1.yaml"));
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_NE(dry.out.find("dry friction is recommended"), std::string::npos) << dry.out;
}

TEST(ImportUrdf, WritesASceneThatRuns) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.File("robot.urdf"))
      << "<robot name='r'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 -0.2'/><mass value='1'/>"
         "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.001'/></inertial></link>"
         "<joint name='pivot' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 "
         "0'/></joint></robot>";
  const auto import = RunProgram({"import", "urdf", "robot.urdf", "-o", "robot.yaml"}, folder.path());
  ASSERT_EQ(import.status, 0) << import.err;
  const auto run =
      RunProgram({"simulate", "robot.yaml", "-o", "run.csv", "--set", "initial.pivot.angle=0.5"}, folder.path());
  EXPECT_EQ(run.status, 0) << run.err;
  const auto missing = RunProgram({"import", "urdf", "nothing.urdf", "-o", "x.yaml"}, folder.path());
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("nothing.urdf"), std::string::npos) << missing.err;
}

}  // namespace
}  // namespace ricochet
