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

#include "core/random.h"
#include "dataset/joint_track.h"
#include "dynamics/input_signal.h"
#include "dynamics/state.h"
#include "estimators/jointed/jointed_family.h"
#include "optimize/chain_least_squares.h"
#include "ricochet/recording.h"

namespace ricochet {

struct ShadowFitOptions {
  double kappa = 100;        // weight of impulses over that of observations [rad^2 / (N m s)^2]
  int iterations = 50;       // most
  double tolerance = 1e-5;   // of the cost that a step must promise and give
  bool soften = false;       // begin with softer joints: stiff ones then converge too
  Eigen::VectorXd start{};   // of the parameters; empty: the scene's values
  std::vector<char> held{};  // parameters that stay at the start; empty: none
};

/// One recording at the steps.
struct ShadowChain {
  struct Observed {
    int joint = 0;
    double value = 0;  // [rad], [m]
  };
  InputSignal signal;
  std::vector<State> states;
  std::vector<std::vector<Observed>> observed;          // per state
  std::vector<std::vector<double>> inputs, inputs_end;  // per state, at both ends of the step that follows
};

struct ShadowFit {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;
  Eigen::VectorXd enlargement;                      // of standard deviations over what the curvature of the cost says
  double cost = 0;                                  // half of the sum
  std::vector<double> costs;                        // the sum, per recording
  double observation_error = 0, impulse_error = 0;  // mean squares [rad^2], [(N m s)^2]
  double kappa = 0;                                 // with which it was fitted
  int iterations = 0;                               // steps taken
  int states = 0;
  bool converged = false;
  std::vector<double> trace;        // cost at the start and after every step
  std::vector<ShadowChain> chains;  // with the fitted states
};

/// Recordings at the steps, with the states of a start (4.3). Throws InputError where the scene has no step.
std::vector<ShadowChain> MakeShadowChains(const JointedFamily& family, const std::vector<JointTrack>& tracks);

/// From the states of the chains. Throws InputError where a joint has no compliance.
ShadowFit FitShadow(const JointedFamily& family, std::vector<ShadowChain> chains, const ShadowFitOptions& options);

/// The same with kappa from the residuals themselves: the largest of the ladder 1, 10, ... at which it does not exceed
/// the mean square of angle errors over that of impulse errors, so that both kinds weigh as their sizes say (4.4: R and
/// Omega are their variances), and at which the search converges. Each rung starts where the one before ended; the
/// ladder begins where states follow the data and hardly anything is curved. options.kappa does not count; `kappa` of
/// the result is the one taken.
ShadowFit FitShadowBySizes(const JointedFamily& family, std::vector<ShadowChain> chains,
                           const ShadowFitOptions& options);

/// Residuals of one recording at these values and states: impulses [N m s] of the start and of every step, and angles
/// [rad], with the times of their states.
struct ShadowResiduals {
  std::vector<double> impulses, impulse_times, angles, angle_times;
};
ShadowResiduals EvaluateShadow(const JointedFamily& family, const ShadowChain& chain, const Eigen::VectorXd& values);

/// What spook makes of the chain's first state and inputs at these values, as the joints show it with `noise` [rad].
/// False when a step fails.
bool SimulateShadow(const JointedFamily& family, const Eigen::VectorXd& values, double noise, Random& random,
                    ShadowChain& chain);

}  // namespace ricochet
