// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The table bench/study_penetration.csv and a subset of it computed again: irc and lcp penetrate by h |vn| at an impact
// and drift by order h over a fixed time, igc ends every step without penetration.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/penetration.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

struct PenetrationRow {
  double fraction, mean, largest, excess;
};

std::map<std::string, std::vector<PenetrationRow>> ReadStudy() {
  std::ifstream in(testing::SourcePath("bench/study_penetration.csv"));
  std::string line;
  std::getline(in, line);
  std::map<std::string, std::vector<PenetrationRow>> study;
  while (std::getline(in, line)) {
    for (char& c : line)
      if (c == ',') c = ' ';
    std::istringstream cells(line);
    std::string method;
    PenetrationRow row{};
    int scenes = 0;
    cells >> method >> row.fraction >> scenes >> row.mean >> row.largest >> row.excess;
    study[method].push_back(row);
  }
  return study;
}

TEST(PenetrationStudy, IsOfFirstOrderInTheStep) {
  const auto study = ReadStudy();
  for (const char* method : {"irc", "lcp"}) {
    ASSERT_EQ(study.at(method).size(), 5u) << method;
    const PenetrationRow &first = study.at(method).front(), &last = study.at(method).back();
    const double order = std::log(first.mean / last.mean) / std::log(first.fraction / last.fraction);
    EXPECT_GT(order, 0.9) << method;
    EXPECT_LT(order, 1.3) << method;
    for (const PenetrationRow& row : study.at(method)) EXPECT_LT(row.excess, 1.0) << method;
  }
  for (const PenetrationRow& row : study.at("igc")) EXPECT_LT(row.largest, 1e-12);
}

TEST(PenetrationStudy, ASubsetComputedAgainObeysTheSameLimits) {
  for (const char* method : {"irc", "lcp"}) {
    const auto coarse = testing::MeasurePenetration(method, 40, 1.0),
               fine = testing::MeasurePenetration(method, 40, 0.125);
    const double order = std::log(coarse.mean / fine.mean) / std::log(8);
    EXPECT_GT(order, 0.8) << method;
    EXPECT_LT(order, 1.4) << method;
    EXPECT_LT(coarse.largest_excess, 1.0) << method;
  }
  EXPECT_LT(testing::MeasurePenetration("igc", 40, 1.0).largest, 1e-12);
}

}  // namespace
}  // namespace ricochet
