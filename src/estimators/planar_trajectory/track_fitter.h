// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The parts of a fit of one track (track_fit.h): least squares over a window of frames, noise and outliers
// (track_fitter.cc), and the ways from one sequence of contacts to another (track_search.cc).
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "estimators/planar_trajectory/track_residuals.h"
#include "estimators/planar_trajectory/track_start.h"
#include "optimize/least_squares.h"
#include "ricochet/estimate.h"

namespace ricochet {

inline constexpr double kTrackHuber = 4;  // residuals beyond this many sigma count linearly while paths are sought

/// Which elements of the initial state are held.
using TrackHeld = std::array<bool, kTrackState>;

/// Degrees of freedom behind the noise of each kind of values (ShownKind), where it is estimated.
using NoiseFreedom = std::array<double, kShownKinds.size()>;

struct TrackFitOptions {
  int paths = 2;                // guesses that are followed through the whole track, per attempt
  int disturbances = 6;         // restarts beside the best fit; 0: one attempt only, for quick looks
  double accept = 1.6;          // chi^2 per degree of freedom at which a path counts as right and no other is tried
  int impact_restitutions = 0;  // > 0: the first impacts have a restitution each
  std::uint64_t seed = 0;       // of the disturbances
  long work = 20'000'000;       // of the search (TrackResiduals::work), some seconds; the best so far is then the fit
  TrackHeld held = {};          // for RefitTrack: elements of the state that do not change
};

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

  /// Fits of all frames that were met on the way, without those much worse than the best (track_rivals.h).
  const std::vector<Eigen::VectorXd>& remembered() const { return remembered_; }

  /// Typical sizes of the unknowns.
  const Eigen::VectorXd& scale() const { return solver_.scale; }

  /// Noise as it is, for trials that determine it again.
  struct KeptNoise {
    std::array<double, kShownKinds.size()> sigma;
    NoiseFreedom freedom;
  };
  KeptNoise KeepNoise() const;
  void RestoreNoise(const KeptNoise& kept);

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
  /// Keeps a fit of all frames.
  void Remember(const TrackPath& path);

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
