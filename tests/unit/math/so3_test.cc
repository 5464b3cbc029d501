// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/so3.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using LongVector3 = Eigen::Matrix<long double, 3, 1>;
using LongQuaternion = Eigen::Matrix<long double, 4, 1>;

// Rotation vectors with angles 0, 1e-12 .. 1e-3, anything, pi - 1e-3 .. pi - 1e-12, and as near to pi as doubles get.
std::vector<Vector3<double>> RotationVectors(unsigned seed, int count) {
  RandomVectors random(seed);
  std::vector<Vector3<double>> result = {Vector3<double>::Zero()};
  for (int i = 0; i < count; ++i) {
    result.push_back(random.LogUniform(1e-12, 1e-3) * random.Direction<3>());
    result.push_back(random.Uniform(0, 3) * random.Direction<3>());
    result.push_back((std::numbers::pi - random.LogUniform(1e-12, 1e-3)) * random.Direction<3>());
  }
  for (int axis = 0; axis < 3; ++axis) {
    result.push_back(std::nextafter(std::numbers::pi, 0) * Vector3<double>::Unit(axis));
    result.push_back(-std::nextafter(std::numbers::pi, 0) * Vector3<double>::Unit(axis));
  }
  return result;
}

LongQuaternion ExactExp(const Vector3<double>& w) {
  const LongVector3 v = w.cast<long double>();
  const long double theta = v.norm();
  LongQuaternion q;
  q << std::cos(theta / 2), v * (theta == 0 ? 0.5L : std::sin(theta / 2) / theta);
  return q;
}

LongVector3 ExactLog(const Quaternion<double>& q) {
  const LongQuaternion x = q.cast<long double>();
  const LongVector3 v = x.tail<3>();
  const long double n = v.norm(), w = x[0];
  return n == 0 ? LongVector3(v * (2 / w)) : LongVector3(v * (2 * std::atan2(n * (w < 0 ? -1 : 1), std::abs(w)) / n));
}

TEST(SO3Test, ExpIsExactToRounding) {
  for (const auto& w : RotationVectors(1, 500)) {
    const Quaternion<double> q = ExpSO3(w), expected = ExactExp(w).cast<double>();
    // Three roundings of the angle, which is about 3, reach cos(theta / 2) near pi.
    ASSERT_NEAR(q[0], expected[0], 5e-16) << w.transpose();
    for (int i = 1; i < 4; ++i) ASSERT_NEAR(q[i], expected[i], 6e-16 * std::abs(expected[i])) << w.transpose();
  }
}

TEST(SO3Test, LogIsExactToRounding) {
  for (const auto& w : RotationVectors(2, 500)) {
    const Quaternion<double> q = ExpSO3(w);
    const Vector3<double> log = LogSO3<double>(q), expected = ExactLog(q).cast<double>();
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(log[i], expected[i], 7e-16 * std::abs(expected[i])) << w.transpose();
  }
}

TEST(SO3Test, LogInvertsExp) {
  for (const auto& w : RotationVectors(3, 500)) {
    // Relative to the angle for small angles; near pi the quaternion's w has an absolute error of 1e-16.
    ASSERT_LT((LogSO3<double>(ExpSO3(w)) - w).norm(), 1.2e-15 * std::max(w.norm(), 1e-300)) << w.transpose();
    ASSERT_LT((LogSO3<double>(-ExpSO3(w)) - w).norm(), 1.2e-15 * std::max(w.norm(), 1e-300)) << w.transpose();
  }
}

TEST(SO3Test, LogAtPiDependsOnTheRotationOnly) {
  RandomVectors random(4);
  for (int i = 0; i < 100; ++i) {
    Quaternion<double> q;
    q << 0, random.Direction<3>();
    const Vector3<double> w = LogSO3<double>(q);
    EXPECT_EQ(w, LogSO3<double>(-q));
    EXPECT_GT(w[0], 0);
    EXPECT_NEAR(w.norm(), std::numbers::pi, 1e-15);
  }
  EXPECT_EQ(LogSO3<double>(Quaternion<double>(0, 0, 0, -1)), Vector3<double>(0, 0, std::numbers::pi));
  EXPECT_EQ(LogSO3<double>(Quaternion<double>(-0.0, 0, -1, 0)), Vector3<double>(0, std::numbers::pi, 0));
}

TEST(SO3Test, LogIgnoresTheLengthOfTheQuaternion) {
  const Vector3<double> w(0.3, -1.2, 2.0);
  EXPECT_LT((LogSO3<double>(5.0 * ExpSO3(w)) - w).norm(), 2e-15);
}

TEST(SO3Test, QuaternionsAndMatricesAgree) {
  RandomVectors random(5);
  for (int i = 0; i < 200; ++i) {
    const Quaternion<double> p = random.Rotation(), q = random.Rotation();
    const Matrix3<double> P = RotationMatrix<double>(p), Q = RotationMatrix<double>(q);
    EXPECT_LT((RotationMatrix<double>(QuaternionProduct<double>(p, q)) - P * Q).norm(), 2e-15);
    EXPECT_LT((P.transpose() * P - Matrix3<double>::Identity()).norm(), 4e-15);
    EXPECT_NEAR(P.determinant(), 1, 2e-15);
    const Vector3<double> x = random.Vector<3>();
    EXPECT_LT((Rotate<double>(q, x) - Q * x).norm(), 2e-15);
    EXPECT_LT((RotateInverse<double>(q, x) - Q.transpose() * x).norm(), 2e-15);
    const Quaternion<double> positive = q[0] < 0 ? Quaternion<double>(-q) : q;
    EXPECT_LT((QuaternionFromMatrix<double>(Q) - positive).norm(), 2e-15);
    EXPECT_LT((Skew(x) * Vector3<double>(q.tail<3>()) - x.cross(Vector3<double>(q.tail<3>()))).norm(), 1e-16);
  }
}

TEST(SO3Test, MatrixExpIsRodriguesAndLogInvertsIt) {
  for (const auto& w : RotationVectors(6, 300)) {
    const Matrix3<double> W = Skew(w), R = ExpMatrixSO3(w);
    const double s = w.squaredNorm();
    ASSERT_LT((R - Matrix3<double>::Identity() - Stumpff<1>(s) * W - Stumpff<2>(s) * W * W).norm(), 2e-15);
    // A matrix of doubles determines a small angle only to the rounding of its entries, 1e-16 absolute.
    if (std::numbers::pi - w.norm() < 1e-15) continue;
    ASSERT_LT((LogMatrixSO3<double>(R) - w).norm(), 3e-15) << w.transpose();
  }
}

TEST(SO3Test, JacobiansByDifferences) {
  for (const auto& w : RotationVectors(7, 200)) {
    const auto plus = [](const Vector3<double>& x, const Eigen::VectorXd& d) { return Vector3<double>(x + d); };
    const auto f = [](const Vector3<double>& x) { return Quaternion<double>(ExpSO3(x)); };
    const auto right_minus = [](const Quaternion<double>& a, const Quaternion<double>& b) {
      return Eigen::VectorXd(LogSO3<double>(QuaternionProduct<double>(QuaternionConjugate<double>(b), a)));
    };
    ASSERT_TRUE(IsJacobian(LeftJacobianSO3(w), f, w, plus, 3, kRotationMinus, {.tolerance = 2e-12}));
    ASSERT_TRUE(IsJacobian(RightJacobianSO3(w), f, w, plus, 3, right_minus, {.tolerance = 2e-12}));
  }
}

TEST(SO3Test, DerivativeOfLogByDifferences) {
  // Away from pi by more than the reach of the stencil, or the differences straddle the branch.
  for (const auto& w : RotationVectors(8, 200)) {
    if (w.norm() > std::numbers::pi - 4e-3) continue;
    const auto f = [](const Quaternion<double>& q) { return LogSO3<double>(q); };
    const Quaternion<double> q = ExpSO3(w);
    ASSERT_TRUE(IsJacobian(LeftJacobianInverseSO3(w), f, q, kRotationPlus, 3, kVectorMinus, {.tolerance = 5e-12}));
  }
}

TEST(SO3Test, JacobianIdentities) {
  const Matrix3<double> I = Matrix3<double>::Identity();
  for (const auto& w : RotationVectors(9, 300)) {
    const Matrix3<double> J = LeftJacobianSO3(w), Jr = RightJacobianSO3(w), R = ExpMatrixSO3(w);
    ASSERT_LT((J * LeftJacobianInverseSO3(w) - I).norm(), 2e-15) << w.transpose();
    ASSERT_LT((Jr * RightJacobianInverseSO3(w) - I).norm(), 2e-15);
    ASSERT_LT((J - R * Jr).norm(), 2e-15);
    ASSERT_LT((Jr - LeftJacobianSO3(-w)).norm(), 1e-15);
    ASSERT_LE((J * w - w).norm(), 1e-15 * w.norm());  // the axis is not turned
    ASSERT_LT((I + Skew(w) * J - R).norm(), 4e-15);   // the integral of R(t w) over t from 0 to 1
  }
}

// Jets through exp give J_l, through log its inverse, to rounding, at every angle.
TEST(SO3Test, JetsGiveTheJacobians) {
  double worst_exp = 0, worst_log = 0;
  for (const auto& w : RotationVectors(10, 500)) {
    const Quaternion<Jet<3>> q = ExpSO3(SeedVariables<3>(w));
    const Matrix3<double> J = LeftJacobianSO3(w);
    worst_exp = std::max(worst_exp, (RotationJacobian(q) - J).norm());
    const Vector3<Jet<3>> log = LogSO3<Jet<3>>(SeedRotation<3>(ExpSO3(w), 0));
    worst_log = std::max(worst_log, (JacobianOf(log) - LeftJacobianInverseSO3(w)).norm());
  }
  EXPECT_LT(worst_exp, 2e-15);
  EXPECT_LT(worst_log, 1e-14);
}

TEST(SO3Test, JetsThroughTheJacobiansThemselves) {
  for (const auto& w : RotationVectors(11, 50)) {
    const Vector3<double> x(0.3, -0.8, 1.1);
    const Vector3<Jet<3>> y = LeftJacobianSO3(SeedVariables<3>(w)) * x;
    const auto f = [&](const Vector3<double>& u) { return Vector3<double>(LeftJacobianSO3(u) * x); };
    ASSERT_TRUE(IsJacobian(JacobianOf(y), f, w, {.tolerance = 2e-12}));
    const Vector3<Jet<3>> z = LeftJacobianInverseSO3(SeedVariables<3>(w)) * x;
    const auto g = [&](const Vector3<double>& u) { return Vector3<double>(LeftJacobianInverseSO3(u) * x); };
    ASSERT_TRUE(IsJacobian(JacobianOf(z), g, w, {.tolerance = 5e-12}));
  }
}

TEST(SO3Test, JetsThroughMatrices) {
  RandomVectors random(12);
  for (int i = 0; i < 100; ++i) {
    const Quaternion<double> q = random.Rotation();
    const Quaternion<Jet<3>> seeded = SeedRotation<3>(q, 0);
    const Quaternion<Jet<3>> back = QuaternionFromMatrix<Jet<3>>(RotationMatrix<Jet<3>>(seeded));
    EXPECT_LT((RotationJacobian(back) - Matrix3<double>::Identity()).norm(), 3e-15);
  }
}

}  // namespace
}  // namespace ricochet
