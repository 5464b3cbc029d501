// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/stumpff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

// The power series in long double, which loses less than two digits to cancellation up to theta = 2 pi.
long double Reference(int n, long double s) {
  long double term = 1;
  for (int i = 2; i <= n; ++i) term /= i;
  long double sum = 0;
  for (int k = 0; k < 60; ++k) {
    sum += term;
    term *= -s / ((n + 2 * k + 1.0L) * (n + 2 * k + 2.0L));
  }
  return sum;
}

TEST(StumpffTest, AgreesWithTheSeriesFromZeroToAFullTurn) {
  for (int n = 0; n <= 8; ++n) {
    // The zeros of S_0 and S_1 set the scale there.
    const double floor = n <= 1 ? 1.0 : n == 2 ? 1e-3 : 0.0;
    for (double theta = 1e-12; theta < 2 * std::numbers::pi; theta = theta < 1e-3 ? 3 * theta : theta + 1e-3) {
      const double s = theta * theta;
      const double expected = static_cast<double>(Reference(n, s));
      ASSERT_NEAR(StumpffValue(n, s), expected, 4e-15 * std::max(floor, std::abs(expected))) << n << " " << theta;
    }
    EXPECT_EQ(StumpffValue(n, 0), static_cast<double>(Reference(n, 0)));
  }
}

TEST(StumpffTest, Below3IsAccurateToTheLastDigits) {
  for (int n = 0; n <= 8; ++n) {
    for (double theta = 1e-12; theta < 3; theta *= 1.01) {
      const double s = theta * theta, expected = static_cast<double>(Reference(n, s));
      ASSERT_NEAR(StumpffValue(n, s), expected, 4.5e-16 * std::max(n <= 1 ? 1.0 : 0.0, std::abs(expected)))
          << n << " " << theta;
    }
  }
}

template <int n>
void ExpectSlope() {
  for (double s = 1e-20; s < 39; s = s < 0.1 ? 10 * s : s + 0.1) {
    const auto jet = Stumpff<n>(Jet<1>::Variable(s, 0));
    const long double slope = 0.5L * (n * Reference(n + 2, s) - Reference(n + 1, s));
    EXPECT_NEAR(jet.v[0], static_cast<double>(slope), 1e-15) << n << " " << s;
    const long double h = 1e-5L;
    const long double difference = (Reference(n, s + h) - Reference(n, s - h)) / (2 * h);
    EXPECT_NEAR(jet.v[0], static_cast<double>(difference), 1e-11) << n << " " << s;
    EXPECT_EQ(jet.a, Stumpff<n>(s));
  }
}

TEST(StumpffTest, JetsCarryTheSlope) {
  ExpectSlope<0>();
  ExpectSlope<1>();
  ExpectSlope<2>();
  ExpectSlope<3>();
  ExpectSlope<4>();
  ExpectSlope<5>();
  ExpectSlope<6>();
}

}  // namespace
}  // namespace ricochet
