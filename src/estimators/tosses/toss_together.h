// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of tosses at once, with common parameters and a start of each:
//
//   minimize over theta, x_k    sum_k sum_{i < n_k} |y_i(x_k, theta) - z_i|^2 / (1 + u_ki)     (in units of the noise)
//
// with y_i, z_i the predicted and recorded pose of row i. How tosses move, with located impacts or on a grid of steps,
// is the set's matter. Motion behind impacts amplifies what is not known of the start, and a little later everything is
// possible. So windows n_k grow: they begin with the flights, which are known, and what the rows so far leave open of
// x_k and theta says how far ahead a prediction is worth anything (toss_secants.h). A round takes secants, eliminates
// the starts (an arrow), takes a step, narrows the axes and widens the windows; optimize/marquardt.h is the loop.
//
// A window that stops growing ends where the recording itself does not determine what comes next: two corners that land
// nearly together, a body balanced on an edge. Whether a row counts follows from this sensitivity and not from its
// residual, so that leaving it out hides no misfit. Starts beside the best are tried where a window does not fit, and
// in every round where motion jumps (GrowingFitOptions::draws).
//
// The covariance is that of the linear problem. It is enlarged by what each unknown error of the motion would change if
// the fit did not know of it, by the scatter between tosses where that exceeds chance, by the step that the search has
// left, and by 1e-4 of the parameter's size. Then the deviance is looked at on both sides of every parameter, three
// standard deviations away: beyond a kink it may be flat, as it is above the friction from which on an impact sticks.
#pragma once

#include <cstdint>
#include <vector>

#include "estimators/tosses/toss_search.h"
#include "estimators/tosses/toss_secants.h"
#include "estimators/tosses/toss_statements.h"

namespace ricochet {

struct TossLikelihoodResult {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;
  Eigen::VectorXd least_variance;  // of each parameter by the secants alone; the covariance is never below
  Eigen::VectorXd lower, upper;    // limits at 95 % of parameters whose other side is open; infinite: none. Empty: none
  double chi2 = 0;
  std::vector<double> ratio;              // chi^2 / dof of each toss, unexplained squares not counted, of its window
  std::vector<int> freedom;               // dof of each
  std::vector<int> frames;                // that the model follows and that are compared, of each toss
  std::vector<int> predictable;           // frames that the recording determines, of each toss; empty: all
  std::vector<double> followed;           // part of these after its first contact
  std::vector<TossStart> moved;           // start of each toss, from that of its flight
  std::vector<TossKnowledge> known;       // what the fit knows of each toss; empty: nothing
  std::vector<Eigen::VectorXd> alone;     // what each toss by itself would move the parameters to
  std::vector<TossStatement> statements;  // by all fits; with enough tosses one per toss, in their order
  std::vector<OptimizerStage> trace;      // rounds that improved: half of the squares of all rows
};

struct GrowingFitOptions {
  Eigen::VectorXd spread;  // of each parameter: by which the start may be off; 0: held
  double least_width = 0;  // of a parameter's size, that axes keep: wider than jumps of the motion
  int draws = 0;           // starts tried beside the proposed one, of each toss and round
  std::uint64_t seed = 0;
};

TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 const GrowingFitOptions& options);

/// `part` of each parameter's size, 0 for held ones (empty: none).
Eigen::VectorXd SpreadOf(const SpatialFamily& family, double part, const std::vector<char>& held = {});

}  // namespace ricochet
