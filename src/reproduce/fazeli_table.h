// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The protocol of Fazeli Table 1: m/I of a bouncing block and a bouncing ellipse from their first three impacts, under
// white noise on every recorded coordinate and velocity.
//
// The paper gives neither initial states, nor step, nor noise convention. Here: `lcp` at h = 1 ms for 3 s, start height
// 2 to 4 m, vx within +-2 m/s, vy within +-1 m/s, any angle, rate within +-4 rad/s, all uniform; noise of standard
// deviation 10^(-SNR/20) in SI units on x, y, theta, vx, vy, omega of every row. The paper's own estimate ("plain") is
// given the rows of the impacts, which it assumes to be known; ours ("corrected") finds them.
#pragma once

#include <vector>

#include "estimators/regression/impact_regression.h"
#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

enum class FazeliBody { kBlock, kEllipse };

/// Uniform block of 1 m, m/I = 6 per m^2; uniform ellipse with semi-axes 2 and 1 m, m/I = 0.8 per m^2. The inertia in
/// the scene is a wrong guess unless `true_inertia`.
Scene FazeliScene(FazeliBody body, bool true_inertia);
double FazeliRatio(FazeliBody body);  // m/I [1/m^2]

/// One of the simulated throws, without noise, and the rows before its first impacts.
struct FazeliThrow {
  Recording recording;           // x, y, theta, vx, vy, omega
  std::vector<int> impact_rows;  // at most three
};
FazeliThrow MakeFazeliThrow(FazeliBody body, int run);

/// m/I of one throw with noise of `snr` decibel.
struct FazeliEstimate {
  RatioEstimate plain, corrected;
  std::vector<ImpactSample> impacts;  // of the corrected estimate
};
FazeliEstimate EstimateFazeli(FazeliBody body, const FazeliThrow& thrown, int run, double snr);

/// Errors of m/I over many runs, in percent.
struct FazeliCell {
  int runs = 0, found = 0;                       // with an estimate of the corrected regression
  double plain_mean = 0, plain_std = 0;          // over the runs
  double mean = 0, std = 0, standard_error = 0;  // corrected
  double pulls = 0;                              // RMS of error / stated standard deviation
  double AllowedMean(double limit) const;        // max(limit, 2.5 standard errors)
};
FazeliCell MakeFazeliCell(FazeliBody body, double snr, int runs);

}  // namespace ricochet
