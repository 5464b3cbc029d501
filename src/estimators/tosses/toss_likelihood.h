// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of recorded tosses over the start of each and the common numbers, for motion that jumps with its start.
//
//   minimize over theta, x_k    sum_k sum_i |y_i(x_k, theta) - z_i|^2 / (1 + n_i)        (in units of the noise)
//
// with y_i, z_i the predicted and recorded pose of frame i and x_k the state at the first frame of the flight. Whether
// a corner closes in one step of `moreau` or in the next makes y jump, so derivatives describe one piece of the
// likelihood and its maxima are many. Instead of derivatives, secants over what is not known yet:
//
//   A_j = (y(x + b_j) - y(x - b_j)) / 2,   T_i likewise in theta,   n = mean square of (y(x + b) + y(x - b)) / 2 - y(x)
//
// with b_j the principal axes of what the data leave open of x, at first the fit of the flight alone. What the secants
// leave unexplained, n, counts as noise: frames after a coin flip have little weight as long as it is open, and gain
// it as the start becomes known. A round solves the linear problem (starts eliminated one by one), tries the proposed
// start of each toss and some drawn beside it, keeps the best, and narrows b and the steps in theta, at most threefold.
// It is an iterated ensemble smoother (Emerick and Reynolds 2013) with starts picked by their likelihood.
//
// Every toss is fitted alone, from numbers of its own that are drawn as far about the last estimate as tosses are
// apart. What a piece pins is then an error of that toss, and not of all: the numbers are the weighted mean over the
// tosses, with Huber's weights and less weight where chi^2 stays above its degrees of freedom, and their standard
// deviations come from the scatter of the tosses, with Student's factor (toss_search.h). Two passes. Fewer than five
// tosses are fitted several times each, and the scatter of these fits counts in full.
//
// A toss whose end no start explains (a box that slides flat closes and opens corners at every step) is followed up to
// a frame and fitted again up to there: what comes after says nothing about the numbers.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "estimators/tosses/toss_search.h"
#include "estimators/tosses/toss_statements.h"

namespace ricochet {

struct TossLikelihoodOptions {
  int rounds = 8;
  int passes = 2;
  int draws = 6;   // starts beside the proposed one, per toss and round
  int fewest = 5;  // tosses for a covariance from their scatter
  std::uint64_t seed = 0;
  std::vector<char> held{};  // numbers that stay where the start has them, one entry each; empty: none
};

struct TossLikelihoodResult {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;
  Eigen::VectorXd least_variance;  // of each number by the secants alone; the covariance is never below
  double chi2 = 0;
  std::vector<double> ratio;     // chi^2 / dof of each toss, without the allowance n, of the frames followed
  std::vector<int> freedom;      // dof of each
  std::vector<int> frames;       // that the model follows and that are compared, of each toss
  std::vector<int> predictable;  // frames that the recording determines, of each toss; empty: all
  std::vector<double> followed;  // part of these after its first contact
  std::vector<Eigen::Matrix<double, 12, 1>> moved;  // start of each toss, from that of its flight
  std::vector<Eigen::VectorXd> alone;               // what each toss by itself would move the numbers to
  std::vector<TossStatement> statements;            // by all fits; with enough tosses one per toss, in their order
  std::vector<OptimizerStage> trace;                // rounds of each pass: half of chi^2 summed over the tosses
};

/// `spread`: how far the numbers may be off, per number; the first steps of the secants.
TossLikelihoodResult MaximizeTossLikelihood(const SpatialFamily& family, const TossSet& tosses,
                                            const Eigen::VectorXd& start, const Eigen::VectorXd& spread,
                                            const TossLikelihoodOptions& options = {});

}  // namespace ricochet
