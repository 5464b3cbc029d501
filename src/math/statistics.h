// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Statistics of a few numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace ricochet {

/// Rise of chi^2 of one degree of freedom at the ends of a 95 % interval, and at a one-sided limit of 95 %.
inline constexpr double kChi2TwoSided = 3.841459, kChi2OneSided = 2.705543;

/// The upper of the two middle ones where their number is even; 0 when there are none.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  return values[middle];
}

/// Standard deviation of normal numbers about 0 from the median of their sizes; 0 when there are none.
inline double MedianDeviation(std::vector<double> sizes) {
  constexpr double kMedian = 0.6744897501960817;  // of |x| for a standard normal x
  return Median(std::move(sizes)) / kMedian;
}

/// Standard deviation of normal numbers about 0 from the lower quartile of their sizes; 0 when there are none.
inline double QuartileDeviation(std::vector<double> sizes) {
  constexpr double kQuartile = 0.3186393640;  // of |x| for a standard normal x
  if (sizes.empty()) return 0;
  const auto quartile = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 4);
  std::nth_element(sizes.begin(), quartile, sizes.end());
  return *quartile / kQuartile;
}

/// Two-sided 95 % quantile of Student's distribution over that of the normal one, for standard deviations known from
/// `freedom` differences.
inline double StudentFactor(double freedom) {
  // Cornish and Fisher's expansion of the 97.5 % quantile about z = 1.959964.
  constexpr double z = 1.959963984540054;
  const double f = std::max(2.0, freedom), z2 = z * z;
  const double t = z * (1 + (z2 + 1) / (4 * f) + ((5 * z2 + 16) * z2 + 3) / (96 * f * f) +
                        (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * f * f * f));
  return t / z;
}

/// The z for which a standard normal number lies in [-z, z] with probability `level`, in (0, 1).
inline double TwoSidedNormalQuantile(double level) {
  double lower = 0, upper = 40;  // erf is 1 to the last bit from 9 on
  for (int i = 0; i < 100; ++i) {
    const double middle = (lower + upper) / 2;
    (std::erf(middle / std::sqrt(2.0)) < level ? lower : upper) = middle;
  }
  return lower;
}

/// Probability that the ratio of two mean squares, of `above` and `below` degrees of freedom and equal expectation,
/// exceeds `ratio` (Fisher's F; Paulson's normal approximation, good to a few percent of the probability from 3 degrees
/// of freedom on). `below` may be infinite: chi^2 / above.
inline double TailOfF(double ratio, double above, double below) {
  if (!(ratio > 0)) return 1;
  const double a = 2 / (9 * above), b = std::isfinite(below) ? 2 / (9 * below) : 0, root = std::cbrt(ratio);
  const double z = ((1 - b) * root - (1 - a)) / std::sqrt(b * root * root + a);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

/// Mean rise from `base` to `other` over the places where both have a value, and its standard error.
inline std::pair<double, double> MeanRise(const std::vector<double>& base, const std::vector<double>& other) {
  double sum = 0, squares = 0;
  int count = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double rise = other[i] - base[i];
    if (!std::isfinite(rise)) continue;
    sum += rise, squares += rise * rise, ++count;
  }
  if (count == 0) return {std::numeric_limits<double>::infinity(), 0};
  const double mean = sum / count;
  const double variance = count > 1 ? std::max(0.0, squares - sum * mean) / (count - 1) : 0;
  return {mean, std::sqrt(variance / count)};
}

}  // namespace ricochet
