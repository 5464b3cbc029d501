// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/so3.h"

#include <cmath>

namespace ricochet::internal {
namespace {

// Below this y = (n / w)^2 the slope is summed as a series, because its closed form takes the difference of two nearly
// equal numbers: relative error about 1e-16 / y. The series of atan needs 22 terms at 1/8.
constexpr double kSeriesBelow = 0.125;
constexpr int kTerms = 22;

}  // namespace

double RotationVectorScale(double m, double w) {
  const double n = std::sqrt(m);
  return n == 0 ? 2 / w : 2 * std::atan2(n, w) / n;
}

double RotationVectorScaleSlope(double m, double w) {
  const double y = m / (w * w);
  if (y < kSeriesBelow) {
    // 2 atan(x) / (x w) with x^2 = y: (2 / w) (1 - y/3 + y^2/5 - ...), and dy/dm = 1 / w^2.
    double sum = 0;
    for (int k = kTerms; k >= 1; --k) sum = static_cast<double>(k) / (2 * k + 1) - y * sum;
    return -2 * sum / (w * w * w);
  }
  const double n = std::sqrt(m);
  return (w / (m + w * w) - std::atan2(n, w) / n) / m;
}

}  // namespace ricochet::internal
