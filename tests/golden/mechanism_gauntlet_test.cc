// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few seeds of bench/gauntlet_mechanisms.cc: recordings made by a simulator that shares no code with the library.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/support/random_mechanism.h"

namespace ricochet {
namespace {

using testing::MakeMechanismCase;
using testing::MechanismCase;
using testing::MechanismOutcome;
using testing::Nuisance;

std::string Describe(const MechanismCase& given, const MechanismOutcome& out) {
  return fmt::format("{} joints, size {:.3g}: {}, largest error {:.2f} standard deviations, residuals {:.3g}, first {}",
                     given.joints, given.size, out.level, out.worst, out.over_noise, out.first);
}

TEST(MechanismGauntlet, CleanRecordings) {
  int good = 0, estimates = 0, covered = 0;
  constexpr int kCases = 12;
  for (int seed = 9000; seed < 9000 + kCases; ++seed) {
    const MechanismCase given = MakeMechanismCase(static_cast<std::uint64_t>(seed), Nuisance::kNone);
    const MechanismOutcome out = JudgeMechanismCase(given, false);
    good += out.level == "good";
    estimates += out.estimates;
    covered += out.covered;
    EXPECT_NE(out.level, "refused") << seed << ": " << Describe(given, out);
    EXPECT_LT(out.worst, 4) << seed << ": " << Describe(given, out);
  }
  EXPECT_GE(good, kCases - 1);
  EXPECT_GT(covered, 0.85 * estimates);
}

TEST(MechanismGauntlet, NuisancesAreNotBelieved) {
  for (int k = 1; k < testing::kNuisances; ++k)
    for (const std::uint64_t seed : {9100, 9101}) {
      const auto nuisance = static_cast<Nuisance>(k);
      const MechanismCase given = MakeMechanismCase(seed, nuisance);
      const MechanismOutcome out = JudgeMechanismCase(given, false);
      const std::string words = fmt::format("{} {}: {}", NameOf(nuisance), seed, Describe(given, out));
      if (nuisance == Nuisance::kDegrees || nuisance == Nuisance::kMilliseconds) {
        EXPECT_EQ(out.level, "refused") << words;
        EXPECT_LT(out.seconds, 1) << words;
      } else if (out.level == "good") {
        EXPECT_LT(out.worst, 4) << words;
      }
    }
}

// Friction imitates drag, completely in a single pendulum, and inertia a spring: nothing shows, and intervals cover it.
TEST(MechanismGauntlet, IntervalsIncludeWhatNobodySees) {
  for (const auto& [seed, nuisance] : {std::pair<std::uint64_t, Nuisance>{70016, Nuisance::kDrag},
                                       {70037, Nuisance::kDrag},
                                       {70033, Nuisance::kDrag},
                                       {70016, Nuisance::kQuadraticDrag},
                                       {70020, Nuisance::kSpring}}) {
    const MechanismCase given = MakeMechanismCase(seed, nuisance);
    const MechanismOutcome out = JudgeMechanismCase(given, false);
    EXPECT_EQ(out.level, "good") << seed;
    EXPECT_LT(out.worst, 4) << NameOf(nuisance) << " " << seed << ": " << Describe(given, out);
  }
}

// A fit without friction is so far off that no test at it points to friction.
TEST(MechanismGauntlet, LargeFrictionIsNamed) {
  for (const std::uint64_t seed : {70019, 70020, 70035}) {
    const MechanismCase given = MakeMechanismCase(seed, Nuisance::kCoulomb);
    const MechanismOutcome out = JudgeMechanismCase(given, false);
    EXPECT_EQ(out.level, "rejected") << seed;
    EXPECT_EQ(out.first, given.explanation) << seed;
  }
}

// Wrong inertias and motors blur the relation of gravity and acceleration in a chain.
TEST(MechanismGauntlet, DegreesOfChains) {
  for (const std::uint64_t seed : {70007, 70014, 70025, 70039}) {
    const MechanismOutcome out = JudgeMechanismCase(MakeMechanismCase(seed, Nuisance::kDegrees), false);
    EXPECT_EQ(out.level, "refused") << seed;
    EXPECT_NE(out.first.find("degrees"), std::string::npos) << out.first;
  }
}

}  // namespace
}  // namespace ricochet
