// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/option_info.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

constexpr std::string_view kColors[] = {"red", "green"};
constexpr OptionInfo kColor = {.name = "color", .kind = OptionKind::kWord, .words = kColors};
constexpr OptionInfo kCount = {.name = "count", .number = 8, .lower = 4, .upper = 64, .whole = true};
constexpr OptionInfo kWeight = {.name = "weight", .lower = 0, .lower_excluded = true, .unit = "kg"};
constexpr OptionInfo kQuiet = {.name = "quiet", .kind = OptionKind::kFlag};
constexpr OptionInfo kAll[] = {kColor, kCount, kWeight, kQuiet};

std::string OptionProblem(const GivenOptions& given) {
  try {
    CheckGiven(given, kAll);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(accepted)";
}

TEST(OptionInfo, GivesDefaultsAndGivenValues) {
  EXPECT_EQ(WordOf({}, kColor), "red");
  EXPECT_EQ(*NumberOf({}, kCount), 8);
  EXPECT_FALSE(NumberOf({}, kWeight));
  EXPECT_FALSE(FlagOf({}, kQuiet));
  const GivenOptions given = {{"color", "green"}, {"count", "12"}, {"weight", "2.5e-1"}, {"quiet", "true"}};
  EXPECT_EQ(OptionProblem(given), "(accepted)");
  EXPECT_EQ(WordOf(given, kColor), "green");
  EXPECT_EQ(*NumberOf(given, kCount), 12);
  EXPECT_EQ(*NumberOf(given, kWeight), 0.25);
  EXPECT_TRUE(FlagOf(given, kQuiet));
}

TEST(OptionInfo, RefusesWhatAnOptionCannotBeAndSaysWhatItCan) {
  EXPECT_EQ(OptionProblem({{"color", "blue"}}), "color: `blue` is not one of its values. Use red or green.");
  EXPECT_EQ(OptionProblem({{"count", "3"}}), "count: 3 is not one of its values. Give a whole number from 4 to 64.");
  EXPECT_EQ(OptionProblem({{"count", "4.5"}}),
            "count: 4.5 is not one of its values. Give a whole number from 4 to 64.");
  EXPECT_EQ(OptionProblem({{"count", "65"}}), "count: 65 is not one of its values. Give a whole number from 4 to 64.");
  EXPECT_EQ(OptionProblem({{"weight", "0"}}), "weight: 0 is not one of its values. Give a number > 0 [kg].");
  EXPECT_EQ(OptionProblem({{"weight", "inf"}}), "weight: inf is not one of its values. Give a number > 0 [kg].");
  EXPECT_EQ(OptionProblem({{"weight", "nan"}}), "weight: nan is not one of its values. Give a number > 0 [kg].");
  EXPECT_EQ(OptionProblem({{"weight", "2 kg"}}), "weight: `2 kg` is not a number. Give a number > 0 [kg].");
  EXPECT_EQ(OptionProblem({{"quiet", "maybe"}}), "quiet: `maybe` is neither true nor false. Use true, or omit it.");
}

}  // namespace
}  // namespace ricochet
