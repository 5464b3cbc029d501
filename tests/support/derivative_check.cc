// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "tests/support/derivative_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {

::testing::AssertionResult AreJacobiansEqual(const Eigen::MatrixXd& analytic, const Eigen::MatrixXd& numerical,
                                             double tolerance) {
  if (analytic.rows() != numerical.rows() || analytic.cols() != numerical.cols()) {
    return ::testing::AssertionFailure() << fmt::format("Jacobian is {} x {}, differences are {} x {}", analytic.rows(),
                                                        analytic.cols(), numerical.rows(), numerical.cols());
  }
  double worst = 0;
  Eigen::Index worst_row = 0, worst_column = 0;
  for (Eigen::Index j = 0; j < analytic.cols(); ++j) {
    const double scale = std::max(1.0, numerical.col(j).lpNorm<Eigen::Infinity>());
    for (Eigen::Index i = 0; i < analytic.rows(); ++i) {
      const double error = std::abs(analytic(i, j) - numerical(i, j)) / scale;
      if (error <= worst) continue;  // a NaN is not
      worst = error;
      worst_row = i;
      worst_column = j;
      if (std::isnan(error)) break;
    }
    if (std::isnan(worst)) break;
  }
  if (worst <= tolerance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << fmt::format(
             "entry ({}, {}) of the Jacobian is {:.12g}, by differences {:.12g}; relative error {:.2e}, allowed {:.2e}",
             worst_row, worst_column, analytic(worst_row, worst_column), numerical(worst_row, worst_column), worst,
             tolerance);
}

}  // namespace ricochet
