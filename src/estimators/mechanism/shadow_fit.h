// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The paper's own identification (Spook sec. 3): states of every step and parameters at once, from impulses.
//
//     minimize  kappa sum_k |dp_q,k|^2 + |dp_v,k|^2  +  sum_i |y_i - angle(q_k(i))|^2,       lower <= p <= upper
//
// over poses and velocities (q_k, v_k) at steps h apart, in maximal coordinates, and p. dp are the impulses from
// outside that one step of `spook` needs to go from state k to k + 1 (3.7, 3.8; steppers/spook/spook_inverse.h), with
// the scene's `simulation.step` and `compliance`; the first pair is that of the distance of (q_0, v_0) from the
// constraints, G^T (G G^T)^-1 g / h and G^T (G G^T)^-1 G v times M + G^T Sigma^-1 G (3.16, 3.17 with their errata, G
// held). kappa weighs both kinds (4.4: R = 1, Omega^-1 = kappa).
//
// Levenberg and Marquardt (3.21) with damping scaled by the diagonal, steps taken on decrease only (errata of
// Algorithm 1); normal equations block tridiagonal with a border (sec. 3.6, optimize/chain_least_squares.h).
// Start: filtered angles at the steps, configurations on the constraints, velocities by differences (4.3).
//
// What it estimates are shadow parameters: those with which one step of this length of this stepper does least wrong.
// They are biased by O(h) (at h = 1e-2 s the released Furuta pendulum has +21 % and -20 % of its inertias and no
// friction), and stiff joints (compliance below about 1e-5) curve the residuals so much that the search fails from a
// cold start; from softer joints, stiffened in stages (`soften`), it does not.
//
// Covariance: (3.26)-(3.32) with one variance of impulses and one of observations, states eliminated.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/joint_track.h"
#include "estimators/mechanism/inverse_dynamics_family.h"
#include "optimize/chain_least_squares.h"
#include "ricochet/recording.h"

namespace ricochet {

struct ShadowFitOptions {
  double kappa = 100;       // weight of impulses over that of observations [rad^2 / (N m s)^2]
  int iterations = 50;      // most
  double tolerance = 1e-5;  // of the cost that a step must promise and give
  bool soften = false;      // begin with softer joints: stiff ones then converge too
};

struct ShadowFit {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;
  double cost = 0;                                  // half of the sum
  double observation_error = 0, impulse_error = 0;  // mean squares [rad^2], [(N m s)^2]
  double kappa = 0;                                 // with which it was fitted
  int iterations = 0;                               // steps taken
  int states = 0;
  bool converged = false;
  std::vector<double> trace;  // cost at the start and after every step
};

/// Throws InputError where the scene has no step or a joint no compliance.
ShadowFit FitShadow(const JointedFamily& family, const std::vector<JointTrack>& tracks,
                    const ShadowFitOptions& options);

/// The same with kappa from the residuals themselves: the largest of the ladder 1, 10, ... at which it does not exceed
/// the mean square of angle errors over that of impulse errors, so that both kinds weigh as their sizes say (4.4: R and
/// Omega are their variances), and at which the search converges. Each rung starts where the one before ended; the
/// ladder begins where states follow the data and hardly anything is curved. options.kappa does not count; `kappa` of
/// the result is the one taken.
ShadowFit FitShadowBySizes(const JointedFamily& family, const std::vector<JointTrack>& tracks,
                           const ShadowFitOptions& options);

}  // namespace ricochet
