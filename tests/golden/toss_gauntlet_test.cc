// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few campaigns of the gauntlet of tosses (bench/gauntlet_tosses.cc), without the scene's step and with one nuisance
// each.
#include "tests/support/toss_gauntlet.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::testing {
namespace {

TEST(TossGauntlet, CleanCampaignsAreRight) {
  for (const std::uint64_t seed : {2u, 3u, 5u}) {
    const TossCase made = MakeTossCase("clean", seed);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    EXPECT_TRUE(outcome.verdict == "good" || outcome.verdict == "limited");
    for (int i = 0; i < 2; ++i) EXPECT_LT(std::abs(outcome.Pull(made, i)), 4) << i;
  }
}

TEST(TossGauntlet, NuisancesAreNeverGoodAndWrong) {
  for (const char* kind : {"frame", "center_of_mass", "size", "gravity"}) {
    const TossCase made = MakeTossCase(kind, 0);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    if (outcome.verdict != "good") continue;
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(std::abs(outcome.Pull(made, i)) > 4);
  }
}

}  // namespace
}  // namespace ricochet::testing
