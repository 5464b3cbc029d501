// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The table bench/study_trajectory_starts.csv (rates at which planar `trajectory` reaches the best known fit from 100
// disturbed starts), and a few starts computed again.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/test_paths.h"
#include "tests/support/trajectory_starts.h"

namespace ricochet {
namespace {

TEST(TrajectoryStarts, BlindStartsReachTheBestKnownFit) {
  std::ifstream in(testing::SourcePath("bench/study_trajectory_starts.csv"));
  std::string line;
  std::getline(in, line);
  int rows = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string kind, spread, starts, reached;
    std::getline(cells, kind, ',');
    std::getline(cells, spread, ',');
    std::getline(cells, starts, ',');
    std::getline(cells, reached, ',');
    EXPECT_EQ(starts, "100");
    if (kind == "blind") {
      EXPECT_GE(std::stoi(reached), 95);
    }
    if (kind == "local" && spread == "0.003") {
      EXPECT_GE(std::stoi(reached), 80);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 5);
}

TEST(TrajectoryStarts, AFewStartsComputedAgain) {
  const testing::StartRate blind = testing::BlindStarts(12), local = testing::LocalStarts(10, 0.003);
  EXPECT_GE(blind.reached, 11);  // two starts for each of six recordings
  EXPECT_GE(local.reached, 7);
}

}  // namespace
}  // namespace ricochet
