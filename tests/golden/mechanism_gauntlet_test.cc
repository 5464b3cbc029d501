// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A few seeds of bench/gauntlet_mechanisms.cc: recordings made by a simulator that shares no code with the library.
#include <fmt/format.h>
#include <gtest/gtest.h>

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

// Drag, which viscous friction imitates (completely, in a single pendulum), leaves no trace and is not counted.
TEST(MechanismGauntlet, NuisancesAreRarelyBelieved) {
  int believed = 0, wrong = 0;
  for (int k = 1; k < testing::kNuisances; ++k)
    for (const std::uint64_t seed : {9100, 9101}) {
      const auto nuisance = static_cast<Nuisance>(k);
      const MechanismCase given = MakeMechanismCase(seed, nuisance);
      const MechanismOutcome out = JudgeMechanismCase(given, false);
      const std::string words = fmt::format("{} {}: {}", NameOf(nuisance), seed, Describe(given, out));
      if (nuisance == Nuisance::kDegrees || nuisance == Nuisance::kMilliseconds) {
        EXPECT_EQ(out.level, "refused") << words;
        EXPECT_LT(out.seconds, 1) << words;
      } else if (out.level == "good" && nuisance != Nuisance::kDrag && nuisance != Nuisance::kQuadraticDrag) {
        ++believed;
        wrong += out.worst > 4;
        EXPECT_LT(out.worst, 8) << words;
      }
    }
  EXPECT_LE(wrong, 2) << "of " << believed;
}

}  // namespace
}  // namespace ricochet
