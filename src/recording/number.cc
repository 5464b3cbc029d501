// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace ricochet {
namespace {

constexpr int kMostDigits = 15;
constexpr std::array<double, kMostDigits + 1> kPowersOfTen = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                              1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

// Whether eight bytes are digits: adding 0x46 lifts what is above '9' to the high bit, subtracting 0x30 what is below
// '0'.
bool AreEightDigits(std::uint64_t bytes) {
  return (((bytes + 0x4646464646464646u) | (bytes - 0x3030303030303030u)) & 0x8080808080808080u) == 0;
}

// Their value, the first byte being the lowest: pairs, then fours, then all eight.
std::uint64_t EightDigits(std::uint64_t bytes) {
  bytes -= 0x3030303030303030u;
  bytes = bytes * 10 + (bytes >> 8);
  constexpr std::uint64_t kMask = 0x000000FF000000FFu;
  return ((bytes & kMask) * 0x000F424000000064u + (bytes >> 16 & kMask) * 0x0000271000000001u) >> 32;
}

// The case of few digits and no exponent; false when this is not one.
bool ReadShortNumber(const char*& p, const char* end, double& value) {
  const char* q = p;
  const bool negative = *q == '-';
  if (negative) ++q;
  std::uint64_t w = 0;
  const char* const whole = q;
  for (; IsDigit(*q); ++q) w = w * 10 + static_cast<std::uint64_t>(*q - '0');
  std::ptrdiff_t digits = q - whole;
  std::ptrdiff_t decimals = 0;
  if (*q == '.') {
    const char* const fraction = ++q;
    if constexpr (std::endian::native == std::endian::little) {
      std::uint64_t bytes = 0;
      if (end - q >= 16 && (std::memcpy(&bytes, q, 8), AreEightDigits(bytes))) {
        w = w * 100000000 + EightDigits(bytes);
        q += 8;
        std::memcpy(&bytes, q, 8);
        if (AreEightDigits(bytes)) return false;  // sixteen decimals: the usual text of a computed double
      }
    }
    for (; IsDigit(*q); ++q) w = w * 10 + static_cast<std::uint64_t>(*q - '0');
    decimals = q - fraction;
    digits += decimals;
  }
  if (digits == 0 || digits > kMostDigits || *q == 'e' || *q == 'E') return false;
  const double magnitude = static_cast<double>(w) / kPowersOfTen[static_cast<std::size_t>(decimals)];
  value = negative ? -magnitude : magnitude;
  p = q;
  return true;
}

// Whether a number that std::from_chars calls out of range is too large (otherwise it is too small): the decimal
// exponent of its first significant digit decides.
bool IsHuge(std::string_view number) {
  std::int64_t exponent = 0;
  bool point = false, significant = false;
  std::size_t i = 0;
  for (; i < number.size() && number[i] != 'e' && number[i] != 'E'; ++i) {
    if (number[i] == '.') {
      point = true;
      continue;
    }
    significant = significant || number[i] != '0';
    if (significant && !point) ++exponent;
    if (!significant && point) --exponent;
  }
  if (i < number.size()) {
    std::string_view written = number.substr(i + 1);
    const bool negative = written.starts_with('-');
    if (negative || written.starts_with('+')) written.remove_prefix(1);
    std::int64_t value = 0;
    for (const char c : written) value = std::min<std::int64_t>(value * 10 + (c - '0'), 1000000000000);
    exponent += negative ? -value : value;
  }
  return exponent > 0;
}

}  // namespace

NumberStatus ReadNumber(const char*& p, const char* end, double& value) {
  if (ReadShortNumber(p, end, value)) return NumberStatus::kOk;
  // std::from_chars takes no plus sign, and takes the words inf and nan, which are no numbers here.
  const char* const first = *p == '+' ? p + 1 : p;
  const char* const digit = *p == '-' ? p + 1 : first;
  if (!IsDigit(*digit) && !(*digit == '.' && IsDigit(digit[1]))) return NumberStatus::kNotANumber;
  const auto result = std::from_chars(first, end, value);
  if (result.ec == std::errc::result_out_of_range) {
    if (IsHuge(std::string_view(digit, static_cast<std::size_t>(result.ptr - digit)))) return NumberStatus::kTooLarge;
    value = *first == '-' ? -0.0 : 0.0;
  }
  p = result.ptr;
  return NumberStatus::kOk;
}

}  // namespace ricochet
