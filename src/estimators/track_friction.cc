// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/track_friction.h"

#include <cmath>

namespace ricochet {
namespace {

constexpr double kOneSided = 2.706;  // chi^2 of a one-sided statement at 95 %

}  // namespace

double FrictionRise(const PlanarFamily& family, int index, const TrackFit& fit, double friction) {
  TrackResiduals residuals(family, fit.track);
  residuals.rejected() = fit.rejected;
  const Eigen::Index n = fit.z.size(), p = family.size(), extra = n - kTrackState - p;
  residuals.SetImpactRestitutions(static_cast<int>(extra), kCountedImpact);
  Eigen::VectorXd z = fit.z;
  z[kTrackState + index] = friction;
  LeastSquaresOptions options;
  options.max_iterations = 12;
  options.cost_tolerance = 1e-4;
  options.scale = Eigen::VectorXd::Ones(n);
  options.lower = Eigen::VectorXd::Constant(n, -INFINITY);
  options.upper = Eigen::VectorXd::Constant(n, INFINITY);
  options.scale.segment(kTrackState, p) = family.scale();
  options.lower.segment(kTrackState, p) = family.lower();
  options.upper.segment(kTrackState, p) = family.upper();
  options.lower.tail(extra).setZero();
  options.upper.tail(extra).setOnes();
  options.lower[kTrackState + index] = options.upper[kTrackState + index] = friction;
  const LeastSquaresSummary end = MinimizeLeastSquares(
      [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* j) {
        if (!residuals.Evaluate(x, r, j)) return false;
        if (j) j->col(kTrackState + index).setZero();
        return true;
      },
      options, z);
  return end.end == LeastSquaresEnd::kFailed ? INFINITY : 2 * end.cost - fit.chi2;
}

bool FrictionHasUpperBound(const PlanarFamily& family, int index, const std::vector<TrackFit>& fits) {
  for (const TrackFit& fit : fits) {
    if (!fit.motion.slid) continue;
    if (FrictionRise(family, index, fit, 1.5 * fit.z[kTrackState + index] + 0.1) > kOneSided) return true;
  }
  return false;
}

double FrictionLowerBound(const PlanarFamily& family, int index, const TrackFit& fit) {
  double allowed = fit.motion.slid ? fit.z[kTrackState + index] : fit.motion.friction_needed, excluded = 0.5 * allowed;
  for (int k = 0; k < 6; ++k) {
    const double middle = 0.5 * (allowed + excluded);
    (FrictionRise(family, index, fit, middle) < kOneSided ? allowed : excluded) = middle;
  }
  return allowed;
}

}  // namespace ricochet
