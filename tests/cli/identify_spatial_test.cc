// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `identify` on recordings in space as a user types it: simulate with noise, identify, simulate what was found.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ricochet/scene.h"
#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

TEST(IdentifySpatial, SimulatedSlideGivesItsFrictionAndPatchRadiusBack) {
  testing::TemporaryFolder folder;
  const std::string scene = testing::DataPath("truth/patch/puck_thick.yaml");
  auto run = RunProgram(
      {"simulate", scene, "--rate", "100", "--noise", "position=0.0002,angle=0.002", "--seed", "4", "-o", "slide.csv"},
      folder.path());
  ASSERT_EQ(run.status, 0) << run.err;
  run = RunProgram(
      {"identify", scene, "slide.csv", "--set", "contact.friction=0.5", "--set", "contact.patch[2]=0.1", "--estimate",
       "contact.friction,contact.patch[2]", "-o", "estimate.json", "--scene-out", "calibrated.yaml"},
      folder.path());
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_NE(run.out.find("method auto -> trajectory (poses in space: maximum likelihood on the motion of ecp)"),
            std::string::npos)
      << run.out;
  std::ifstream in(folder.File("estimate.json"));
  const auto json = nlohmann::json::parse(in);
  const double truth[] = {0.3, 0.06666666666666667};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& parameter = json["parameters"][i];
    EXPECT_LT(std::abs(parameter["value"].get<double>() - truth[i]), 3.5 * parameter["std"].get<double>()) << run.out;
  }
  EXPECT_EQ(json["motion"][0]["pose"][0].size(), 7u);
  EXPECT_GE(json["impulses"].size(), 1u);
  const Scene calibrated = ReadScene(folder.File("calibrated.yaml"));
  EXPECT_EQ(calibrated[calibrated.Find("contact.friction")], json["parameters"][0]["value"].get<double>());
}

TEST(IdentifySpatial, RefusesByName) {
  testing::TemporaryFolder folder;
  std::ofstream(folder.File("r.csv")) << "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n0.1,0,0,0,1,0,0,0\n";
  const std::string scene = testing::DataPath("truth/patch/puck_thick.yaml");
  auto run = RunProgram({"identify", scene, "r.csv", "--estimate", "contact.friction"}, folder.path());
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("r.csv: 2 complete rows are too few: a motion in space needs at least 6."), std::string::npos)
      << run.err;
  run = RunProgram({"identify", scene, "r.csv", "--estimate", "contact.friction", "--method", "regression"},
                   folder.path());
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("--method: regression:"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace ricochet
