// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/so2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace ricochet {
namespace {

TEST(SO2Test, LogInvertsExp) {
  for (const double theta :
       {0.0, 1e-300, 1e-12, 1e-3, 0.7, -2.0, std::numbers::pi - 1e-12, -(std::numbers::pi - 1e-15), std::numbers::pi}) {
    EXPECT_NEAR(LogSO2<double>(ExpSO2(theta)), theta, 2e-16 * std::abs(theta)) << theta;
  }
}

TEST(SO2Test, LogIgnoresACommonFactor) { EXPECT_NEAR(LogSO2<double>(7.5 * ExpSO2(-2.5)), -2.5, 1e-15); }

TEST(SO2Test, WrapKeepsAnglesInRangeAndWrapsOthersToRounding) {
  for (const double theta : {0.0, -3.0, std::numbers::pi, -std::numbers::pi, 1e-200})
    EXPECT_EQ(WrapAngle(theta), theta);
  EXPECT_NEAR(WrapAngle(std::numbers::pi + 0.25), -std::numbers::pi + 0.25, 5e-16);
  EXPECT_NEAR(WrapAngle(-std::numbers::pi - 0.25), std::numbers::pi - 0.25, 5e-16);
  // A thousand turns and 0.1: the reference in long double.
  const double many = 2000 * std::numbers::pi + 0.1;
  const long double two_pi = 2 * std::numbers::pi_v<long double>;
  EXPECT_NEAR(WrapAngle(many), static_cast<double>(many - 1000 * two_pi), 1e-15);
  const auto jet = WrapAngle(Jet<1>::Variable(7.0, 0));
  EXPECT_EQ(jet.a, WrapAngle(7.0));
  EXPECT_EQ(jet.v[0], 1);
}

TEST(SO2Test, ExpOfAJetIsItsDerivative) {
  const Matrix2<Jet<1>> R = ExpSO2(Jet<1>::Variable(0.4, 0));
  EXPECT_EQ(R(0, 1).v[0], -std::cos(0.4));
  EXPECT_EQ(R(1, 1).v[0], -std::sin(0.4));
  EXPECT_NEAR(LogSO2<Jet<1>>(R).v[0], 1, 1e-15);
}

TEST(SO2Test, CrossIsTheThirdComponentInSpace) {
  const Eigen::Vector2d a(1, 2), b(-3, 5);
  EXPECT_EQ(Cross2(a, b), 11);
}

}  // namespace
}  // namespace ricochet
