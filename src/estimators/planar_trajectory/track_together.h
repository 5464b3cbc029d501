// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Several recordings at once: an initial state (and restitutions of impacts, where requested) per recording, common
// parameters; and what the fit says about its own uncertainty.
//
// Search. Each recording by itself has found its contacts and what it knows about the parameters: an information matrix
// H_k with its state eliminated. The start is their weighted mean p = (sum H_k)^-1 sum H_k p_k, with every state moved
// along its own valley; it is the solution where all are linear. A recording whose chi^2 then rises by more than chance
// allows has been led to wrong contacts, by its own noise or by the common parameters. Then the parameters of every
// recording are tried for all, each with those of its rivals (track_rivals.h) that agrees best, and recordings that
// still do not agree are searched again with the common parameters held. Rivals of the single recordings that do not
// lose much under common parameters are the rivals of the common fit.
//
// Covariance. (J'J)^-1 of the weighted residuals holds for known noise. Noise that was estimated from nu degrees of
// freedom makes error / standard deviation follow Student's distribution, whose spread is sqrt(nu / (nu - 2)) and not
// 1: 1.08 for the angle of a recording of 16 frames. Standard deviations are enlarged by that factor. Where several
// noises take part (positions and angle of each recording), a parameter's variance is a sum of their shares V_g, and nu
// = (sum V_g)^2 / sum (V_g^2 / nu_g) (Welch, Satterthwaite).
#pragma once

#include <vector>

#include "estimators/planar_trajectory/track_fit.h"
#include "optimize/covariance.h"

namespace ricochet {

/// The solution over all recordings, with everything as if it were one fit.
struct TogetherFit {
  Eigen::VectorXd params;
  /// Per recording, by state and restitutions of impacts, and by the parameters. Columns of what is held are 0.
  std::vector<BlockJacobian> jacobians;
  std::vector<double> costs;  // chi^2 of each recording; infinite when there is no motion
  double chi2 = 0;
  int degrees_of_freedom = 0;
  int iterations = 0;
  bool found = false, converged = false;
  std::vector<LeastSquaresStep> trace;
  std::vector<TrackRival> rivals;  // z: the parameters alone
};

/// Starts at the fits of the single recordings and moves them to the common parameters. One fit is passed through.
TogetherFit FitTogether(const PlanarFamily& family, std::vector<TrackFit>& fits);

/// The same from `values` and the states that the fits have, with some parameters held there (empty: none). Without
/// Jacobians and degrees of freedom.
TogetherFit FitTogetherHeld(const PlanarFamily& family, const std::vector<char>& held, const Eigen::VectorXd& values,
                            std::vector<TrackFit>& fits);

/// What a fit says about its own uncertainty, standard deviations enlarged where noise was estimated.
struct TogetherUncertainty {
  ParameterInformation parameters;
  Eigen::VectorXd student;                    // by which they were enlarged; 1 where noise was given
  std::vector<Eigen::VectorXd> restitutions;  // per recording: standard deviations; NaN where not identifiable
};
TogetherUncertainty AnalyzeTogether(const PlanarFamily& family, const std::vector<TrackFit>& fits,
                                    const TogetherFit& together);

}  // namespace ricochet
