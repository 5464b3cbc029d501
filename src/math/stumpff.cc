// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/stumpff.h"

#include <array>
#include <cassert>
#include <cmath>

namespace ricochet {
namespace {

constexpr int kMaximumTerms = 20;
constexpr int kMaximumOrder = 8;

constexpr auto kInverseFactorial = [] {
  std::array<double, kMaximumOrder + 2 * kMaximumTerms> table{};
  long double factorial = 1;
  for (int i = 0; i < static_cast<int>(table.size()); ++i) {
    if (i > 0) factorial *= i;
    table[i] = static_cast<double>(1.0L / factorial);
  }
  return table;
}();

double Series(int n, double s, int terms) {
  double sum = kInverseFactorial[n + 2 * (terms - 1)];
  for (int k = terms - 2; k >= 0; --k) sum = kInverseFactorial[n + 2 * k] - s * sum;
  return sum;
}

}  // namespace

double StumpffValue(int n, double s) {
  assert(n >= 0 && n <= kMaximumOrder && s >= 0);
  const double theta = std::sqrt(s);
  if (n == 0) return std::cos(theta);
  if (s == 0) return kInverseFactorial[n];
  if (n == 1) return std::sin(theta) / theta;
  if (n == 2) {
    const double half = std::sin(0.5 * theta) / theta;
    return 2 * half * half;
  }
  // The series cancels little up to theta = pi, and for n >= 5 up to 2 pi (terms 0.0083, 0.0078, ..., sum 0.0036). The
  // terms left out are below 1e-18 of the sum: 0.25^8 / 19! against 1/6, 40^20 / 45! against 0.0036.
  if (s < 0.25) return Series(n, s, 8);
  if (s < 10 || (n >= 5 && s < 40)) return Series(n, s, kMaximumTerms);
  return (kInverseFactorial[n - 2] - StumpffValue(n - 2, s)) / s;
}

}  // namespace ricochet
