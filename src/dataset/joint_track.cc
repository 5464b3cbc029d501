// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/joint_track.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ricochet {

std::vector<double> FilterZeroPhase(const std::vector<double>& values, double dt, double cutoff) {
  const double k = std::tan(std::numbers::pi * std::min(cutoff * dt, 0.49));
  const double norm = 1 / (1 + std::numbers::sqrt2 * k + k * k);
  const double b0 = k * k * norm, b1 = 2 * b0, a1 = 2 * (k * k - 1) * norm,
               a2 = (1 - std::numbers::sqrt2 * k + k * k) * norm;
  const int n = static_cast<int>(values.size());
  const int pad = std::min(n - 1, static_cast<int>(std::ceil(2 / (cutoff * dt))));
  std::vector<double> padded;
  for (int i = pad; i > 0; --i) padded.push_back(2 * values.front() - values[static_cast<std::size_t>(i)]);
  padded.insert(padded.end(), values.begin(), values.end());
  for (int i = 1; i <= pad; ++i) padded.push_back(2 * values.back() - values[static_cast<std::size_t>(n - 1 - i)]);
  const auto pass = [&] {
    double x1 = padded.front(), x2 = x1, y1 = x1, y2 = x1;
    for (double& value : padded) {
      const double y = b0 * value + b1 * x1 + b0 * x2 - a1 * y1 - a2 * y2;
      x2 = x1, x1 = value, y2 = y1, y1 = y;
      value = y;
    }
  };
  pass();
  std::reverse(padded.begin(), padded.end());
  pass();
  std::reverse(padded.begin(), padded.end());
  return {padded.begin() + pad, padded.begin() + pad + n};
}

double FindQuantum(const std::vector<double>& values) {
  double step = INFINITY, size = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double change = std::abs(values[i] - values[i - 1]);
    size = std::max(size, std::abs(values[i]));
    if (change > 1e-7 * (1 + std::abs(values[i]))) step = std::min(step, change);
  }
  if (!std::isfinite(step)) return 0;
  // Refined on the largest multiple, then all must be multiples.
  const double rounding = 2e-9 * (1 + size);
  std::size_t equal = 0;
  double refined = step;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double change = std::abs(values[i] - values[0]);
    const double count = std::round(change / refined);
    if (std::abs(change - count * refined) > 0.01 * refined + rounding) return 0;
    if (count > 0) refined = refined + (change / count - refined) * std::min(1.0, count * 1e-2);
    equal += values[i] == values[i - 1];
  }
  // Decimals of a text are multiples too; rounding that matters repeats values.
  return static_cast<double>(equal) > 0.05 * static_cast<double>(values.size()) ? refined : 0;
}

}  // namespace ricochet
