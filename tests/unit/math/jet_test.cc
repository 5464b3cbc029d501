// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/jet.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace ricochet {
namespace {

using J2 = Jet<2>;

// Central difference in long double, where 1e-6 steps leave about 1e-12 of error.
using Real2 = std::function<long double(long double, long double)>;
Eigen::Vector2d Difference(const Real2& f, double x, double y) {
  const long double h = 1e-6L;
  return {static_cast<double>((f(x + h, y) - f(x - h, y)) / (2 * h)),
          static_cast<double>((f(x, y + h) - f(x, y - h)) / (2 * h))};
}

// Evaluates f on Jets and in long double and compares value and gradient.
template <class F>
void ExpectRightDerivative(const char* name, const F& f, double x, double y) {
  const J2 jet = f(J2::Variable(x, 0), J2::Variable(y, 1));
  const Real2 real = [&](long double p, long double q) { return f(p, q); };
  const double value = static_cast<double>(real(x, y));
  EXPECT_NEAR(jet.a, value, 4e-15 * (1 + std::abs(value))) << name;
  const Eigen::Vector2d expected = Difference(real, x, y);
  EXPECT_LT((jet.v - expected).norm(), 1e-10 * (1 + expected.norm())) << name << " at " << x << ", " << y;
}

#define EXPECT_DERIVATIVE(expression, x0, y0)                                                       \
  ExpectRightDerivative(                                                                            \
      #expression,                                                                                  \
      []<class T>([[maybe_unused]] const T& x, [[maybe_unused]] const T& y) {                       \
        using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sqrt; \
        using std::exp, std::log, std::pow, std::hypot, std::abs, std::fabs, std::min, std::max;    \
        return T(expression);                                                                       \
      },                                                                                            \
      x0, y0)

TEST(JetTest, ArithmeticHasTheRightDerivatives) {
  for (const double x0 : {0.3, -1.7}) {
    for (const double y0 : {2.1, -0.4}) {
      EXPECT_DERIVATIVE(+x + y, x0, y0);
      EXPECT_DERIVATIVE(-x - y, x0, y0);
      EXPECT_DERIVATIVE(x * y, x0, y0);
      EXPECT_DERIVATIVE(x / y, x0, y0);
      EXPECT_DERIVATIVE(2.5 + x * 3.0 - 1.5, x0, y0);
      EXPECT_DERIVATIVE(2.5 - x / 4.0, x0, y0);
      EXPECT_DERIVATIVE(2.5 / y + 1.5 * x, x0, y0);
      EXPECT_DERIVATIVE(2 * x + y * 3 + 1, x0, y0);
    }
  }
}

TEST(JetTest, FunctionsHaveTheRightDerivatives) {
  for (const double x0 : {0.3, 0.75}) {
    for (const double y0 : {2.1, 0.4}) {
      EXPECT_DERIVATIVE(sqrt(x * y), x0, y0);
      EXPECT_DERIVATIVE(sin(x * y), x0, y0);
      EXPECT_DERIVATIVE(cos(x * y), x0, y0);
      EXPECT_DERIVATIVE(tan(x * y / 2.0), x0, y0);
      EXPECT_DERIVATIVE(asin(x * y / 3.0), x0, y0);
      EXPECT_DERIVATIVE(acos(x * y / 3.0), x0, y0);
      EXPECT_DERIVATIVE(atan(x * y), x0, y0);
      EXPECT_DERIVATIVE(exp(x * y), x0, y0);
      EXPECT_DERIVATIVE(log(x * y), x0, y0);
      EXPECT_DERIVATIVE(pow(x, y), x0, y0);
      EXPECT_DERIVATIVE(pow(x * y, 2.5), x0, y0);
      EXPECT_DERIVATIVE(pow(1.5, x * y), x0, y0);
    }
  }
}

TEST(JetTest, FunctionsOfTwoArgumentsInAllQuadrants) {
  for (const double x0 : {0.3, -0.75}) {
    for (const double y0 : {2.1, -0.4}) {
      EXPECT_DERIVATIVE(atan2(y, x), x0, y0);
      EXPECT_DERIVATIVE(hypot(x, y), x0, y0);
      EXPECT_DERIVATIVE(abs(x) + y * fabs(y), x0, y0);
      EXPECT_DERIVATIVE(min(x, y) * max(x, y) + max(x, y), x0, y0);
      EXPECT_DERIVATIVE(pow(x, 3.0) + pow(y, -2.0), x0, y0);
    }
  }
  const J2 x = J2::Variable(-0.75, 0);
  EXPECT_EQ(atan2(x, 0.5).v, atan2(x, J2(0.5)).v);
  EXPECT_EQ(atan2(0.5, x).v, atan2(J2(0.5), x).v);
}

TEST(JetTest, CompoundAssignmentsAgreeWithOperators) {
  const J2 x = J2::Variable(1.3, 0), y = J2::Variable(-0.7, 1);
  const auto same = [](const J2& p, const J2& q) { return p.a == q.a && p.v == q.v; };
  J2 z = x;
  EXPECT_TRUE(same(z += y, x + y));
  EXPECT_TRUE(same(z -= y * y, x + y - y * y));
  z = x;
  EXPECT_TRUE(same(z *= y, x * y));
  z = x;
  EXPECT_TRUE(same(z /= y, x / y));
  z = x;
  EXPECT_TRUE(same(z *= z, x * x));
  EXPECT_TRUE(same(z /= z, J2(1.0)));
  z = x;
  EXPECT_TRUE(same(z += 2.0, x + 2.0));
  EXPECT_TRUE(same(z -= 5.0, x + 2.0 - 5.0));
  z = x;
  EXPECT_TRUE(same(z *= 2.0, x * 2.0));
  EXPECT_TRUE(same(z /= 7.0, x * 2.0 / 7.0));
}

TEST(JetTest, ComparisonsLookAtValues) {
  const J2 one(1.0), also_one = J2::Variable(1.0, 0), two = J2::Variable(2.0, 1);
  EXPECT_TRUE(one == also_one);
  EXPECT_FALSE(one != also_one);
  EXPECT_TRUE(one < two && one <= also_one && two > 1.0 && 2.0 >= two && 1.5 < two && one <= 1.0);
  EXPECT_FALSE(two < one || 3.0 < two || two == 1.0 || 2.0 != two);
}

TEST(JetTest, MinAndMaxTakeTheFirstOnTies) {
  const J2 x = J2::Variable(1.0, 0), y = J2::Variable(1.0, 1);
  EXPECT_EQ(min(x, y).v, x.v);
  EXPECT_EQ(max(y, x).v, y.v);
  EXPECT_EQ(max(x, 2.0).v.norm(), 0);
  EXPECT_EQ(max(0.0, x).v, x.v);
  EXPECT_EQ(min(2.0, x).v, x.v);
  EXPECT_EQ(min(x, 0.0).a, 0);
}

TEST(JetTest, PowerAtZeroAndOfNegativeNumbers) {
  const J2 zero = J2::Variable(0.0, 0), negative = J2::Variable(-2.0, 0);
  EXPECT_EQ(pow(zero, 1.0).v[0], 1);
  EXPECT_EQ(pow(zero, 2.0).v[0], 0);
  EXPECT_EQ(pow(zero, 0.0).a, 1);
  EXPECT_EQ(pow(zero, 0.0).v[0], 0);
  EXPECT_EQ(pow(negative, J2(3.0)).a, -8);
  EXPECT_EQ(pow(negative, J2(3.0)).v[0], 12);
  EXPECT_EQ(pow(0.0, J2::Variable(1.5, 1)).v[1], 0);
}

TEST(JetTest, MissingDerivativesAreNotHidden) {
  EXPECT_FALSE(isfinite(sqrt(J2::Variable(0.0, 0))));
  EXPECT_FALSE(isfinite(asin(J2::Variable(1.0, 0))));
  EXPECT_TRUE(isnan(hypot(J2::Variable(0.0, 0), J2::Variable(0.0, 1))));
  EXPECT_FALSE(isfinite(J2(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(isinf(J2(std::numeric_limits<double>::infinity())));
  EXPECT_TRUE(isfinite(J2::Variable(1.0, 0)));
  EXPECT_TRUE(signbit(J2(-0.0)));
}

TEST(JetTest, ValuesHaveTheBitsOfDouble) {
  const double x = 1.0 / 3.0, y = 7.1;
  const J2 jx = J2::Variable(x, 0), jy = J2::Variable(y, 1);
  EXPECT_EQ((jx / jy).a, x / y);
  EXPECT_EQ((1.0 / jy).a, 1.0 / y);
  EXPECT_EQ((jx / 7.1).a, x / 7.1);
  EXPECT_EQ((jx * jy + jx - sqrt(jy)).a, x * y + x - std::sqrt(y));
}

// Products of matrices of Jets with matrices of Jets and of double.
TEST(JetTest, MatrixProducts) {
  using Matrix = Eigen::Matrix<J2, 3, 3>;
  const Eigen::Matrix3d A0 = Eigen::Matrix3d::Random(), A1 = Eigen::Matrix3d::Random(), B = Eigen::Matrix3d::Random();
  const J2 s = J2::Variable(0.6, 0);
  const Matrix A = A0.cast<J2>() + s * A1.cast<J2>();
  const Matrix left = A * B, right = B * A, both = A * A;
  const Eigen::Matrix3d a = A0 + 0.6 * A1;
  const Eigen::Matrix3d d_both = A1 * a + a * A1;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(left(i, j).a, (a * B)(i, j), 1e-15);
      EXPECT_NEAR(left(i, j).v[0], (A1 * B)(i, j), 1e-15);
      EXPECT_NEAR(right(i, j).v[0], (B * A1)(i, j), 1e-15);
      EXPECT_NEAR(both(i, j).v[0], d_both(i, j), 1e-15);
      EXPECT_EQ(left(i, j).v[1], 0);
    }
  }
  const Eigen::Matrix<J2, 3, 1> u = A.col(0), mixed = 2.0 * u + B.col(1) - u / 3.0 + u * s;
  EXPECT_NEAR(mixed[1].a, 2 * a(1, 0) + B(1, 1) - a(1, 0) / 3 + a(1, 0) * 0.6, 1e-15);
  EXPECT_NEAR(u.dot(B.col(0)).v[0], A1.col(0).dot(B.col(0)), 1e-15);
  EXPECT_NEAR(u.cross(mixed).dot(u).a, 0, 1e-15);
  EXPECT_NEAR(u.norm().v[0], a.col(0).dot(A1.col(0)) / a.col(0).norm(), 1e-15);
  EXPECT_NEAR(u.normalized().squaredNorm().v[0], 0, 1e-15);
  EXPECT_NEAR(A.determinant().v[0], (a.determinant() * (a.inverse() * A1).trace()), 1e-14);
  EXPECT_LT((ValueOf(A) - a).norm(), 1e-16);
}

// d/ds of A(s)^-1 b is A^-1 (b' - A' x).
TEST(JetTest, LinearSolves) {
  using Matrix = Eigen::Matrix<J2, 6, 6>;
  using Vector = Eigen::Matrix<J2, 6, 1>;
  std::srand(3);
  using Matrix6d = Eigen::Matrix<double, 6, 6>;
  using Vector6d = Eigen::Matrix<double, 6, 1>;
  const Matrix6d r0 = Matrix6d::Random(), r1 = Matrix6d::Random();
  const Matrix6d A0 = r0 * r0.transpose() + Matrix6d::Identity(), A1 = r1 + r1.transpose();
  const Vector6d b0 = Vector6d::Random(), b1 = Vector6d::Random();
  const J2 s = J2::Variable(0.0, 0), t = J2::Variable(0.0, 1);
  const Matrix A = A0.cast<J2>() + A1.cast<J2>() * s;
  const Vector b = b0.cast<J2>() + b1.cast<J2>() * t;

  const Vector6d x0 = A0.partialPivLu().solve(b0);
  const Vector6d dx_ds = -A0.partialPivLu().solve(A1 * x0), dx_dt = A0.partialPivLu().solve(b1);
  for (const Vector& x : {Vector(A.partialPivLu().solve(b)), Vector(A.ldlt().solve(b))}) {
    EXPECT_LT((ValueOf(x) - x0).norm(), 1e-13 * x0.norm());
    const auto jacobian = JacobianOf(x);
    EXPECT_LT((jacobian.col(0) - dx_ds).norm(), 1e-12 * dx_ds.norm());
    EXPECT_LT((jacobian.col(1) - dx_dt).norm(), 1e-12 * dx_dt.norm());
  }
}

TEST(JetTest, DynamicMatricesOfJetsSolve) {
  using Matrix = Eigen::Matrix<J2, Eigen::Dynamic, Eigen::Dynamic>;
  const Eigen::MatrixXd A0 = Eigen::MatrixXd::Random(5, 5) + 4 * Eigen::MatrixXd::Identity(5, 5);
  Matrix A = A0.cast<J2>();
  A(2, 3).v[0] = 1;
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(5, 1, 2);
  const Eigen::Matrix<J2, Eigen::Dynamic, 1> x = A.partialPivLu().solve(b.cast<J2>());
  const Eigen::VectorXd x0 = A0.partialPivLu().solve(b);
  const Eigen::VectorXd expected = -A0.inverse().col(2) * x0[3];
  EXPECT_LT((JacobianOf(x).col(0) - expected).norm(), 1e-14);
}

TEST(JetTest, SeedsAndTakesApart) {
  const Eigen::Vector3d x(1, 2, 3);
  const auto seeded = SeedVariables<4>(x, 1);
  EXPECT_EQ(ValueOf(seeded), x);
  Eigen::Matrix<double, 3, 4> expected;
  expected << Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity();
  EXPECT_EQ(JacobianOf(seeded), expected);
  EXPECT_EQ(ValueOf(2.5), 2.5);
  EXPECT_EQ(ValueOf(seeded[2]), 3);
  static_assert(kIsJet<J2> && !kIsJet<double>);
}

}  // namespace
}  // namespace ricochet
