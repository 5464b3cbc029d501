// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Robust statistics of a few numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ricochet {

/// The upper of the two middle ones where their number is even; at least one is needed.
inline double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Standard deviation of normal numbers about 0 from the lower quartile of their sizes; 0 when there are none.
inline double QuartileDeviation(std::vector<double> sizes) {
  constexpr double kQuartile = 0.3186393640;  // of |x| for a standard normal x
  if (sizes.empty()) return 0;
  const auto quartile = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 4);
  std::nth_element(sizes.begin(), quartile, sizes.end());
  return *quartile / kQuartile;
}

}  // namespace ricochet
