// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "core/option_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/text.h"

namespace ricochet {
namespace {

constexpr std::string_view kOn = "true", kOff = "false";

std::string JoinWords(std::span<const std::string_view> words) {
  return JoinList(std::vector<std::string>(words.begin(), words.end()), "or");
}

double ParseOptionNumber(const OptionInfo& option, const std::string& text) {
  double value = NAN;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size())
    throw InputError({}, std::string(option.name), fmt::format("`{}` is not a number.", Printable(text)),
                     fmt::format("Give a {}.", ValuesText(option)));
  CheckOptionNumber(option, value, {}, std::string(option.name));
  return value;
}

}  // namespace

std::string ValuesText(const OptionInfo& option) {
  if (option.kind == OptionKind::kFlag) return "flag";
  if (option.kind != OptionKind::kNumber) return JoinWords(option.words);
  const std::string unit = option.unit.empty() ? "" : fmt::format(" [{}]", option.unit);
  const std::string_view noun = option.whole ? "whole number" : "number";
  const bool below = std::isfinite(option.lower), above = std::isfinite(option.upper);
  if (below && above && !option.lower_excluded)
    return fmt::format("{} from {:g} to {:g}{}", noun, option.lower, option.upper, unit);
  std::string out(noun);
  if (below) out += fmt::format(" {} {:g}", option.lower_excluded ? ">" : ">=", option.lower);
  if (above) out += fmt::format("{} <= {:g}", below ? " and" : "", option.upper);
  return out + unit;
}

std::string DefaultText(const OptionInfo& option) {
  if (option.kind == OptionKind::kFlag) return "off";
  if (option.kind != OptionKind::kNumber) return std::string(option.words.front());
  return std::isnan(option.number) ? "from the data" : fmt::format("{:g}", option.number);
}

void CheckOptionNumber(const OptionInfo& option, double value, const SourcePosition& where, const std::string& path) {
  const bool in_bounds =
      (option.lower_excluded ? value > option.lower : value >= option.lower) && value <= option.upper;
  if (std::isfinite(value) && in_bounds && (!option.whole || value == std::round(value))) return;
  throw InputError(where, path, fmt::format("{:g} is not one of its values.", value),
                   fmt::format("Give a {}.", ValuesText(option)));
}

void CheckOptionWord(const OptionInfo& option, std::string_view word, const SourcePosition& where,
                     const std::string& path) {
  if (std::find(option.words.begin(), option.words.end(), word) != option.words.end()) return;
  throw InputError(where, path, fmt::format("`{}` is not one of its values.", Printable(word)),
                   fmt::format("Use {}.", JoinWords(option.words)));
}

std::optional<double> NumberOf(const GivenOptions& given, const OptionInfo& option) {
  const auto found = given.find(option.name);
  if (found != given.end()) return ParseOptionNumber(option, found->second);
  return std::isnan(option.number) ? std::nullopt : std::optional(option.number);
}

std::string_view WordOf(const GivenOptions& given, const OptionInfo& option) {
  const auto found = given.find(option.name);
  if (found == given.end()) return option.words.front();
  if (option.kind == OptionKind::kWord) CheckOptionWord(option, found->second, {}, std::string(option.name));
  return found->second;
}

bool FlagOf(const GivenOptions& given, const OptionInfo& option) {
  const auto found = given.find(option.name);
  if (found == given.end()) return false;
  if (found->second != kOn && found->second != kOff)
    throw InputError({}, std::string(option.name),
                     fmt::format("`{}` is neither {} nor {}.", Printable(found->second), kOn, kOff),
                     fmt::format("Use {}, or omit it.", kOn));
  return found->second == kOn;
}

void CheckGiven(const GivenOptions& given, std::span<const OptionInfo> options) {
  for (const OptionInfo& option : options) switch (option.kind) {
      case OptionKind::kNumber:
        NumberOf(given, option);
        break;
      case OptionKind::kFlag:
        FlagOf(given, option);
        break;
      case OptionKind::kWord:
      case OptionKind::kText:
        WordOf(given, option);
        break;
    }
}

}  // namespace ricochet
