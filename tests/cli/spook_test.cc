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
