// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Maximum-likelihood fit of one track by event-exact motion: initial state and requested parameters, contact sequence
// found.
//
// The likelihood of the poses has many local maxima, because small changes before an impact change the sequence of
// contacts after it. Therefore:
//
//   growing window   guesses (track_start.h) are fitted to the frames up to the end of the arc after the first bounce;
//                    the best go on, and the window grows to where their own prediction leaves the data, again and
//                    again
//   several starts   a few guesses go all the way, up to three attempts with wider searches until the residuals look
//                    like noise; the likelihood decides
//   hopping          the start of the best path is disturbed by 3, 9 and 27 percent and grown again: this is what
//                    changes the sequence of contacts; then the fit is disturbed along its own covariance and refitted
//   neighbors       the frames with the largest residuals are left out in turn, so that an impact can pass them; close
//                    passes become impacts and slight impacts passes (track_moves.h)
//   stick and slide  friction is moved to the other side of every decision between sticking and sliding that the motion
//                    makes, everything else is fitted there, then friction as well; the same with restitution a few
//                    percent off
//   flat landings    a polygon that falls without spin may land on an edge: two corners at one instant are of measure
//                    zero among all starts, so this one is tried by itself, with angle and spin held, and kept if the
//                    likelihood loses less than the two unknowns are worth (Akaike)
//   rivals           other sequences of contacts that were met and are nearly as likely are kept beside the fit
//                    (track_rivals.h)
//   noise            when it is not given, variances of position, angle and points are those of the residuals, each
//                    divided by its own degrees of freedom N_c - tr(H_c) (H the hat matrix), and the fit is repeated
//                    with them
//   bounded work     a search that has taken as many steps of motion as a good one never does ends with the best so far
//   outliers         frames whose residual exceeds 5 sigma after a robust fit are rejected one by one and named
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "estimators/planar_trajectory/track_fitter.h"
#include "estimators/planar_trajectory/track_rivals.h"
#include "ricochet/estimate.h"

namespace ricochet {

struct TrackFit {
  bool usable = false;
  std::string problem;         // why not, in the user's words
  Eigen::VectorXd z;           // initial state, requested parameters, restitutions of impacts
  TrackHeld held = {};         // a flat landing: angle and spin are known
  PlanarTrack track;           // with the noise that was used
  std::vector<char> rejected;  // frames left out as outliers
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;  // of the residuals; columns of what is held are 0
  double chi2 = 0;
  int degrees_of_freedom = 0;
  bool noise_estimated = false;
  NoiseFreedom noise_freedom = {};
  bool converged = false;
  bool cut_short = false;  // the work of the search was used up
  int iterations = 0, evaluations = 0;
  EventSummary motion;
  std::vector<EventRecord> records;  // impacts and contacts of the fitted motion
  std::vector<TrackRival> rivals;    // other sequences of contacts that the frames do not exclude, likeliest first
  std::vector<std::string> log;
  std::vector<OptimizerStage> trace;  // from the start that led here
};

TrackFit FitTrack(const PlanarFamily& family, const PlanarTrack& track, const TrackFitOptions& options = {});

/// The same from a start that is known to be good, without search (for studies and the bootstrap).
TrackFit RefitTrack(const PlanarFamily& family, const PlanarTrack& track, const Eigen::VectorXd& z,
                    const TrackFitOptions& options = {});

}  // namespace ricochet
