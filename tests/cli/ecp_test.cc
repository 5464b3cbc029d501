// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::RunProgram;

std::string Puck() { return testing::DataPath("truth/patch/puck_thick.yaml"); }

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

// Xie's sliding cube: one active facet, and the equivalent contact point (0.048, 0.036) m from the center.
TEST(SimulateEcp, ContactsNameFacetsAndThePointOnBothBodies) {
  const testing::TemporaryFolder folder;
  const auto result = RunProgram({"simulate", testing::SourcePath("examples/cube_slide.yaml"), "-o", "run.csv",
                                  "--contacts", "contacts.csv", "--json"},
                                 folder.path());
  ASSERT_EQ(result.status, 0) << result.err;
  const auto summary = nlohmann::json::parse(result.out);
  EXPECT_EQ(summary["contact_kinds"]["surface"], 400);
  EXPECT_EQ(summary["contact_kinds"]["point"], 0);
  EXPECT_EQ(summary["fallbacks"]["halved"], 0);

  std::ifstream file(folder.File("contacts.csv"));
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = Cells(line);
  std::getline(file, line);
  const std::vector<std::string> row = Cells(line);
  ASSERT_EQ(header.size(), row.size());
  const auto cell = [&](const std::string& name) {
    const auto at = std::find(header.begin(), header.end(), name);
    return at == header.end() ? std::string("no column " + name) : row[static_cast<std::size_t>(at - header.begin())];
  };
  EXPECT_EQ(cell("kind"), "surface");
  EXPECT_EQ(cell("active_facets"), "1");
  EXPECT_NEAR(std::stod(cell("ax")), 0.048, 1e-9);
  EXPECT_NEAR(std::stod(cell("ay")), 0.036, 1e-9);
  EXPECT_NEAR(std::stod(cell("az")), -0.5, 1e-9);
  for (const char axis : {'x', 'y', 'z'}) {
    EXPECT_EQ(cell(std::string("b") + axis), cell(std::string("p") + axis));  // the floor's frame is the world's
  }
}

TEST(IdentifiabilityInSpace, ReportsWhatASlidingPuckDetermines) {
  const testing::TemporaryFolder folder;
  const auto planned = RunProgram(
      {"identifiability", Puck(), "--estimate", "contact.friction,contact.patch[2],bodies.body.mass", "--json"},
      folder.path());
  ASSERT_EQ(planned.status, 0) << planned.err;
  const auto json = nlohmann::json::parse(planned.out);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_TRUE(json["parameters"][0]["identifiable"]);
  EXPECT_TRUE(json["parameters"][1]["identifiable"]);
  EXPECT_FALSE(json["parameters"][2]["identifiable"]);
  EXPECT_TRUE(json["parameters"][2]["std"].is_null());

  // The same standard deviations as the fit of a recording reports.
  ASSERT_EQ(RunProgram({"simulate", Puck(), "--rate", "100", "--noise", "position=0.0002,angle=0.002", "--seed", "1",
                        "-o", "slide.csv"},
                       folder.path())
                .status,
            0);
  const auto from_data =
      RunProgram({"identifiability", Puck(), "slide.csv", "--estimate", "contact.friction,contact.patch[2]", "--json"},
                 folder.path());
  ASSERT_EQ(from_data.status, 0) << from_data.err;
  const auto fit = RunProgram(
      {"identify", Puck(), "slide.csv", "--estimate", "contact.friction,contact.patch[2]", "--json"}, folder.path());
  ASSERT_EQ(fit.status, 0) << fit.err;
  for (const int i : {0, 1}) {
    const double attainable = nlohmann::json::parse(from_data.out)["parameters"][i]["std"];
    EXPECT_NEAR(attainable / nlohmann::json::parse(fit.out)["parameters"][i]["std"].get<double>(), 1, 0.05) << i;
  }
}

// Mass alone: rejected, with the ratios that the motion determines.
TEST(IdentifyInSpace, MassAloneIsRefusedAndTheRatioGiven) {
  const testing::TemporaryFolder folder;
  ASSERT_EQ(RunProgram({"simulate", Puck(), "--rate", "100", "--noise", "position=0.0002,angle=0.002", "--seed", "1",
                        "-o", "slide.csv"},
                       folder.path())
                .status,
            0);
  const auto fit =
      RunProgram({"identify", Puck(), "slide.csv", "--estimate", "bodies.body.mass", "--json"}, folder.path());
  ASSERT_EQ(fit.status, 0) << fit.err;
  const auto parameters = nlohmann::json::parse(fit.out)["parameters"];
  EXPECT_TRUE(parameters[0]["value"].is_null());
  EXPECT_EQ(parameters[0]["combination"].get<std::string>().substr(0, 37), "bodies.body.inertia/bodies.body.mass ");
  EXPECT_EQ(parameters[3]["path"], "bodies.body.inertia[2]/bodies.body.mass");
  EXPECT_NEAR(parameters[3]["value"], 0.005, 4 * parameters[3]["std"].get<double>());
}

}  // namespace
}  // namespace ricochet
