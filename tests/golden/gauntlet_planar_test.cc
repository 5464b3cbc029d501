// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The gauntlet of planar recordings (tests/support/gauntlet_planar.h): its generator against `event`, a few of its
// cases computed again, and the rates of the committed table bench/gauntlet_planar.csv.
#include "tests/support/gauntlet_planar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

using testing::PlanarCase;
using testing::PlanarNuisance;
using testing::PlanarOutcome;

TEST(GauntletPlanar, TwoSimulatorsWithoutCommonCodeAgree) {
  std::vector<double> apart;
  for (std::uint64_t seed = 900; seed < 920; ++seed) apart.push_back(testing::DistanceFromEvent(seed));
  std::sort(apart.begin(), apart.end());
  EXPECT_LT(apart[10], 1e-5);
  EXPECT_LT(apart[17], 1e-3);  // rows of bounces that end amplify differences of rounding
}

TEST(GauntletPlanar, CleanRecordingsAreRightOrSaySo) {
  int good = 0, pulls = 0, covered = 0;
  for (std::uint64_t seed = 900; seed < 930; ++seed) {
    const PlanarCase one = testing::MakePlanarCase(seed);
    const PlanarOutcome outcome = testing::RunPlanarCase(one);
    EXPECT_NE(outcome.verdict, "refused") << seed << " " << outcome.words;
    if (outcome.verdict != "good") continue;
    ++good;
    EXPECT_LT(outcome.Worst(), 4) << seed;
    for (const std::optional<double>& pull : outcome.pulls) {
      if (!pull) continue;
      ++pulls;
      covered += std::abs(*pull) < 1.96;
    }
  }
  EXPECT_GE(good, 27);
  EXPECT_GE(covered, 0.85 * pulls);  // 95 % expected
}

/// Recordings of one body whose own noise, or whose common parameters, led to wrong contacts.
TEST(GauntletPlanar, SeveralRecordingsAgreeOnTheirContacts) {
  for (const std::uint64_t seed : {82, 113, 172, 201}) {
    const PlanarCase one = testing::MakePlanarCase(seed);
    ASSERT_GT(one.recordings.size(), 1u);
    const PlanarOutcome outcome = testing::RunPlanarCase(one);
    EXPECT_EQ(outcome.verdict, "good") << seed << " " << outcome.words;
    EXPECT_LT(outcome.Worst(), 4) << seed;
  }
}

/// Searches that meet motions without derivatives, and recordings that are fitted only together.
TEST(GauntletPlanar, SearchesGoOnWhereDerivativesEnd) {
  for (const std::uint64_t seed : {60151, 60236}) {
    const PlanarOutcome outcome = testing::RunPlanarCase(testing::MakePlanarCase(seed));
    EXPECT_EQ(outcome.verdict, "good") << seed << " " << outcome.words;
    EXPECT_LT(outcome.Worst(), 4) << seed;
  }
}

/// Wrong units and axes are refused by name.
TEST(GauntletPlanar, DiscreteMistakesAreNamed) {
  for (const PlanarNuisance& nuisance : testing::PlanarNuisances()) {
    if (!nuisance.discrete) continue;
    const PlanarOutcome outcome = testing::RunPlanarCase(testing::MakePlanarCase(2, &nuisance, 1), &nuisance, false);
    EXPECT_EQ(outcome.verdict, "refused") << nuisance.name;
    EXPECT_TRUE(outcome.right_named) << nuisance.name << ": " << outcome.words;
  }
}

/// One thing that differs between the world and the scene, at sizes from invisible to gross.
TEST(GauntletPlanar, MistakesAreNotBelieved) {
  int gross = 0, named = 0;
  std::uint64_t seed = 940;
  for (const PlanarNuisance& nuisance : testing::PlanarNuisances()) {
    if (nuisance.discrete) continue;
    for (const double level : {0.3, 3.0}) {
      const PlanarOutcome outcome =
          testing::RunPlanarCase(testing::MakePlanarCase(++seed, &nuisance, level), &nuisance, false);
      EXPECT_FALSE(outcome.verdict == "good" && outcome.Worst() > 4) << nuisance.name << " " << level << " " << seed;
      if (nuisance.paths.empty() || !(outcome.over_noise.value_or(0) > 3)) continue;
      ++gross;
      named += outcome.right_named;
    }
  }
  EXPECT_GE(named, 0.6 * gross);
}

/// What docs/measured/trajectory.md says of the committed table.
TEST(GauntletPlanar, CommittedTable) {
  std::ifstream in(testing::SourcePath("bench/gauntlet_planar.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, testing::kPlanarColumns);
  int clean = 0, good = 0, wrong = 0;
  while (std::getline(in, line)) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    ASSERT_GE(cells.size(), 19u);
    if (cells[1] != "clean") continue;
    ++clean;
    if (cells[9] != "good") continue;
    ++good;
    for (std::size_t i = 11; i < 14; ++i) wrong += !cells[i].empty() && std::abs(std::stod(cells[i])) > 4;
  }
  EXPECT_GE(clean, 400);
  EXPECT_GE(good, 0.96 * clean);
  EXPECT_LE(wrong, 0.005 * clean);
}

}  // namespace
}  // namespace ricochet
