// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The dynamics of impacts as linear equations in the unknowns (Gabiccini sec. 5.2), for motions that are known.
//
// With a = (dvx - h gx, dvy - h gy) and dw the velocity jumps of impact k, n, t the contact frame, rho_n, rho_t the
// arms of the contact point (here Jy, Jx of impact_regression.h), without known forces
//
//   m a = cn n + ct t,   J dw = rho_n cn + rho_t ct                                                (28), sign of g
//   mended
//
// and, stacked over all impacts, A w = 0 with w = (m, J, cn_1, ct_1, ..., cn_N, ct_N)              (29), (30)
//
// Eliminating the impulses of one impact leaves J dw_k = m (rho_n a_n + rho_t a_t)_k = m M_k, that is
//
//   J/m = M_k / dw_k                                                                              (31)
//
// which is the same number for every impact when the motion is one of a rigid body: the consistency condition (32). A
// then has rank 1 + 2 N, one less than its unknowns, and J/m and the impulses over m are identifiable; when (32) is
// violated its rank is full and only w = 0 is left. The paper compares each impact with the first. Here each is
// compared with the maximum-likelihood value of all, in units of its own standard deviation, so that one poor impact
// spoils no other.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "estimators/planar_trajectory/track_residuals.h"
#include "estimators/regression/impact_regression.h"

namespace ricochet {

/// Impacts of the motion that starts at z (state, requested parameters) over the times of the track, from its
/// velocities just before and after. Impacts slower than 3 % of sqrt(g L) are left out, and those with several contacts
/// at once, for which (31) does not hold; the latter are counted in `several`.
std::vector<ImpactSample> ImpactsOfMotion(const PlanarFamily& family, const PlanarTrack& track,
                                          const Eigen::VectorXd& z, const std::vector<EventRecord>& records,
                                          int* several = nullptr);

/// A of (29). Rows are in units of the impulse of each impact, moments and J in those of the arm `length`, so that the
/// rank does not depend on units: 3 N rows, 2 + 2 N columns.
Eigen::MatrixXd DynamicsMatrix(const std::vector<ImpactSample>& impacts, double length);

/// Rank of A: singular values above `tolerance` of the largest.
int DynamicsRank(const Eigen::MatrixXd& matrix, double tolerance = 1e-6);

/// (31) of one impact and its place in (32).
struct ImpactRatio {
  double time = 0;                  // [s]
  std::optional<double> ratio;      // J/m [m^2]; none when the impact does not turn the body
  std::optional<double> std;        // where the velocities have a variance
  std::optional<double> deviation;  // from the common value, in standard deviations; relative for exact motions
  bool consistent = true;
};

struct Consistency {
  std::vector<ImpactRatio> impacts;
  std::optional<double> common, common_std;  // J/m of all impacts [m^2]
  bool consistent = true;                    // (32) holds for every impact
};

/// Exact motions (no variances) must agree to 1e-6; measured ones to 4 standard deviations.
Consistency CheckConsistency(const std::vector<ImpactSample>& impacts);

}  // namespace ricochet
