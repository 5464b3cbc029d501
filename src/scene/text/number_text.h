// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Numbers as people write them in scenes and on the command line.
#pragma once

#include <string>
#include <string_view>

#include "ricochet/scene.h"

namespace ricochet {

enum class NumberText { kGood, kNotANumber, kNotFinite, kOutOfRange, kWrongUnit };

/// Reads `3`, `-0.5`, `1e-3`, `1.0e-3`, `.5`; angles also as `30 deg`, angular velocities as `90 deg/s`. Not accepted:
/// nan and inf in any spelling, numbers a double cannot hold (1e999), hexadecimal, digit groups (1_000).
NumberText ParseNumber(std::string_view text, Quantity quantity, double& value);

/// What to say when ParseNumber does not accept: problem and remedy of an InputError.
struct NumberComplaint {
  std::string problem, remedy;
};
NumberComplaint ExplainNumber(NumberText result, std::string_view text, Quantity quantity);

/// What to say when the value is out of the quantity's bounds.
NumberComplaint ExplainBounds(double value, Quantity quantity);

/// Shortest text that reads back to exactly this double, with a point in every number that has an exponent: `1.0e-08`.
/// (The common Python YAML reader takes `1e-08` for text.)
std::string FormatSceneNumber(double value);

/// A value with its unit for messages: "-1 kg", "0.3".
std::string WithUnit(double value, Quantity quantity);

}  // namespace ricochet
