// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include <fmt/format.h>

#include "core/text.h"
#include "ricochet/error.h"
#include "ricochet/validate.h"
#include "scene/text/number_text.h"

namespace ricochet {

RollStart ParseRollStart(std::string_view word) {
  if (word == "release") return {RollStart::Kind::kRelease, 0};
  if (word == "contact") return {RollStart::Kind::kContact, 0};
  if (word == "first") return {RollStart::Kind::kFirst, 0};
  constexpr std::string_view kBelow = "below:";
  double height = 0;
  if (word.substr(0, kBelow.size()) == kBelow &&
      ParseNumber(word.substr(kBelow.size()), Quantity::kPosition, height) == NumberText::kGood)
    return {RollStart::Kind::kBelow, height};
  throw InputError({}, "start", fmt::format("unknown start `{}`.", Printable(word)),
                   "Use release, contact, first or below:HEIGHT, such as below:0.09.");
}

std::string FormatRollStart(const RollStart& start) {
  switch (start.kind) {
    case RollStart::Kind::kRelease:
      return "release";
    case RollStart::Kind::kContact:
      return "contact";
    case RollStart::Kind::kFirst:
      return "first";
    case RollStart::Kind::kBelow:
      break;
  }
  return "below:" + FormatDouble(start.height);
}

}  // namespace ricochet
