// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of all tosses at once, with located impacts (rollout/located_rollout.h), common parameters and a start of
// each:
//
//   minimize over theta, x_k    sum_k sum_{i < n_k} |y_i(x_k, theta) - z_i|^2 / (1 + u_ki)     (in units of the noise)
//
// with y_i, z_i the predicted and recorded pose of row i. Motion behind impacts amplifies what is not known of the
// start, and a little later everything is possible. So windows n_k grow: they begin with the flights, which are known,
// and what the rows so far leave open of x_k and theta says how far ahead a prediction is worth anything:
//
//   secants   A_j = (y(+b_j) - y(-b_j)) / 2 along the principal axes b_j of what is open, starts following the
//             parameters; u is the mean square of (y(+b) + y(-b)) / 2 - y, what secants do not explain of a row
//   window    up to the first row with u above 4 times the noise
//   round     the linear problem with all starts eliminated (an arrow), a step, narrower axes, wider windows
//
// A window that stops growing ends where the recording itself does not determine what comes next: two corners that land
// nearly together, a body balanced on an edge. Whether a row counts follows from this sensitivity and not from its
// residual, so that leaving it out hides no misfit. Starts beside the best are tried where a window does not fit.
//
// Motion in contact has errors of its own: which of two corners lands first may depend on lengths of 1e-4 of the body's
// size, and nobody knows those. Motions with other lengths and steps show such errors e. They count as unknowns of the
// toss with a variance of 1, so that the fit does not lean on rows where they matter, and as unexplained squares.
//
// The covariance is that of the linear problem. It is enlarged by what each error e would change if the fit did not
// know of it, by the scatter between tosses where that exceeds chance, by the step that the search has left, and by
// 1e-4 of the parameter's size.
#pragma once

#include <cstdint>
#include <vector>

#include "estimators/tosses/toss_likelihood.h"
#include "estimators/tosses/toss_search.h"

namespace ricochet {

/// `set` with located impacts. `held` as in TossLikelihoodOptions. `spread`: of each parameter's size, by which `start`
/// may be off.
TossLikelihoodResult FitTogether(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                                 double spread, const std::vector<char>& held, std::uint64_t seed);

}  // namespace ricochet
