// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/se3.h"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

std::vector<Vector6<double>> Twists(unsigned seed, int count) {
  RandomVectors random(seed);
  std::vector<Vector6<double>> result;
  const auto add = [&](double angle) {
    Vector6<double> xi;
    xi << random.Vector<3>(), angle * random.Direction<3>();
    result.push_back(xi);
  };
  add(0);
  for (int i = 0; i < count; ++i) {
    add(random.LogUniform(1e-12, 1e-3));
    add(random.Uniform(0, 3));
    add(std::numbers::pi - random.LogUniform(1e-12, 1e-3));
  }
  return result;
}

SE3<double> RandomPose(RandomVectors& random) { return {random.Vector<3>(), random.Rotation()}; }

double Distance(const SE3<double>& a, const SE3<double>& b) {
  return (a.p - b.p).norm() + BoxMinusRotation<double>(a.q, b.q).norm();
}

Eigen::VectorXd LeftMinus(const SE3<double>& a, const SE3<double>& b) { return LogSE3<double>(a * b.Inverse()); }
Eigen::VectorXd RightMinus(const SE3<double>& a, const SE3<double>& b) { return LogSE3<double>(b.Inverse() * a); }
Vector6<double> Plus(const Vector6<double>& xi, const Eigen::VectorXd& d) { return xi + d; }

// The screw motion about the axis of w, in long double: rotation about a point, advance along the axis.
TEST(SE3Test, ExpAgreesWithTheScrewMotion) {
  using Long3 = Eigen::Matrix<long double, 3, 1>;
  for (const auto& xi : Twists(1, 300)) {
    const Long3 v = xi.head<3>().cast<long double>(), w = xi.tail<3>().cast<long double>();
    const long double theta = w.norm();
    Long3 p = v;
    if (theta > 1e-6L) {
      const Long3 u = w / theta, along = u * u.dot(v), across = v - along;
      const long double half = std::sin(theta / 2);
      p = along + across * (std::sin(theta) / theta) + u.cross(across) * (2 * half * half / theta);
    } else {
      p = v + w.cross(v) / 2 + w.cross(w.cross(v)) / 6;  // the next term is below 1e-19
    }
    const SE3<double> X = ExpSE3<double>(xi);
    ASSERT_LT((X.p - p.cast<double>()).norm(), 1e-15) << xi.transpose();
    ASSERT_EQ(X.q, Quaternion<double>(ExpSO3(xi.tail<3>())));
  }
}

// exp((t + s) xi) = exp(t xi) exp(s xi): constant body twist composes on the right.
TEST(SE3Test, OneParameterGroup) {
  for (const auto& xi : Twists(2, 100)) {
    const SE3<double> whole = ExpSE3<double>(xi);
    const SE3<double> parts = ExpSE3<double>(0.3 * xi) * ExpSE3<double>(0.7 * xi);
    ASSERT_LT(Distance(whole, parts), 4e-15) << xi.transpose();
  }
}

TEST(SE3Test, LogInvertsExp) {
  for (const auto& xi : Twists(3, 500)) {
    ASSERT_LT((LogSE3<double>(ExpSE3<double>(xi)) - xi).norm(), 4e-15) << xi.transpose();
  }
}

TEST(SE3Test, GroupLaws) {
  RandomVectors random(4);
  for (int i = 0; i < 100; ++i) {
    const SE3<double> X = RandomPose(random), Y = RandomPose(random), Z = RandomPose(random);
    EXPECT_LT(Distance((X * Y) * Z, X * (Y * Z)), 4e-15);
    EXPECT_LT(Distance(X * X.Inverse(), SE3<double>{}), 2e-15);
    const Vector3<double> x = random.Vector<3>();
    EXPECT_LT((X * (Y * x) - (X * Y) * x).norm(), 2e-15);
    const Vector6<double> xi = random.Vector<6>();
    EXPECT_LT(Distance(ExpSE3<double>(AdjointSE3<double>(X) * xi), X * ExpSE3<double>(xi) * X.Inverse()), 6e-15);
    EXPECT_LT((AdjointSE3<double>(X * Y) - AdjointSE3<double>(X) * AdjointSE3<double>(Y)).norm(), 6e-15);
  }
}

TEST(SE3Test, JacobiansByDifferences) {
  const auto f = [](const Vector6<double>& x) { return ExpSE3<double>(x); };
  for (const auto& xi : Twists(5, 100)) {
    ASSERT_TRUE(IsJacobian(LeftJacobianSE3<double>(xi), f, xi, Plus, 6, LeftMinus, {.tolerance = 3e-12}));
    ASSERT_TRUE(IsJacobian(RightJacobianSE3<double>(xi), f, xi, Plus, 6, RightMinus, {.tolerance = 3e-12}));
  }
}

TEST(SE3Test, JacobianIdentities) {
  const Matrix6<double> I = Matrix6<double>::Identity();
  for (const auto& xi : Twists(6, 300)) {
    const Matrix6<double> J = LeftJacobianSE3<double>(xi), Jr = RightJacobianSE3<double>(xi);
    ASSERT_LT((J * LeftJacobianInverseSE3<double>(xi) - I).norm(), 4e-15) << xi.transpose();
    ASSERT_LT((Jr * RightJacobianInverseSE3<double>(xi) - I).norm(), 4e-15) << xi.transpose();
    ASSERT_LT((J - AdjointSE3<double>(ExpSE3<double>(xi)) * Jr).norm(), 4e-15) << xi.transpose();
    ASSERT_LT((J * xi - xi).norm(), 2e-15) << xi.transpose();
  }
}

// Jets through exp and log against the closed-form Jacobians. The left increment (u, o) moves p by u + o x p.
TEST(SE3Test, JetsGiveTheJacobians) {
  using J6 = Jet<6>;
  for (const auto& xi : Twists(7, 200)) {
    const SE3<J6> X = ExpSE3<J6>(SeedVariables<6>(xi));
    const Matrix6<double> J = LeftJacobianSE3<double>(xi);
    const Eigen::Matrix<double, 3, 6> turn = J.bottomRows<3>();
    const Eigen::Matrix<double, 3, 6> move = J.topRows<3>() - Skew(ValueOf(X.p)) * turn;
    ASSERT_LT((RotationJacobian(X.q) - turn).norm(), 3e-15);
    ASSERT_LT((JacobianOf(X.p) - move).norm(), 5e-15) << xi.transpose();
    ASSERT_LT((JacobianOf(LogSE3<J6>(X)) - Matrix6<double>::Identity()).norm(), 2e-14) << xi.transpose();
  }
}

}  // namespace
}  // namespace ricochet
