// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Other sequences of contacts that a track does not exclude.
//
// The likelihood has a maximum for every sequence of contacts, and the noise decides which of two nearly equal ones is
// the higher: where the best motion of a wrong sequence lies D away from the truth in units of the noise, the wrong one
// wins in Phi(-D / 2) of the recordings (D = 3.5, 4 percent, for the plywood ellipse with friction 0.4 seen 30 times
// per second). What rivals mean for the covariance of a fit is in inference/rivals.h.
//
// A sequence is known by the frames between which each impact falls and by which contacts stick and slide; impacts
// slower than 2 percent of the fastest are not counted.
#pragma once

#include <Eigen/Core>
#include <compare>
#include <vector>

namespace ricochet {

class TrackFitter;
class TrackResiduals;

inline constexpr double kRivalLoss = 12;  // rivals beyond have a weight below 0.3 percent

/// A fit of another sequence of contacts.
struct TrackRival {
  Eigen::VectorXd z;
  double loss = 0;             // of twice the logarithm of the likelihood against the fit
  Eigen::MatrixXd covariance;  // of z; 0 where it is not identifiable
};

/// An impact, or a change of mode in lasting contact.
struct ContactMark {
  int frame = 0;      // after the impact; -1 for lasting contact
  int candidate = 0;  // the point that touches
  int slip = 0;       // 0 stick, +-1 slide

  auto operator<=>(const ContactMark&) const = default;
};
using ContactSequence = std::vector<ContactMark>;

/// Empty when the motion cannot be computed. `score`: twice the negative logarithm of the likelihood with variances
/// that are those of the residuals, or with the given ones.
ContactSequence SequenceOf(const TrackResiduals& residuals, const Eigen::VectorXd& z, double* score = nullptr);

/// The likeliest fits that the fitter met on its way whose sequence of contacts is not that of `best`, fitted to the
/// end. The noise is that of `best`, and stays.
std::vector<TrackRival> FindRivals(TrackFitter& fitter, const Eigen::VectorXd& best);

}  // namespace ricochet
