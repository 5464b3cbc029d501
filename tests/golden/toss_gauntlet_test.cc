// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few campaigns of the gauntlet of tosses (bench/gauntlet_tosses.cc): clean ones of an independent simulator with
// steps of 5 us, which the scene's step of 1 ms must not spoil, and such with one nuisance.
#include "tests/support/toss_gauntlet.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet::testing {
namespace {

TEST(TossGauntlet, CleanCampaignsAreGoodAndRight) {
  for (const std::uint64_t seed : {11u, 1000u, 1003u}) {
    const TossCase made = MakeTossCase("clean", seed);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    EXPECT_EQ(outcome.verdict, "good");
    for (int i = 0; i < 2; ++i) EXPECT_LT(std::abs(outcome.Pull(made, i)), 4) << i;
  }
}

// The scene's step is the user's wish for `simulate`; tosses know nothing of it.
TEST(TossGauntlet, TheStepIsNoPartOfTheAnswer) {
  TossCase made = MakeTossCase("clean", 5003);
  const TossOutcome first = RunTossCase(made);
  EXPECT_EQ(first.verdict, "good");
  for (const double step : {1.0 / 360, 1e-4}) {
    made.scene.Set("simulation.step", {step});
    const TossOutcome other = RunTossCase(made);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(other.value[i], first.value[i]) << step;
      EXPECT_EQ(other.std[i], first.std[i]) << step;
    }
  }
}

// Few tosses are no reason to refuse them: intervals are wider.
TEST(TossGauntlet, OneTossIsEnough) {
  const TossCase made = MakeTossCase("clean", 5004);
  ASSERT_EQ(made.recordings.size(), 1u);
  const TossOutcome outcome = RunTossCase(made);
  EXPECT_EQ(outcome.verdict, "good") << outcome.reason;
  for (int i = 0; i < 2; ++i) EXPECT_LT(std::abs(outcome.Pull(made, i)), 4) << i;
}

// Friction above which every impact sticks changes nothing: it is withheld or its interval reaches the truth, wherever
// the search starts.
TEST(TossGauntlet, FrictionOfImpactsThatStickIsNotPretended) {
  for (const std::uint64_t seed : {40123u, 40204u, 40216u, 40237u})
    for (const double start : {0.3, 0.0}) {
      TossCase made = MakeTossCase("clean", seed);
      if (start > 0) made.scene.Set("contact.friction", {start});
      const TossOutcome outcome = RunTossCase(made);
      SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
      EXPECT_EQ(outcome.verdict, "good");
      for (int i = 0; i < 2; ++i) EXPECT_FALSE(std::abs(outcome.Pull(made, i)) > 4) << i;
    }
}

// Bodies that never fly and only slide show friction; nothing shows restitution.
TEST(TossGauntlet, SlidingStartsShowFrictionOnly) {
  const TossCase made = MakeTossCase("slides", 9301);
  const TossOutcome outcome = RunTossCase(made);
  EXPECT_EQ(outcome.verdict, "limited") << outcome.reason;
  EXPECT_LT(std::abs(outcome.Pull(made, 0)), 4);
  EXPECT_TRUE(std::isnan(outcome.value[1])) << outcome.value[1];
}

TEST(TossGauntlet, NuisancesAreNeverGoodAndWrong) {
  for (const char* kind : {"tilt", "height"}) {
    const TossCase made = MakeTossCase(kind, 0);
    const TossOutcome outcome = RunTossCase(made);
    SCOPED_TRACE(TossRow(made, outcome) + " " + outcome.reason);
    if (outcome.verdict != "good") continue;
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(std::abs(outcome.Pull(made, i)) > 4);
  }
}

}  // namespace
}  // namespace ricochet::testing
