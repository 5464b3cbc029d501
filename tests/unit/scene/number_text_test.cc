// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/text/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

namespace ricochet {
namespace {

double Read(std::string_view text, Quantity quantity = Quantity::kPlain) {
  double value = std::nan("");
  EXPECT_EQ(ParseNumber(text, quantity, value), NumberText::kGood) << text;
  return value;
}

NumberText Result(std::string_view text, Quantity quantity = Quantity::kPlain) {
  double value = 0;
  return ParseNumber(text, quantity, value);
}

TEST(NumberText, ReadsYamlAndJsonForms) {
  EXPECT_EQ(Read("3"), 3);
  EXPECT_EQ(Read("+3"), 3);
  EXPECT_EQ(Read("-0.5"), -0.5);
  EXPECT_EQ(Read(".5"), 0.5);
  EXPECT_EQ(Read("5."), 5);
  EXPECT_EQ(Read("1e-3"), 1e-3);
  EXPECT_EQ(Read("1.0e-3"), 1e-3);
  EXPECT_EQ(Read("1E+3"), 1e3);
  EXPECT_EQ(Read("0.1"), 0.1);
  EXPECT_EQ(Read("007"), 7);
}

TEST(NumberText, ReadsDegreesWhereAnAngleStands) {
  EXPECT_EQ(Read("180 deg", Quantity::kAngle), std::numbers::pi);
  EXPECT_EQ(Read("90 deg", Quantity::kAngle), std::numbers::pi / 2);
  EXPECT_EQ(Read("-30deg", Quantity::kAngle), -std::numbers::pi / 6);
  EXPECT_EQ(Read("1e1 deg", Quantity::kNonNegativeAngle), 10 * std::numbers::pi / 180);
  EXPECT_EQ(Read("360 deg/s", Quantity::kAngularVelocity), 2 * std::numbers::pi);
  EXPECT_EQ(Result("30 deg", Quantity::kMass), NumberText::kWrongUnit);
  EXPECT_EQ(Result("30 deg", Quantity::kAngularVelocity), NumberText::kWrongUnit);
  EXPECT_EQ(Result("30 rad", Quantity::kAngle), NumberText::kWrongUnit);
}

TEST(NumberText, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "abc", "-", ".", "e5", "1e", "1.2.3", "1,5", "0x10", "1_000", "--1", "true", "1:30"}) {
    EXPECT_EQ(Result(text), NumberText::kNotANumber) << text;
  }
  for (const char* text : {"nan", ".nan", "NaN", "inf", "-inf", ".inf", "-.INF", "+Infinity"}) {
    EXPECT_EQ(Result(text), NumberText::kNotFinite) << text;
  }
  for (const char* text : {"1e999", "-1e999", "1e-999"}) EXPECT_EQ(Result(text), NumberText::kOutOfRange) << text;
  EXPECT_EQ(Result("1 kg", Quantity::kMass), NumberText::kWrongUnit);
}

TEST(NumberText, WritesWhatPythonReadsAsANumberToo) {
  EXPECT_EQ(FormatSceneNumber(1e-8), "1.0e-08");
  EXPECT_EQ(FormatSceneNumber(1.5e-8), "1.5e-08");
  EXPECT_EQ(FormatSceneNumber(0.3), "0.3");
  EXPECT_EQ(FormatSceneNumber(2), "2");
  EXPECT_EQ(FormatSceneNumber(1e22), "1.0e+22");
}

TEST(NumberText, RoundTripsEveryDouble) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto bits = random();
    double value;
    static_assert(sizeof(bits) == sizeof(value));
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(Read(FormatSceneNumber(value)), value);
  }
  for (const double value : {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), -0.0}) {
    EXPECT_EQ(Read(FormatSceneNumber(value)), value);
  }
}

}  // namespace
}  // namespace ricochet
