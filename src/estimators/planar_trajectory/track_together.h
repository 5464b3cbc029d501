// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Several recordings at once: an initial state (and restitutions of impacts, where requested) per recording, common
// parameters; and what the fit says about its own uncertainty.
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
