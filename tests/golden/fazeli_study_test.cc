// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Fazeli Table 1: the mean error of m/I from three impacts of 100 throws stays within 0.3, 1, 2 and 5 % for 40, 30, 20
// and 10 dB, or 2.5 of its standard error; plain least squares does not. The table is bench/study_fazeli.csv; a few
// throws are computed again.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "reproduce/fazeli_table.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

TEST(FazeliStudy, MeanErrorsStayWithinTheLimits) {
  std::ifstream in(testing::SourcePath("bench/study_fazeli.csv"));
  std::string line;
  std::getline(in, line);
  const std::map<double, double> limits = {{40, 0.3}, {30, 1}, {20, 2}, {10, 5}};
  int rows = 0;
  while (std::getline(in, line)) {
    for (char& c : line)
      if (c == ',') c = ' ';
    std::istringstream cells(line);
    std::string body;
    double snr = 0, runs = 0, found = 0, plain = 0, plain_std = 0, mean = 0, std = 0, error = 0;
    cells >> body >> snr >> runs >> found >> plain >> plain_std >> mean >> std >> error;
    EXPECT_EQ(runs, 100);
    EXPECT_GE(found, 99) << line;
    EXPECT_NEAR(error, std / std::sqrt(found), 1e-3) << line;
    EXPECT_LE(std::abs(mean), std::max(limits.at(snr), 2.5 * error)) << line;
    // Plain least squares is biased toward 0, and more so the more noise there is.
    if (snr <= 20) {
      EXPECT_LT(plain, -5) << line;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 8);
}

TEST(FazeliStudy, AFewThrowsComputedAgain) {
  for (const FazeliBody body : {FazeliBody::kBlock, FazeliBody::kEllipse}) {
    const FazeliCell quiet = MakeFazeliCell(body, 40, 4), loud = MakeFazeliCell(body, 20, 6);
    EXPECT_EQ(quiet.found, 4);
    EXPECT_LE(std::abs(quiet.mean), quiet.AllowedMean(0.3));
    EXPECT_LE(std::abs(loud.mean), loud.AllowedMean(2));
    EXPECT_LT(loud.plain_mean, loud.mean);
  }
}

}  // namespace
}  // namespace ricochet
