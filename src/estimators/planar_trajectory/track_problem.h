// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` in the plane as a problem of inference (inference/fit_problem.h): one block per track, whose local
// unknowns are the initial state and, where requested, restitutions of its first impacts.
//
// A search has two parts. First each track is fitted by itself, which finds its sequence of contacts, its noise and its
// outliers (track_fit.h); these then belong to the block and stay. Then all tracks are fitted together on common
// parameters (track_together.h). A search from a point fits tracks that were not fitted yet from there, without looking
// for other sequences of contacts: so the bootstrap settles noise and outliers of its own data.
#pragma once

#include <memory>
#include <vector>

#include "estimators/planar_trajectory/track_together.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// One track of the problem.
struct TrackBlock {
  PlanarTrack recorded;  // as the recording has it
  int recording = 0;
  TrackFit fit;           // of this track alone
  bool settled = false;   // `fit` is one; before, it holds the noise of the rows and what is held of the state
  bool of_fewer = false;  // `fit` has fewer parameters than the problem (With): no start of a search from the data
};

/// The best fit of one track by itself, with the most sticking that its frames allow (track_friction.h).
TrackFit SearchTrack(const PlanarFamily& family, const PlanarTrack& track, const TrackFitOptions& options);

class TrackProblem final : public FitProblem {
 public:
  /// Tracks that are to be fitted.
  TrackProblem(std::shared_ptr<const PlanarFamily> family, const std::vector<PlanarTrack>& tracks,
               const TrackFitOptions& options);
  /// Tracks of which some are fitted already.
  TrackProblem(std::shared_ptr<const PlanarFamily> family, std::vector<TrackBlock> blocks,
               const TrackFitOptions& options);

  const PlanarFamily& family() const { return *family_; }
  const TrackBlock& track(int block) const { return At(block); }
  const ParameterMap& parameters() const override { return family_->parameters(); }
  int blocks() const override { return static_cast<int>(blocks_.size()); }
  int recording(int block) const override { return At(block).recording; }
  /// x, y, theta, and x and y of each point that the scene observes.
  std::vector<std::string> channels() const override;
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;
  std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& more) const override;

  /// Unknowns of one track at a point, in the order of TrackResiduals.
  Eigen::VectorXd Unknowns(int block, const FitPoint& at) const;

  /// Of the last search on all parameters: the tracks at the common values; the fit as one; and its uncertainty.
  const std::vector<TrackFit>& fits() const { return fits_; }
  const TogetherFit& together() const { return together_; }
  const TogetherUncertainty& uncertainty() const { return uncertainty_; }

 private:
  const TrackBlock& At(int block) const { return blocks_[static_cast<std::size_t>(block)]; }
  Eigen::VectorXd LocalPart(const Eigen::VectorXd& z) const;
  TrackResiduals ResidualsOf(int block) const;
  /// Fits the tracks that were not fitted yet: from a point, or by the whole search. False when one has no motion.
  bool Settle(const FitPoint* from);
  /// All tracks together, from their own fits.
  Fit SearchTogether(bool covariance);
  /// The best point with parameters held, from a point.
  Fit SearchFrom(const HeldParameters& held, const FitPoint& from);
  void SetUncertainty(Fit& fit);
  /// The likelihood in friction is steep where contacts would begin to slide and flat where they would stick, that in
  /// restitution may be flat beside its bound: standard deviations are enlarged until they cover what profiles allow. A
  /// profile is computed where the likelihood at 2 standard deviations is not what the curvature at the fit says.
  void WidenByProfile(Fit& fit);
  /// A parameter moved by `change`, with everything else where the curvature at the fit puts it.
  FitPoint Following(const Fit& fit, int index, double change) const;
  /// Sum of squares of all tracks; infinite where there is no motion.
  double CostAt(const FitPoint& at) const;

  std::shared_ptr<const PlanarFamily> family_;
  TrackFitOptions options_;
  std::vector<TrackBlock> blocks_;
  std::vector<TrackFit> fits_;
  TogetherFit together_;
  TogetherUncertainty uncertainty_;
};

}  // namespace ricochet
