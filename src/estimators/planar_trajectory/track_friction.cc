// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_friction.h"

#include <cmath>

#include "estimators/planar_trajectory/track_fitter.h"
#include "math/statistics.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kRejected = 12;  // rise of chi^2 that chance does not give among the many ways to slide a little
constexpr int kMostSteps = 3;     // to friction at which everything sticks

/// Fit with parameter `index` held at `friction`, from z, which is moved there. The rise of chi^2; one that exceeds
/// `limit` anyway is not computed to the end.
double FitWithFriction(const PlanarFamily& family, int index, const TrackFit& fit, double friction, double limit,
                       Eigen::VectorXd& z) {
  TrackResiduals residuals(family, fit.track);
  residuals.rejected() = fit.rejected;
  const int extra = static_cast<int>(fit.z.size()) - kTrackState - family.size();
  residuals.SetImpactRestitutions(extra, kCountedImpact);
  z[kTrackState + index] = friction;
  LeastSquaresOptions options = TrackSolverOptions(family, extra);
  options.max_iterations = 12;
  options.cost_tolerance = 1e-4;
  options.give_up = 0.5 * (fit.chi2 + limit);
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

bool Slides(const PlanarFamily& family, const TrackFit& fit, const Eigen::VectorXd& z) {
  TrackResiduals residuals(family, fit.track);
  residuals.SetImpactRestitutions(static_cast<int>(z.size()) - kTrackState - family.size(), kCountedImpact);
  std::vector<Eigen::Vector3d> poses;
  EventSummary motion;
  return residuals.Predict(z, poses, &motion) && motion.slid;
}

}  // namespace

bool AllowsFriction(const PlanarFamily& family, int index, const TrackFit& fit, double friction) {
  Eigen::VectorXd z = fit.z;
  return FitWithFriction(family, index, fit, friction, kChi2OneSided, z) < kChi2OneSided;
}

bool PreferSticking(const PlanarFamily& family, int index, TrackFit& fit) {
  if (!fit.motion.slid) return true;
  Eigen::VectorXd z = fit.z;
  TrackFitOptions options;
  options.impact_restitutions = static_cast<int>(fit.z.size()) - kTrackState - family.size();
  for (int step = 0; step < kMostSteps; ++step) {
    if (FitWithFriction(family, index, fit, 1.5 * z[kTrackState + index] + 0.1, kRejected, z) > kRejected) return false;
    if (!Slides(family, fit, z)) break;
  }
  TrackFit sticking = RefitTrack(family, fit.track, z, options);
  if (!sticking.usable || sticking.motion.slid) return false;
  // The refit settles noise and outliers of its own, and may end elsewhere.
  const double loss = fit.noise_estimated ? LogNoise(sticking.track) - LogNoise(fit.track) : sticking.chi2 - fit.chi2;
  if (loss > kRejected || sticking.rejected != fit.rejected) return false;
  sticking.log.insert(sticking.log.begin(), fit.log.begin(), fit.log.end());
  sticking.log.push_back(fit.track.name +
                         ": the data do not reject that every contact sticks, so none counts as sliding");
  sticking.iterations += fit.iterations;
  sticking.evaluations += fit.evaluations;
  // The motion that slides stays a rival.
  sticking.rivals = std::move(fit.rivals);
  const ParameterInformation information =
      AnalyzeInformation(fit.jacobian, TrackSolverOptions(family, options.impact_restitutions).scale, 1e-7);
  sticking.rivals.insert(
      sticking.rivals.begin(),
      {fit.z, -loss, information.covariance.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; })});
  fit = std::move(sticking);
  return true;
}

double FrictionLowerBound(const PlanarFamily& family, int index, const TrackFit& fit) {
  double allowed = fit.motion.slid ? fit.z[kTrackState + index] : fit.motion.friction_needed, excluded = 0.5 * allowed;
  for (int k = 0; k < 6; ++k) {
    const double middle = 0.5 * (allowed + excluded);
    (AllowsFriction(family, index, fit, middle) ? allowed : excluded) = middle;
  }
  return allowed;
}

}  // namespace ricochet
