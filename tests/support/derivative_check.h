// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One check for any Jacobian: compare it with central differences on the manifolds of its argument and its value.
//
//   y = f(x),  column j of dy/dx = lim (f(x [+] t e_j) [-] f(x [+] -t e_j)) / (2 t)
//
// The difference quotient has order six, (45 d1 - 9 d2 + d3) / (60 t) with dk = f(x [+] k t) [-] f(x [+] -k t), so that
// steps of 1e-3 leave errors near 1e-13 |f| on smooth functions. Near a change of mode take a smaller step: the stencil
// reaches three steps to either side. In the manner of GTSAM nonlinear/factorTesting.h.
//
//   EXPECT_TRUE(IsJacobian(J, f, x, {.tolerance = 1e-10}));                      // vectors
//   EXPECT_TRUE(IsJacobian(J, f, x, plus, x_dimension, minus, options));         // other manifolds
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "math/manifold.h"

namespace ricochet {

struct DerivativeCheckOptions {
  double step = 1e-3;        // of each coordinate of the increment
  double tolerance = 1e-10;  // on each entry, relative to max(1, largest entry of its column)
};

/// Central differences of f : X -> Y. `plus(x, delta)` moves x by an increment of size `dimension`; `minus(a, b)` is
/// the increment from b to a in Y, as a vector.
template <class F, class X, class Plus, class Minus>
Eigen::MatrixXd CentralDifferences(const F& f, const X& x, const Plus& plus, int dimension, const Minus& minus,
                                   double step) {
  Eigen::MatrixXd jacobian;
  for (int j = 0; j < dimension; ++j) {
    const auto difference = [&](int k) {
      const Eigen::VectorXd forward = k * step * Eigen::VectorXd::Unit(dimension, j);
      return Eigen::VectorXd(minus(f(plus(x, forward)), f(plus(x, Eigen::VectorXd(-forward)))));
    };
    const Eigen::VectorXd column = (45 * difference(1) - 9 * difference(2) + difference(3)) / (60 * step);
    if (j == 0) jacobian.resize(column.size(), dimension);
    jacobian.col(j) = column;
  }
  return jacobian;
}

/// Says yes, or which entry differs most and by how much.
::testing::AssertionResult AreJacobiansEqual(const Eigen::MatrixXd& analytic, const Eigen::MatrixXd& numerical,
                                             double tolerance);

/// Is `jacobian` the derivative of f at x?
template <class Derived, class F, class X, class Plus, class Minus>
::testing::AssertionResult IsJacobian(const Eigen::MatrixBase<Derived>& jacobian, const F& f, const X& x,
                                      const Plus& plus, int dimension, const Minus& minus,
                                      const DerivativeCheckOptions& options = {}) {
  return AreJacobiansEqual(jacobian, CentralDifferences(f, x, plus, dimension, minus, options.step), options.tolerance);
}

/// The same for functions of vectors.
template <class Derived, class F, class X>
::testing::AssertionResult IsJacobian(const Eigen::MatrixBase<Derived>& jacobian, const F& f,
                                      const Eigen::MatrixBase<X>& x, const DerivativeCheckOptions& options = {}) {
  const auto plus = [](const typename X::PlainObject& p, const Eigen::VectorXd& d) {
    return typename X::PlainObject(p + d);
  };
  const auto minus = [](const auto& a, const auto& b) { return Eigen::VectorXd(a - b); };
  return IsJacobian(jacobian, f, typename X::PlainObject(x), plus, static_cast<int>(x.size()), minus, options);
}

// --- Increments of common manifolds, to pass as `plus` and `minus`.

inline constexpr auto kVectorMinus = [](const auto& a, const auto& b) { return Eigen::VectorXd(a - b); };
inline constexpr auto kRotationPlus = [](const Quaternion<double>& q, const Eigen::VectorXd& d) {
  return BoxPlusRotation<double>(q, d);
};
inline constexpr auto kRotationMinus = [](const Quaternion<double>& a, const Quaternion<double>& b) {
  return Eigen::VectorXd(BoxMinusRotation<double>(a, b));
};
inline constexpr auto kPosePlus = [](const SpatialPose<double>& pose, const Eigen::VectorXd& d) {
  return BoxPlus<double>(pose, Vector6<double>(d));
};
inline constexpr auto kPoseMinus = [](const SpatialPose<double>& a, const SpatialPose<double>& b) {
  return Eigen::VectorXd(BoxMinus<double>(a, b));
};

}  // namespace ricochet
