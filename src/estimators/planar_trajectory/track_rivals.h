// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Other sequences of contacts that a track does not exclude.
//
// The likelihood has a maximum for every sequence of contacts, and the noise decides which of two nearly equal ones is
// the higher: where the best motion of a wrong sequence lies D away from the truth in units of the noise, the wrong one
// wins in Phi(-D / 2) of the recordings (D = 3.5, 4 percent, for the plywood ellipse with friction 0.4 seen 30 times
// per second). What rivals mean for the covariance of a fit is in inference/rivals.h.
//
// A sequence is known by the frames between which each impact falls; impacts slower than 2 percent of the fastest are
// not counted, nor are slides and sticks distinguished.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace ricochet {

class TrackResiduals;

inline constexpr double kRivalLoss = 12;  // rivals beyond have a weight below 0.3 percent

/// A fit of another sequence of contacts.
struct TrackRival {
  Eigen::VectorXd z;
  double loss = 0;             // of twice the logarithm of the likelihood against the fit
  Eigen::MatrixXd covariance;  // of z; 0 where it is not identifiable
};

/// Frame after each impact, and the point that touches.
using ContactSequence = std::vector<std::pair<int, int>>;

/// Empty when the motion cannot be computed. `score`: twice the negative logarithm of the likelihood with variances
/// that are those of the residuals, or with the given ones.
ContactSequence SequenceOf(const TrackResiduals& residuals, const Eigen::VectorXd& z, double* score = nullptr);

}  // namespace ricochet
