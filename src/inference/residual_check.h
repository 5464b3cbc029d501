// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Residuals of a fit against the noise of the rows, which no fit has touched (FitProblem::NoiseOf), and against each
// other in time.
//
// Size. With S the sum of squared residuals over the noise of the rows and nu their degrees of freedom, S / nu is 1
// where the model explains the data. The noise of the rows is an estimate itself, from f degrees of freedom: S / nu
// follows Fisher's F(nu, f). The test is made for all residuals and for each channel, so that one bad channel does not
// hide among good ones. Noises of several recordings and kinds have shares w of S, and f = 1 / sum(w^2 / f_g).
//
// Whiteness. Residuals of neighboring rows are independent where the model explains the data and the noise is that of a
// camera or a counter. Ljung and Box: Q = n (n + 2) sum_l rho_l^2 / (n - l) over lags l follows chi^2; sums over
// channels and recordings do too. `inflation` is the factor 1 + 2 sum_l rho_l by which the variance of a mean of the
// residuals exceeds that of independent ones.
#pragma once

#include <optional>
#include <string>

#include "inference/fit_problem.h"

namespace ricochet {

struct ResidualCheck {
  int count = 0;       // residuals
  double freedom = 0;  // degrees of freedom: without what the fit used up
  double scale = 1;    // root mean square of the residuals over the noise that the fit used

  std::optional<double> over_noise;  // root mean square over the noise of the rows; none where that is not known
  double p_value = 1;                // of a ratio that large by chance
  double noise_freedom = 0;          // degrees of freedom behind the noise of the rows
  std::string worst_channel;         // the one that exceeds its noise most
  double worst_over_noise = 0;

  double white_p_value = 1;
  double inflation = 1;

  // The largest residual, over the noise of the rows, or over that which the fit used where the former is not known.
  double largest = 0;
  double largest_time = 0;  // [s]
  int largest_recording = 0;
  std::string largest_channel;
};

/// None where the motion cannot be computed at the fit, or where nothing is left to check.
std::optional<ResidualCheck> CheckResiduals(const FitProblem& problem, const Fit& fit);

}  // namespace ricochet
