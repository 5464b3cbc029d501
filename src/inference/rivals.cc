// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/rivals.h"

#include <algorithm>
#include <cmath>

#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kLeastLoss = 2;  // nearer rivals have their weight

}  // namespace

Eigen::MatrixXd CovarianceWithRivals(const Fit& fit) {
  double total = 1;
  Eigen::VectorXd least = Eigen::VectorXd::Zero(fit.point.values.size());
  Eigen::MatrixXd sum = fit.covariance;
  for (const FitRival& rival : fit.rivals) {
    const double weight = std::exp(-0.5 * std::max(rival.loss, 0.0));
    const Eigen::VectorXd apart = rival.values - fit.point.values;
    sum += weight * (rival.covariance + apart * apart.transpose());
    total += weight;
    least = least.cwiseMax(apart.cwiseAbs() / std::sqrt(std::max(rival.loss, kLeastLoss)));
  }
  sum /= total;
  EnlargeTo(least, sum);
  return sum;
}

}  // namespace ricochet
