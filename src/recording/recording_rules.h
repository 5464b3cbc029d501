// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every recording obeys, whether it comes from a file or from arrays, and what to say when one does not.
#pragma once

#include <string_view>

namespace ricochet {

/// `x`, `box.x`, `hinge1.angle`.
bool IsColumnName(std::string_view name);

inline constexpr std::string_view kColumnNameRemedy =
    "Use letters, digits and `_`, and one point between a body or joint and its quantity, as in box.x.";
inline constexpr std::string_view kDuplicateNameRemedy = "Names must differ: rename or remove one.";
inline constexpr std::string_view kInfiniteValue = "infinite values are not measurements.";
inline constexpr std::string_view kTimeMissing = "the time is missing.";
inline constexpr std::string_view kTimeOrderRemedy =
    "Times must increase strictly: sort the rows, and remove repeated ones.";

}  // namespace ricochet
