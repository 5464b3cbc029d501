// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Checks of a row that several text formats share.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/text.h"
#include "recording/text_table.h"

namespace ricochet {

/// Throws InputError unless the time `t` in a cell follows those before.
inline void CheckLater(const TextTable& table, std::size_t cell, const std::vector<double>& time, double t) {
  if (std::isnan(t)) table.Fail(cell, "time", "the time is missing.", "Give every row its time in seconds.");
  if (!time.empty() && !(t > time.back()))
    table.Fail(cell, "time",
               fmt::format("{} s is not later than {} s before.", FormatDouble(t), FormatDouble(time.back())),
               "Times must increase: one recording per file.");
}

/// Throws InputError unless numbers that belong together are there as a whole or not at all (NaN).
template <class Vector>
void CheckWhole(const TextTable& table, std::size_t cell, const std::string& field, const Vector& values,
                const char* remedy) {
  const auto there = static_cast<int>(values.array().isFinite().count());
  if (there > 0 && there < values.size())
    table.Fail(cell, field, fmt::format("{} of {} numbers are there.", there, values.size()), remedy);
}

}  // namespace ricochet
