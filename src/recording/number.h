// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Decimal text to the nearest double (ties to even), at the speed recordings are read with.
//
// What trackers write has few digits: w / 10^k with an integer w of at most 15 digits and k <= 15. Both are exact
// doubles, so one division rounds once (Clinger, "How to read floating point numbers accurately", PLDI 1990).
// Everything else goes through std::from_chars, exact too (Lemire, "Number parsing at a gigabyte per second", 2021).
#pragma once

namespace ricochet {

enum class NumberStatus {
  kOk,
  kNotANumber,  // no decimal number begins here
  kTooLarge,    // rounds to infinity
};

/// Reads [+-]digits[.digits][(e|E)[+-]digits], with digits on at least one side of the point, at p as far as it goes,
/// and sets p behind it. `end` points to a character, which cannot belong to a number (a line end). Numbers too small
/// for a double round to zero.
NumberStatus ReadNumber(const char*& p, const char* end, double& value);

}  // namespace ricochet
