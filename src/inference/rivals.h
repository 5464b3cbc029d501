// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Uncertainty of a fit that has rivals: other solutions, of another sequence of contacts, that the data do not exclude.
//
// The likelihood has a maximum for every sequence of contacts, and the noise decides which of two nearly equal ones is
// the higher. No search mends that; the covariance says so. It includes the rivals, each with the weight of its
// likelihood,
//
//   w_k ~ exp(-loss_k / 2),  loss = 2 log L(fit) - 2 log L(rival),  C = sum_k w_k (C_k + d_k d_k'),  d_k = v_k - v.
#pragma once

#include "inference/fit_problem.h"

namespace ricochet {

/// Covariance of the values with the rivals in it; that of the fit where it has none.
Eigen::MatrixXd CovarianceWithRivals(const Fit& fit);

}  // namespace ricochet
