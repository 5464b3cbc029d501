// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ricochet {

void RefuseMassAlone(const IdentifyRequest& request, const MassRefusal& refusal) {
  if (!refusal.refused || request.wanted.size() > 1) return;
  throw InputError(
      {request.scene.file, 0, 0}, request.wanted[0].path,
      fmt::format("motion does not tell the mass: without a known force only {} can be told.", refusal.combination),
      fmt::format("Ask for `{}`, or give a known force in `actions`.", refusal.combination));
}

double LagCorrelation(const Eigen::VectorXd& residuals) {
  double worst = 0;
  for (Eigen::Index k = 0; k < 3; ++k) {
    double product = 0, square = 0;
    for (Eigen::Index i = k; i < residuals.size(); i += 3) {
      square += residuals[i] * residuals[i];
      if (i + 3 < residuals.size()) product += residuals[i] * residuals[i + 3];
    }
    if (square > 0) worst = std::max(worst, product / square);
  }
  return worst;
}

void PlaceEstimates(const MassRefusal& refusal, const std::vector<EstimatedParameter>& found,
                    const Eigen::MatrixXd& covariance, Estimate& estimate) {
  const Eigen::Index n = static_cast<Eigen::Index>(refusal.index.size());
  estimate.covariance = Eigen::MatrixXd::Constant(n, n, NAN);
  for (Eigen::Index a = 0; a < n; ++a) {
    EstimatedParameter& target = estimate.parameters[static_cast<std::size_t>(a)];
    const int at = refusal.index[static_cast<std::size_t>(a)];
    if (at < 0) {
      target.identifiable = false;
      target.combination = refusal.combination + " (without a known force only this ratio can be told)";
      continue;
    }
    const double start = target.start;
    target = found[static_cast<std::size_t>(at)];
    target.start = start;
    for (Eigen::Index b = 0; b < n; ++b) {
      const int other = refusal.index[static_cast<std::size_t>(b)];
      if (other >= 0 && target.value && found[static_cast<std::size_t>(other)].value)
        estimate.covariance(a, b) = covariance(at, other);
    }
  }
  if (!refusal.refused) return;
  for (const EstimatedParameter& parameter : found) {
    if (parameter.path != refusal.combination) continue;
    estimate.covariance.conservativeResize(n + 1, n + 1);
    estimate.covariance.row(n).setConstant(NAN);
    estimate.covariance.col(n).setConstant(NAN);
    if (parameter.std) estimate.covariance(n, n) = *parameter.std * *parameter.std;
    estimate.parameters.push_back(parameter);
  }
  estimate.warnings.push_back("mass and inertia cannot be told apart without a known force; only " +
                              refusal.combination + " is given");
}

}  // namespace ricochet
