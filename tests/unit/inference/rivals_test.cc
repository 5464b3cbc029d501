// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/rivals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ricochet {
namespace {

TEST(Rivals, CovarianceIsThatOfTheMixture) {
  Fit fit;
  fit.point.values = Eigen::VectorXd::Zero(1);
  fit.covariance = Eigen::MatrixXd::Constant(1, 1, 4.0);
  EXPECT_EQ(CovarianceWithRivals(fit), fit.covariance);
  // As likely as the fit, 10 away, with a variance of 9: weights of one half.
  fit.rivals = {{Eigen::VectorXd::Constant(1, 10.0), 0, Eigen::MatrixXd::Constant(1, 1, 9.0)}};
  EXPECT_NEAR(CovarianceWithRivals(fit)(0, 0), 0.5 * 4 + 0.5 * (9 + 100), 1e-12);
  // One that loses 12 hardly counts.
  fit.rivals[0].loss = 12;
  const double weight = std::exp(-6.0);
  EXPECT_NEAR(CovarianceWithRivals(fit)(0, 0), (4 + weight * 109) / (1 + weight), 1e-12);
}

}  // namespace
}  // namespace ricochet
