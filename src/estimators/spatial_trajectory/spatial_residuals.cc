// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/spatial_trajectory/spatial_residuals.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

double PriorDeviation(const ParameterMap& parameters, int index, double center) {
  const Quantity quantity = parameters.quantity(index);
  if (quantity == Quantity::kFriction || quantity == Quantity::kRestitution) return 0.4;
  return std::max(std::abs(center), 0.1 * parameters.scale()[index]);
}

}  // namespace

bool SpatialResiduals::SetCommon(const Eigen::VectorXd& common) {
  common_ = common;
  instance_ = family_.Compile(common);
  return instance_.has_value();
}

bool SpatialResiduals::Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                                Eigen::MatrixXd* jacobian) {
  if (!IsPrior(block)) return Of(block).Evaluate(*instance_, local, residuals, jacobian);
  const int p = family_.size();
  residuals.resize(p);
  if (jacobian) jacobian->setZero(p, p);
  for (int i = 0; i < p; ++i) {
    const double deviation = PriorDeviation(family_.parameters(), i, (*prior_)[i]);
    residuals[i] = (common_[i] - (*prior_)[i]) / deviation;
    if (jacobian) (*jacobian)(i, i) = 1 / deviation;
  }
  return true;
}

}  // namespace ricochet
