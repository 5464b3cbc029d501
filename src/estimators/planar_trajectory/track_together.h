// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Several recordings at once: an initial state (and restitutions of impacts, where asked for) per recording, common
// numbers; and what the fit says about its own uncertainty.
//
// Covariance. (J'J)^-1 of the weighted residuals holds for known noise. Noise that was estimated from nu degrees of
// freedom makes error / standard deviation follow Student's distribution, whose spread is sqrt(nu / (nu - 2)) and not
// 1: 1.08 for the angle of a recording of 16 frames. Standard deviations are enlarged by that factor. Where several
// noises take part (positions and angle of each recording), a number's variance is a sum of their shares V_g, and nu =
// (sum V_g)^2 / sum (V_g^2 / nu_g) (Welch, Satterthwaite).
#pragma once

#include <vector>

#include "estimators/planar_trajectory/track_fit.h"
#include "inference/bootstrap.h"
#include "ricochet/identify.h"

namespace ricochet {

/// The solution over all recordings, with everything as if it were one fit. Columns of the Jacobian: per recording the
/// state and its restitutions of impacts, then the wanted numbers.
struct TogetherFit {
  Eigen::VectorXd params;
  Eigen::MatrixXd jacobian;
  int states = 0;  // columns before those of the wanted numbers
  double chi2 = 0;
  int degrees_of_freedom = 0;
  int iterations = 0;
  bool converged = false;
  std::vector<LeastSquaresStep> trace;
};

/// Starts at the fits of the single recordings and moves them to the common numbers. One fit is passed through.
TogetherFit FitTogether(const PlanarFamily& family, std::vector<TrackFit>& fits);

/// chi^2 with one wanted number held at a value, everything else fitted from `x` (in the order of the Jacobian's
/// columns; empty: the fits as they are), which it leaves there. Infinite where no motion is found.
double FitTogetherHeld(const PlanarFamily& family, const std::vector<TrackFit>& fits, int index, double value,
                       Eigen::VectorXd& x);

/// Factors by which estimated noise enlarges the standard deviations of all columns; 1 where noise was given.
Eigen::VectorXd StudentFactors(const std::vector<TrackFit>& fits, const Eigen::MatrixXd& jacobian,
                               const Eigen::MatrixXd& covariance);

/// Parametric bootstrap: recordings simulated at the estimate with its noise and fitted again from there.
BootstrapResult BootstrapTracks(const PlanarFamily& family, const std::vector<TrackFit>& fits,
                                const IdentifyOptions& options);

}  // namespace ricochet
