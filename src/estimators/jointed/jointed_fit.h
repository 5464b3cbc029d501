// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Maximum likelihood of joint recordings on the rigid motion of a mechanism: states and parameters at once.
//
//     minimize 1/2 sum_i ((x(t_i - delay) + offset - y_i) / sigma_i)^2
//            + 1/2 sum_k |(s_k+1 - Phi_k(s_k, p)) / (c sigma_s)|^2,        lower <= p <= upper
//
// over states s_k = (x, r) at nodes of each recording and parameters p, where Phi_k is the motion between nodes
// (dynamics/tree/tree_flow.h: order 8, friction switched exactly). This is Spook (3.15) with two changes: the residual
// between states is that of the motion itself, not of one step of the stepper, so that neither step nor compliance can
// enter the parameters; and c, which plays the part of the paper's weight kappa, falls to 0 in levels, so that nobody
// has to choose it:
//
//     start   states from the filtered recording (Spook 4.4); p by least squares on the equations of motion at the
//             filtered coordinates, rates and accelerations, which are linear in most numbers: no start value matters
//     c = 1e-3, nodes every 0.1 s (where that fails c = 1 comes first), until the motions from the first nodes alone
//     follow the recordings; then c = 0: one node per recording, which is maximum likelihood
//
// An iteration is a step that was taken, each from a linearization of its own; steps of all levels count.
//
// How one level is solved is in jointed_least_squares.h. If a recording is so unstable that c = 0 cannot be reached,
// the fit stays at c = 1e-4, or 1e-3, and says so. Evaluations are limited, so that a wrong model is reported soon.
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "estimators/jointed/jointed_least_squares.h"
#include "estimators/jointed/jointed_uncertainty.h"

namespace ricochet {

class JointedFit : public JointedLeastSquares {
 public:
  explicit JointedFit(const JointedFamily& family, std::vector<JointTrack> recorded, JointedFitOptions options = {})
      : JointedLeastSquares(family, std::move(recorded), std::move(options)) {}

  /// False when no motion of the mechanism follows the recordings.
  bool Run();

  /// The last level alone, from a point that another fit of the family found, with its noise: one node per track, or
  /// many tied by `weight`. Parameters that the data do not identify are not looked for. False when the motion cannot
  /// be computed there.
  bool RunFrom(const Eigen::VectorXd& values, JointedNodes nodes, double weight);

  Eigen::MatrixXd information;      // about p, no prior
  Eigen::MatrixXd covariance;       // of the numbers that are not held; zero rows for held ones
  Eigen::VectorXd enlargement;      // of each standard deviation over what `information` says; 1 for held ones
  std::vector<HeldNumber> held;     // not identifiable
  std::vector<double> chi2;         // per track
  std::vector<double> correlation;  // per track: largest lag-one correlation of a channel
  bool converged = false;
  bool exact = false;  // c = 0 was reached
  bool white = true;
  bool lost = false;  // residuals are large beside noise and motion: the model is rejected
  double misfit = 1;  // largest noise from residuals over that from differences of rows, of all channels
  std::vector<std::string> log;

 private:
  bool RunOnce();
  /// Takes over the result of another fit of the same recordings.
  void Adopt(JointedFit&& other);
  void CheckMisfit();
  double Misfit() const;
  bool Tie();
  /// One motion per recording. False when that was not reached (`tied`: cost before); then nodes and numbers are as
  /// before.
  bool Single(double tied);
  void Firm(double weight);
  bool Hold(double slack);
  void Analyze();
};

}  // namespace ricochet
