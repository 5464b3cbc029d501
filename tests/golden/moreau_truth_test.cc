// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Reference tosses of the paper's scheme (tests/data/truth/box): states and summed impulses after every step. The
// files were made by the simultaneous iteration solved to 1e-13, so agreement is limited by that and by the growth of
// rounding over 432 steps: 1e-8 as the README states, measured near 1e-10.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "tests/support/spatial_run.h"
#include "tests/support/test_paths.h"

namespace ricochet::testing {
namespace {

std::string ReadText(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::vector<double>> ReadRows(const std::string& file) {
  std::ifstream in(file);
  std::string line, cell;
  std::getline(in, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::stringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

struct Deviation {
  double state = 0, impulse = 0;
  bool same_corners = true;
  bool solved = true;
};

Deviation CompareWithTruth(const std::string& name, const std::string& options, int last_row) {
  std::string text = ReadText(DataPath("truth/box/" + name + ".yaml"));
  const std::string duration = "duration: 1.2}";
  text.replace(text.find(duration), duration.size(), "duration: 1.2, options: " + options + "}");
  SpatialRun run(text);
  const auto rows = ReadRows(DataPath("truth/box/" + name + ".csv"));
  EXPECT_EQ(rows.size(), 433u);
  Deviation worst;
  for (int k = 1; k <= last_row && k < static_cast<int>(rows.size()); ++k) {
    const StepResult& step = run.Step(1.0 / 360);
    const std::vector<double>& row = rows[k];
    const double sign =
        row[4] * step.end.q[3] + row[5] * step.end.q[4] + row[6] * step.end.q[5] + row[7] * step.end.q[6] < 0 ? -1 : 1;
    for (int i = 0; i < 3; ++i) worst.state = std::max(worst.state, std::abs(step.end.q[i] - row[1 + i]));
    for (int i = 0; i < 4; ++i) worst.state = std::max(worst.state, std::abs(sign * step.end.q[3 + i] - row[4 + i]));
    for (int i = 0; i < 6; ++i) worst.state = std::max(worst.state, std::abs(step.end.v[i] - row[8 + i]));
    int corners = 0;
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const ContactRecord& c : step.contacts) {
      corners |= 1 << c.contact;
      sum += Eigen::Vector3d(c.normal_impulse, c.tangential_impulse[0], c.tangential_impulse[1]);
    }
    worst.same_corners = worst.same_corners && corners == static_cast<int>(row[14]);
    worst.solved = worst.solved && step.status == StepStatus::kSolved;
    for (int i = 0; i < 3; ++i) worst.impulse = std::max(worst.impulse, std::abs(sum[i] - row[15 + i]));
  }
  ::testing::Test::RecordProperty(name + "_state", std::to_string(worst.state));
  return worst;
}

class MoreauTruth : public ::testing::TestWithParam<const char*> {};

TEST_P(MoreauTruth, StatesAndImpulsesOfEveryStep) {
  const Deviation worst = CompareWithTruth(GetParam(), "{}", 432);
  EXPECT_LE(worst.state, 1e-8);
  EXPECT_LE(worst.impulse, 1e-8);
  EXPECT_TRUE(worst.same_corners);
  EXPECT_TRUE(worst.solved);
}

/// toss5 is ambiguous from row 105; the least-norm selection follows the file to the end, and so does the iteration
/// itself.
TEST_P(MoreauTruth, JacobiSelection) {
  const Deviation worst = CompareWithTruth(GetParam(), "{selection: jacobi}", 432);
  EXPECT_LE(worst.state, 1e-8);
  EXPECT_LE(worst.impulse, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Box, MoreauTruth, ::testing::Values("toss1", "toss3", "toss4", "toss5"));

}  // namespace
}  // namespace ricochet::testing
