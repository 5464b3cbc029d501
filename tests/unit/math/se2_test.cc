// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/se2.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

// Angles near 0, of all sizes, near pi.
std::vector<double> Angles(RandomVectors& random) {
  std::vector<double> angles = {0.0, std::numbers::pi};
  for (int i = 0; i < 200; ++i) {
    const double sign = i % 2 ? 1 : -1;
    angles.push_back(sign * random.LogUniform(1e-12, 1e-3));
    angles.push_back(random.Uniform(-3, 3));
    angles.push_back(sign * (std::numbers::pi - random.LogUniform(1e-12, 1e-3)));
  }
  return angles;
}

// [-] of poses in the group itself: log(a b^-1).
Eigen::VectorXd LeftMinusSE2(const Vector3<double>& a, const Vector3<double>& b) {
  return LogSE2<double>(ComposeSE2<double>(a, InverseSE2<double>(b)));
}

Eigen::VectorXd RightMinusSE2(const Vector3<double>& a, const Vector3<double>& b) {
  return LogSE2<double>(ComposeSE2<double>(InverseSE2<double>(b), a));
}

TEST(SE2Test, ExpAgreesWithTheCircularArc) {
  RandomVectors random(1);
  for (const double theta : Angles(random)) {
    const Vector3<double> xi(0.8, -1.3, theta);
    // Integral of R(theta t) v over t in [0, 1], in long double; by series where sin(t)/t would cancel.
    const long double t = theta;
    const long double a = theta == 0 ? 1 : std::sin(t) / t;
    const long double b = theta == 0 ? 0 : 2 * std::sin(t / 2) * std::sin(t / 2) / t;
    const Vector3<double> X = ExpSE2<double>(xi);
    EXPECT_NEAR(X[0], static_cast<double>(a * xi[0] - b * xi[1]), 5e-16) << theta;
    EXPECT_NEAR(X[1], static_cast<double>(b * xi[0] + a * xi[1]), 5e-16) << theta;
    EXPECT_EQ(X[2], theta);
  }
}

TEST(SE2Test, LogInvertsExp) {
  RandomVectors random(2);
  for (const double theta : Angles(random)) {
    Vector3<double> xi;
    xi << random.Vector<2>(), theta;
    EXPECT_LT((LogSE2<double>(ExpSE2<double>(xi)) - xi).norm(), 2e-15) << theta;
  }
}

TEST(SE2Test, GroupLaws) {
  RandomVectors random(3);
  for (int i = 0; i < 100; ++i) {
    const Vector3<double> X = random.Vector<3>(), Y = 2 * random.Vector<3>(), Z = random.Vector<3>();
    const auto left = ComposeSE2<double>(ComposeSE2<double>(X, Y), Z);
    const auto right = ComposeSE2<double>(X, ComposeSE2<double>(Y, Z));
    EXPECT_LT((left - right).norm(), 3e-15);
    EXPECT_LT(ComposeSE2<double>(X, InverseSE2<double>(X)).norm(), 1e-15);
    const Vector3<double> xi = random.Vector<3>();
    const auto moved = ComposeSE2<double>(ComposeSE2<double>(X, ExpSE2<double>(xi)), InverseSE2<double>(X));
    EXPECT_LT((ExpSE2<double>(AdjointSE2<double>(X) * xi) - moved).norm(), 3e-15);
  }
}

TEST(SE2Test, JacobiansByDifferencesInverseAndAdjoint) {
  RandomVectors random(4);
  for (const double theta : Angles(random)) {
    Vector3<double> xi;
    xi << random.Vector<2>(), theta;
    const auto plus = [](const Vector3<double>& x, const Eigen::VectorXd& d) { return Vector3<double>(x + d); };
    const auto f = [](const Vector3<double>& x) { return ExpSE2<double>(x); };
    const Matrix3<double> J = LeftJacobianSE2<double>(xi);
    ASSERT_TRUE(IsJacobian(J, f, xi, plus, 3, LeftMinusSE2, {.tolerance = 2e-12})) << theta;
    ASSERT_TRUE(IsJacobian(RightJacobianSE2<double>(xi), f, xi, plus, 3, RightMinusSE2, {.tolerance = 2e-12}));
    ASSERT_LT((J * LeftJacobianInverseSE2<double>(xi) - Matrix3<double>::Identity()).norm(), 2e-15) << theta;
    ASSERT_LT((RightJacobianSE2<double>(xi) * RightJacobianInverseSE2<double>(xi) - Matrix3<double>::Identity()).norm(),
              2e-15);
    ASSERT_LT((J - AdjointSE2<double>(ExpSE2<double>(xi)) * RightJacobianSE2<double>(xi)).norm(), 2e-15) << theta;
  }
}

// The derivative of exp carried by Jets, left-trivialized, is J_l: R(theta)-part of the pose is exp(J_l d) X.
TEST(SE2Test, JetsGiveTheJacobians) {
  RandomVectors random(5);
  for (const double theta : Angles(random)) {
    Vector3<double> xi;
    xi << random.Vector<2>(), theta;
    const Vector3<Jet<3>> X = ExpSE2<Jet<3>>(SeedVariables<3>(xi));
    // d(x, y, theta) = (u + omega x p, omega) for the left increment (u, omega).
    const Vector3<double> p = ValueOf(X);
    Matrix3<double> frame = Matrix3<double>::Identity();
    frame(0, 2) = -p[1];
    frame(1, 2) = p[0];
    ASSERT_LT((JacobianOf(X) - frame * LeftJacobianSE2<double>(xi)).norm(), 3e-15) << theta;
    const Vector3<Jet<3>> back = LogSE2<Jet<3>>(X);
    ASSERT_LT((JacobianOf(back) - Matrix3<double>::Identity()).norm(), 1e-14) << theta;
  }
}

}  // namespace
}  // namespace ricochet
