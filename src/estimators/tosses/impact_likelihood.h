// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of the velocities after impacts on one corner: Jongeneel's (17) with weights from the noise of the fitted
// flights (TossRoller::VelocityCost), minimized over any numbers of the scene.
//
//   cost   falls steeply into a narrow valley. An impact that slides determines friction to a few thousandths; one that
//          sticks only bounds friction from below and has the same cost for all larger ones, so that
//          beside the valley lies a wide plateau, which a search over few points takes for the minimum.
//   search an allowance [m/s] is added to the noise and Student's density is left out, so that the valley is as wide as
//          the box; points spread evenly, evolution from the three best; then the allowance falls to nothing.
//   polish Newton's method with second differences over the standard deviations themselves, wider than the kinks where
//   sticking
//          turns into sliding.
//   covariance H^-1, or H^-1 (sum_k g_k g_k^T) K / (K - p) H^-1 with the gradients g_k of each toss and Student's
//          factor where that is larger (a model that is not right): per number whichever variance is larger.
//   one-sided where every impact sticks, the cost at the end of the box is that of the minimum: friction then has a
//          lower bound (twice the cost rises by 2.71, 95 %) and no value.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

#include "estimators/tosses/toss_search.h"

namespace ricochet {

struct ImpactMinimum {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;  // infinite diagonal entries: the cost does not rise along that number
  Eigen::VectorXd lower;       // one-sided statements; not a number where there is none
  Eigen::VectorXd enlarged;    // factor of each standard deviation for a scatter between tosses above H^-1
  std::vector<double> costs;   // per toss
  double cost = 0;             // their sum
  double chi2_per_dof = 0;     // of the velocities, in units of their noise
  int evaluations = 0;
  bool converged = false;
  std::vector<std::string> log;
  std::vector<OptimizerStage> trace;
};

/// `set` has tosses with impacts only (TossSet::KeepThoseWithImpacts).
ImpactMinimum MaximizeImpactLikelihood(const SpatialFamily& family, const TossSet& set, std::uint64_t seed);

/// Newton's method alone.
struct ImpactRefit {
  Eigen::VectorXd params;
  std::vector<double> costs;  // per toss
  bool converged = false;
};

/// From `start`, with the `held` numbers (one entry each; empty: none) where it has them.
ImpactRefit RefitImpacts(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                         const std::vector<char>& held = {});

}  // namespace ricochet
