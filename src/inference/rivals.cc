// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/rivals.h"

#include <algorithm>
#include <cmath>

namespace ricochet {

Eigen::MatrixXd CovarianceWithRivals(const Fit& fit) {
  double total = 1;
  Eigen::MatrixXd sum = fit.covariance;
  for (const FitRival& rival : fit.rivals) {
    const double weight = std::exp(-0.5 * std::max(rival.loss, 0.0));
    const Eigen::VectorXd apart = rival.values - fit.point.values;
    sum += weight * (rival.covariance + apart * apart.transpose());
    total += weight;
  }
  return sum / total;
}

}  // namespace ricochet
