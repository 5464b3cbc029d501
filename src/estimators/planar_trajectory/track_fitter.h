// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of a fit of one track (track_fit.h): least squares over a window of frames, noise and outliers
// (track_fitter.cc), and the ways from one sequence of contacts to another (track_search.cc).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "estimators/planar_trajectory/track_fit.h"
#include "estimators/planar_trajectory/track_residuals.h"
#include "estimators/planar_trajectory/track_start.h"
#include "optimize/least_squares.h"

namespace ricochet {

inline constexpr double kTrackHuber = 4;  // residuals beyond this many sigma count linearly while paths are sought

/// A start on its way to a fit.
struct TrackPath {
  Eigen::VectorXd z;
  double cost = INFINITY;  // of the robust loss over the window
  int window = 0;
  double score = INFINITY;  // by which attempts are compared
  PlanarTrack track;        // with the noise of the path
  std::vector<OptimizerStage> trace = {};
};

/// Twice the negative log-likelihood when the variances are those of the residuals.
inline double LogNoise(const PlanarTrack& track) {
  double sum = 0;
  for (const ShownKind kind : kShownKinds)
    if (const int count = track.Count(kind); count > 0) sum += 2.0 * count * std::log(track.NoiseOf(kind));
  return sum;
}

class TrackFitter {
 public:
  TrackFitter(const PlanarFamily& family, PlanarTrack track, const TrackFitOptions& options);

  PlanarTrack& track() { return track_; }

  TrackResiduals& residuals() { return residuals_; }

  int evaluations() const { return evaluations_; }

  int iterations() const { return iterations_; }

  const NoiseFreedom& noise_freedom() const { return noise_freedom_; }

  /// Least squares over the first `window` frames. While paths are sought, weak priors (inertia ratio within a factor
  /// 2 of that of a disc, friction and restitution 0.4 +- 0.4) bound what few frames do not determine.
  LeastSquaresSummary Solve(TrackPath& path, int window, int iterations, double tolerance, double huber,
                            bool priors = false);

  void AppendPriors(const Eigen::VectorXd& z, Eigen::VectorXd& r, Eigen::MatrixXd* j) const;

  /// Differential evolution over start velocity and requested parameters on the first frames, for starts that no arc
  /// shows: with one frame before the first bounce, and more bounces before the next frame, nothing but a search is
  /// left.
  std::vector<TrackPath> Search(const TrackStarts& starts, int population, int generations, int attempt);

  /// From the path's window to the whole track.
  void Grow(TrackPath& path);

  /// Variances of each kind of values from the residuals; see track_fit.h. Returns the largest relative change.
  double UpdateNoise(const TrackPath& path);

  /// Disturbs the path along its covariance and refits; keeps what is better.
  void Disturb(TrackPath& best, int count);

  /// Basin hopping: the start of the path and its numbers are disturbed by some percent, the window grows again from
  /// the first bounce, and what fits better becomes the path. This is what changes the sequence of contacts. Ends
  /// after `patience` hops in a row without gain, or `count` in all. Returns whether there was a gain.
  bool Hop(TrackPath& leader, int first_window, int count, int patience, double least_spread, int attempt);

  /// Keeps a fit of all frames for Rivals().
  void Remember(const TrackPath& path);

  /// The likeliest fits met on the way whose sequence of contacts is not that of `best`, fitted to the end. The noise
  /// is that of `best`, and stays.
  std::vector<TrackRival> Rivals(const Eigen::VectorXd& best);

  /// Rejects the worst frame beyond the limit; false when there is none.
  bool RejectWorst(const TrackPath& path, std::vector<std::string>& log);

  /// Takes a trial, fitted to all frames, for the path if it is likelier with the noise that its own residuals show.
  bool TakeIfLikelier(TrackPath trial, TrackPath& best);

  /// A frame close to an impact makes a kink in the likelihood, where the impact passes it: a fit may rest on the
  /// wrong side. The worst frames are left out in turn, alone and with their neighbors, and put back after a fit
  /// without them.
  bool PassFrames(TrackPath& best, int count);

  /// Close passes become impacts and slight impacts passes (track_moves.h).
  bool CrossGrazes(TrackPath& best, int count);

  /// Friction on the other side of every decision between sticking and sliding that the motion makes; restitution a
  /// little off, where later impacts fall between other frames.
  bool CrossLaws(TrackPath& best);

  /// The work of the options is used up.
  bool Spent() const { return residuals_.work() > options_.work; }

  /// A polygon that falls without spin lands on an edge (track_fit.h): the fit with angle and spin held, if it is as
  /// likely.
  bool LandFlat(TrackPath& best, int first_window);

  /// An element of the state that does not change from now on.
  void Hold(int element, double value) {
    held_[static_cast<std::size_t>(element)] = true;
    solver_.lower[element] = solver_.upper[element] = value;
  }
  void Release() {
    held_ = {};
    solver_.lower.head<kTrackState>().setConstant(-INFINITY);
    solver_.upper.head<kTrackState>().setConstant(INFINITY);
  }
  const TrackHeld& held() const { return held_; }

  /// Residuals like noise have no frame far beyond the middle half of them. A wrong sequence of contacts has: it
  /// leaves large residuals beside the impacts, small ones elsewhere, whatever the noise.
  bool LooksLikeNoise(const TrackPath& path) const;

  int Rejected() const {
    return static_cast<int>(std::count(residuals_.rejected().begin(), residuals_.rejected().end(), 1));
  }

 private:
  /// Noise as it was, for trials that determine it again.
  struct KeptNoise {
    std::array<double, kShownKinds.size()> sigma;
    NoiseFreedom freedom;
  };
  KeptNoise KeepNoise() const;
  void RestoreNoise(const KeptNoise& kept);

  /// Values of a friction that CrossLaws tries.
  std::vector<double> FrictionsAcross(const TrackPath& best, int parameter) const;

  /// Largest residual of a frame, of all residuals (TrackResiduals::Compare).
  double Deviation(const Eigen::VectorXd& residuals, int frame) const {
    return residuals.segment(track_.width() * frame, track_.width()).lpNorm<Eigen::Infinity>();
  }

  const PlanarFamily& family_;
  const TrackFitOptions& options_;
  PlanarTrack track_;
  TrackResiduals residuals_;
  LeastSquaresOptions solver_;
  int evaluations_ = 0, iterations_ = 0;
  NoiseFreedom noise_freedom_ = {};
  TrackHeld held_ = {};
  std::vector<Eigen::VectorXd> remembered_;
  double least_cost_ = INFINITY;
};

}  // namespace ricochet
