// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few campaigns of the gauntlet of tosses (bench/gauntlet_tosses.cc), and what its committed table shows.
#include "tests/support/toss_gauntlet.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::testing {
namespace {

TEST(TossGauntlet, CleanCampaignsAreRight) {
  for (const std::uint64_t seed : {0u, 1u, 2u, 3u}) {
    const TossCase made = MakeTossCase("clean", seed);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    EXPECT_TRUE(outcome.verdict == "good" || outcome.verdict == "limited");
    for (int i = 0; i < 2; ++i) EXPECT_LT(std::abs(outcome.Pull(made, i)), 4);
  }
}

// Gravity, tracked frame and surface are contradicted by flights and rests, whatever contact absorbs.
TEST(TossGauntlet, NuisancesAreNeverGoodAndWrong) {
  for (const char* kind : {"frame", "tilt", "height", "surface_tilt", "gravity"}) {
    const TossCase made = MakeTossCase(kind, 1);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    if (outcome.verdict != "good") continue;
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(std::abs(outcome.Pull(made, i)) > 4);
  }
}

}  // namespace
}  // namespace ricochet::testing
