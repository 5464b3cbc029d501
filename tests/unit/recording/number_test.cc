// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "core/random.h"
#include "core/text.h"

namespace ricochet {
namespace {

// Reads all of the text; NaN when it is not one whole number.
double Read(const std::string& text, NumberStatus* status = nullptr) {
  const std::string line = text + "\n";
  const char* p = line.data();
  const char* const end = p + text.size();
  double value = 0;
  const NumberStatus result = ReadNumber(p, end, value);
  if (status != nullptr) *status = result;
  return result == NumberStatus::kOk && p == end ? value : std::numeric_limits<double>::quiet_NaN();
}

std::uint64_t Bits(double x) { return std::bit_cast<std::uint64_t>(x); }

TEST(ReadNumber, Forms) {
  EXPECT_EQ(Read("0"), 0.0);
  EXPECT_EQ(Bits(Read("-0")), Bits(-0.0));
  EXPECT_EQ(Bits(Read("-0.000")), Bits(-0.0));
  EXPECT_EQ(Read("+1.5"), 1.5);
  EXPECT_EQ(Read(".5"), 0.5);
  EXPECT_EQ(Read("-.5"), -0.5);
  EXPECT_EQ(Read("5."), 5.0);
  EXPECT_EQ(Read("1e3"), 1000.0);
  EXPECT_EQ(Read("1E+3"), 1000.0);
  EXPECT_EQ(Read("12.5e-1"), 1.25);
  EXPECT_EQ(Read("+.5e1"), 5.0);
  EXPECT_EQ(Read("0.1"), 0.1);
  EXPECT_EQ(Read("123456789.123456"), 123456789.123456);
  EXPECT_EQ(Read("9007199254740993"), 9007199254740992.0);  // halfway, to even
  EXPECT_EQ(Read("0.12345678"), 0.12345678);
  EXPECT_EQ(Read("0.1234567812345678"), 0.1234567812345678);
  EXPECT_EQ(Read("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(Read(std::string(1000, '0') + "7"), 7.0);
  EXPECT_EQ(Read("1" + std::string(300, '0')), 1e300);
}

TEST(ReadNumber, WordsAndFragmentsAreNoNumbers) {
  for (const char* text : {"", "-", "+", ".", "-.", "e5", "nan", "inf", "-inf", "infinity", "+-1", "-+1", "--1", "x"}) {
    NumberStatus status{};
    Read(text, &status);
    EXPECT_EQ(status, NumberStatus::kNotANumber) << text;
  }
  for (const char* text : {"1e", "1e+", "1x", "0x10", "1.2.3", "1 2", "1_000", "1f"})
    EXPECT_TRUE(std::isnan(Read(text)));
}

TEST(ReadNumber, RangeOfDoubles) {
  NumberStatus status{};
  EXPECT_EQ(Read("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(Read("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(Read("2.2250738585072011e-308"), 2.2250738585072011e-308);
  EXPECT_EQ(Bits(Read("-1e-400")), Bits(-0.0));
  EXPECT_EQ(Read("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(Read("0." + std::string(400, '0') + "1"), 0.0);
  for (const std::string& text :
       {std::string("1e309"), std::string("-1e99999999999999999999"), "1" + std::string(400, '0')}) {
    Read(text, &status);
    EXPECT_EQ(status, NumberStatus::kTooLarge) << text;
  }
}

// All ways to write a number with few or many digits agree with the standard library to the last bit.
TEST(ReadNumber, IsExactlyRounded) {
  Random random(3);
  for (int i = 0; i < 200000; ++i) {
    std::string text = random.Below(2) == 0 ? "" : "-";
    const int whole = static_cast<int>(random.Below(8)), decimals = static_cast<int>(random.Below(20));
    text += static_cast<char>('0' + random.Below(10));
    for (int k = 0; k < whole; ++k) text += static_cast<char>('0' + random.Below(10));
    text += '.';
    for (int k = 0; k < decimals; ++k) text += static_cast<char>('0' + random.Below(10));
    if (random.Below(4) == 0) text.append("e").append(std::to_string(static_cast<int>(random.Below(60)) - 30));
    double expected = 0;
    std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(Bits(Read(text)), Bits(expected)) << text;
  }
}

TEST(ReadNumber, UndoesFormatDouble) {
  Random random(4);
  for (int i = 0; i < 200000; ++i) {
    const double x = std::bit_cast<double>(random.Bits());
    if (!std::isfinite(x)) continue;
    ASSERT_EQ(Bits(Read(FormatDouble(x))), Bits(x));
  }
}

}  // namespace
}  // namespace ricochet
