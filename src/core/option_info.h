// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// An option of a method is declared once, beside the method that obeys it: name, values, default, a line of help. Help
// texts, lists and refusals are made from the declaration. Declarations are constants:
//
//   constexpr std::string_view kRotations[] = {"explicit", "conserving"};
//   constexpr OptionInfo kRotation = {.name = "rotation", .kind = OptionKind::kWord, .words = kRotations};
//   constexpr OptionInfo kDirections = {.name = "directions", .number = 8, .lower = 4, .upper = 64, .whole = true};
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/error.h"

namespace ricochet {

enum class OptionKind {
  kNumber,
  kWord,  // one of `words`, the first of which is the default
  kText,  // a form of its own, which `words` lists; the method reads it
  kFlag,  // given or not
};

struct OptionInfo {
  std::string_view name;  // letters, digits and `_`; on the command line `-` in place of `_`
  OptionKind kind = OptionKind::kNumber;
  std::span<const std::string_view> words{};
  double number = std::numeric_limits<double>::quiet_NaN();  // default; not a number: the method chooses
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
  bool lower_excluded = false;
  bool whole = false;
  std::string_view unit{};
  std::string_view help{};
};

/// Options that were given, by name, as text.
using GivenOptions = std::map<std::string, std::string, std::less<>>;

/// "number > 0", "whole number from 4 to 64", "explicit or conserving".
std::string ValuesText(const OptionInfo& option);
/// "8", "explicit", "from the data".
std::string DefaultText(const OptionInfo& option);

/// Throw InputError, naming what the option takes, when it cannot have this value.
void CheckOptionNumber(const OptionInfo& option, double value, const SourcePosition& where, const std::string& path);
void CheckOptionWord(const OptionInfo& option, std::string_view word, const SourcePosition& where,
                     const std::string& path);

/// Values of an option, checked; its default where it is not given (of a number without default: none).
std::optional<double> NumberOf(const GivenOptions& given, const OptionInfo& option);
std::string_view WordOf(const GivenOptions& given, const OptionInfo& option);  // also of a text
bool FlagOf(const GivenOptions& given, const OptionInfo& option);

/// Throws InputError when an option in the list has been given a value that it cannot have.
void CheckGiven(const GivenOptions& given, std::span<const OptionInfo> options);

}  // namespace ricochet
