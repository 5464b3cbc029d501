// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/text/number_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>

#include "core/text.h"
#include "ricochet/parameter.h"

namespace ricochet {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Length of the number at the start of the text: sign, digits with at most one point, exponent. 0 when there is none.
std::size_t NumberLength(std::string_view text) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t start = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i - start;
  };
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  std::size_t count = digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    count += digits();
  }
  if (count == 0) return 0;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    const std::size_t before = i++;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) i = before;
  }
  return i;
}

bool IsNotFiniteWord(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (!text.empty() && text[0] == '.') text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

bool IsAngle(Quantity quantity) { return quantity == Quantity::kAngle || quantity == Quantity::kNonNegativeAngle; }

}  // namespace

NumberText ParseNumber(std::string_view text, Quantity quantity, double& value) {
  const std::size_t length = NumberLength(text);
  if (length == 0) return IsNotFiniteWord(text) ? NumberText::kNotFinite : NumberText::kNotANumber;
  std::string_view unit = text.substr(length);
  const bool spaced = !unit.empty() && unit.front() == ' ';
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  // A word after the number is a unit only where one is allowed or someone plainly meant one ("1 kg", not "1_000").
  double scale_numerator = 1, scale_denominator = 1;
  if (!unit.empty()) {
    const bool degrees =
        (unit == "deg" && IsAngle(quantity)) || (unit == "deg/s" && quantity == Quantity::kAngularVelocity);
    if (!degrees) return spaced ? NumberText::kWrongUnit : NumberText::kNotANumber;
    scale_numerator = std::numbers::pi;
    scale_denominator = 180;
  }
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  const auto [end, error] = std::from_chars(first, text.data() + length, value);
  if (error == std::errc::result_out_of_range) return NumberText::kOutOfRange;
  if (error != std::errc() || end != text.data() + length) return NumberText::kNotANumber;
  value = value * scale_numerator / scale_denominator;
  return std::isfinite(value) ? NumberText::kGood : NumberText::kOutOfRange;
}

NumberComplaint ExplainNumber(NumberText result, std::string_view text, Quantity quantity) {
  const std::string shown = Printable(text);
  const std::string_view unit = InfoOf(quantity).unit;
  const std::string in_unit = unit == "-"         ? "Write a plain number."
                              : IsAngle(quantity) ? "Write a number in rad, or in degrees as `30 deg`."
                              : quantity == Quantity::kAngularVelocity
                                  ? "Write a number in rad/s, or in degrees as `90 deg/s`."
                                  : fmt::format("Write a number in {}.", unit);
  switch (result) {
    case NumberText::kNotFinite:
      return {fmt::format("`{}` is not a finite number.", shown), in_unit};
    case NumberText::kOutOfRange:
      return {fmt::format("`{}` is out of the range of a double.", shown), in_unit};
    case NumberText::kWrongUnit:
      return {fmt::format("`{}` has a unit that is not supported here.", shown),
              IsAngle(quantity) || quantity == Quantity::kAngularVelocity ? in_unit
              : unit == "-"                                               ? "Write the number alone."
                            : fmt::format("Write the number alone; it is in {}.", unit)};
    default:
      return {fmt::format("`{}` is not a number.", shown), in_unit};
  }
}

NumberComplaint ExplainBounds(double value, Quantity quantity) {
  const ParameterInfo& info = InfoOf(quantity);
  if (!std::isfinite(value)) {
    return {fmt::format("{} is not a finite number.", FormatDouble(value)), std::string(info.remedy)};
  }
  return {fmt::format("{} is not valid: {}.", WithUnit(value, quantity), info.statement), std::string(info.remedy)};
}

std::string FormatSceneNumber(double value) {
  std::string text = FormatDouble(value);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string WithUnit(double value, Quantity quantity) {
  const std::string_view unit = InfoOf(quantity).unit;
  return unit == "-" ? FormatDouble(value) : fmt::format("{} {}", FormatDouble(value), unit);
}

}  // namespace ricochet
