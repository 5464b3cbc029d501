// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From a raw file to estimates in two commands, as docs/import.md shows: the estimates are within three standard
// deviations of the truth that the files were simulated with.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;
using testing::SourcePath;

struct Route {
  const char *name, *file, *columns, *scene, *estimate;
  std::vector<double> truth;
  std::vector<std::string> absent{};  // effects that are stated to be absent: the data hardly distinguish them
};

class ImportRoutes : public ::testing::TestWithParam<Route> {};

TEST_P(ImportRoutes, TwoCommandsGiveTheTruth) {
  const Route& route = GetParam();
  const testing::TemporaryFolder folder;
  const std::string raw = SourcePath(std::string("examples/recordings/raw/") + route.file);
  const auto import = RunProgram({"import", raw, "--columns", route.columns, "-o", "recordings"}, folder.path());
  ASSERT_EQ(import.status, 0) << import.err;
  const std::string stem = std::string(route.file).substr(0, std::string(route.file).rfind('.'));
  std::vector<std::string> command = {
      "identify", SourcePath(route.scene), "recordings/" + stem + ".csv", "--estimate", route.estimate, "--json"};
  for (const std::string& path : route.absent) command.insert(command.end(), {"--set", path + "=0"});
  const auto identify = RunProgram(command, folder.path());
  ASSERT_EQ(identify.status, 0) << identify.out << identify.err;
  const auto estimate = nlohmann::json::parse(identify.out);
  EXPECT_EQ(estimate["verdict"]["level"], "good");
  ASSERT_EQ(estimate["parameters"].size(), route.truth.size());
  for (std::size_t i = 0; i < route.truth.size(); ++i) {
    const auto& parameter = estimate["parameters"][i];
    const double value = parameter["value"], std = parameter["std"];
    EXPECT_LT(std::abs(value - route.truth[i]), 3 * std) << parameter;
    EXPECT_LT(std, 0.1 * route.truth[i]) << parameter;
  }
}

const char* const kContact = "bodies.ellipse.inertia / bodies.ellipse.mass, contact.friction, contact.restitution";

INSTANTIATE_TEST_SUITE_P(Files, ImportRoutes,
                         ::testing::Values(Route{"Pixels",
                                                 "phone_track.csv",
                                                 "t=frame/240,x=px*0.9mm,y=-py*0.9mm+0.81,theta=angle*deg",
                                                 "examples/plywood_blind.yaml",
                                                 kContact,
                                                 {7.56e-4, 0.3, 0.2}},
                                           Route{"DegreesAndMilliseconds",
                                                 "encoder_log.csv",
                                                 "t=millis*ms,hinge.angle=encoder*deg",
                                                 "examples/pendulum.yaml",
                                                 "joints.hinge.viscous, joints.hinge.dry.friction",
                                                 {5e-4, 3e-3},
                                                 {"bodies.rod.drag.linear", "bodies.rod.drag.quadratic"}},
                                           Route{"Matlab",
                                                 "throw.mat",
                                                 "t=t,x=pos_1*mm,y=pos_2*mm,theta=angle*deg",
                                                 "examples/plywood_blind.yaml",
                                                 kContact,
                                                 {7.56e-4, 0.25, 0.35}}),
                         [](const auto& route) { return std::string(route.param.name); });

int CountOf(const std::string& part, const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// With a wrong value in the scene: each sentence once, and a remedy that leads to a good fit.
TEST(RejectedEstimates, SayOnceWhatIsWrongAndHowToGoOn) {
  const testing::TemporaryFolder folder;
  const auto import = RunProgram({"import", SourcePath("examples/recordings/raw/encoder_log.csv"), "--columns",
                                  "t=millis*ms,hinge.angle=encoder*deg", "-o", "."},
                                 folder.path());
  ASSERT_EQ(import.status, 0) << import.err;
  const auto identify = [&](const std::string& setting, const std::string& paths) {
    return RunProgram({"identify", SourcePath("examples/pendulum.yaml"), "encoder_log.csv", "--estimate", paths,
                       "--set", setting},
                      folder.path());
  };
  const std::string tilted = "gravity.tilt=[0, 0.4]", paths = "joints.hinge.viscous, joints.hinge.dry.friction";
  const auto wrong = identify(tilted, paths);
  EXPECT_EQ(wrong.status, 3);
  EXPECT_EQ(wrong.err, "ricochet: identify: the verdict is `rejected`: do not use these values\n");
  EXPECT_TRUE(wrong.out.starts_with("rejected: gravity.tilt = (")) << wrong.out;
  EXPECT_EQ(CountOf("times the measurement noise", wrong.out), 1) << wrong.out;
  std::smatch command;
  ASSERT_TRUE(std::regex_search(wrong.out, command, std::regex("add --estimate \"([^\"]*)\""))) << wrong.out;
  const auto repaired = identify(tilted, command[1]);
  EXPECT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_TRUE(repaired.out.starts_with("good: ")) << repaired.out;

  // The largest residual is in the unit in which residuals are measured: it is above their root mean square.
  std::smatch size;
  ASSERT_TRUE(std::regex_search(wrong.out, size,
                                std::regex("residuals are ([^ ]*) times the measurement noise, the largest of "
                                           "hinge.angle at [^ ]* s \\(([^ ]*) standard deviations\\)")))
      << wrong.out;
  EXPECT_GT(std::stod(size[2]), std::stod(size[1]));

  const auto lost = identify("gravity.magnitude=3", paths);
  EXPECT_EQ(lost.status, 3);
  EXPECT_TRUE(lost.out.starts_with("rejected: ")) << lost.out;
  EXPECT_EQ(CountOf("the search did not converge: no motion of the model follows the recordings. A parameter that was "
                    "not requested is probably wrong",
                    lost.out),
            1)
      << lost.out;
  EXPECT_EQ(CountOf("no motion of the model follows the recordings", lost.out), 1) << lost.out;
  EXPECT_EQ(CountOf("times the measurement noise", lost.out), 1) << lost.out;
}

}  // namespace
}  // namespace ricochet
