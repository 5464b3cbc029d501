// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Maximum-likelihood fit of many recordings in space at once: one initial state per recording, common numbers of the
// scene, motion by any stepper that has derivatives (spatial_rollout.h, optimize/block_least_squares.h).
//
// The likelihood has local maxima, because small changes before an impact change what follows, and flat regions, where
// a contact sticks and friction has no effect. Therefore:
//
//   start            state of the first row from a parabola through the first rows (dataset/pose_tracks.h), then
//                    fitted to the rows that the parabola follows. With a stepper that undoes overlap (ecp) a body may
//                    also start in contact: it is laid down without speed, and only directions that the first steps do
//                    not forget are free. The likelihood of the first rows decides, by Akaike's criterion.
//   several values   of friction, restitution and patch radius beside the scene's own are rolled out from these starts;
//                    the most plausible goes on, others when its end is not good.
//   growing window   rows are added where the prediction follows the data, or a quarter more, until all are used; weak
//                    priors and Huber's loss bound what few rows do not determine.
//   starts beside    whether a contact closes in one step or the next makes the motion of a stepper jump: each sequence
//                    of contacts is a piece with a maximum of its own. When the window has grown and the fit is poor,
//                    starts drawn from what the rows before left open are rolled out, and the best of them fitted.
//   noise            when it is not given, variances of position and rotation are those of the residuals, each over its
//                    own degrees of freedom N_c - tr(H_c); the fit is repeated with them. Rows beyond 5 sigma are left
//                    out, at most one in eight.
//   excluding        of several recordings one that no motion of the model explains is named and left out.
//   holding          parameters that the data do not identify stay at the scene's values.
//
// That is the whole search. A search from a point (profiles, cross-validation) changes parameters and starts alone:
// noise, outliers and recordings in use stay as the whole search left them, so that costs can be compared. Only for
// data that were drawn from a fit (bootstrap) noise and outliers are determined again.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimators/spatial_trajectory/spatial_rollout.h"
#include "inference/fit_problem.h"
#include "optimize/block_least_squares.h"
#include "optimize/covariance.h"
#include "ricochet/estimate.h"

namespace ricochet {

struct SpatialFitOptions {
  double search_huber = 4;    // sigma beyond which residuals count linearly while paths are sought
  double huber = 0;           // and in the final fit; 0: no loss
  double outlier = 5;         // rows beyond are left out [sigma]; 0: none
  int paths = 3;              // start values of the common numbers that are followed, at most
  int search_recordings = 6;  // that judge them
  double wrong_noise = 3;     // residuals this much larger than the scatter: no motion of the model explains them
  double vague = 3;           // a number known to no better than this many of its sizes counts as not known
  double correlated = 0.5;    // lag-one correlation of residuals above which they are systematic
};

/// One recording and its part in the fit.
struct SpatialRecordingFit {
  PoseTracks track;  // with the noise that was used
  std::unique_ptr<SpatialRollout> rollout;
  std::array<double, kShownKinds.size()> scatter = {};  // noise before the fit, by kind [m], [rad], [m]
  int start_rows = 0;
  bool starts_in_contact = false;
  bool usable = true;
  std::string problem;  // why not, in the user's words
  double chi2 = 0;
  int degrees_of_freedom = 0;
  double correlation = 0;  // largest lag-one correlation of the residuals of a value

  /// How much larger the noise is than the scatter: the largest factor of the kinds that are shown.
  double NoiseOverScatter() const;
  /// Of recorded places: the poses', or the points' where only they were recorded.
  ShownKind place_kind() const;
  double place_noise() const { return track.NoiseOf(place_kind()); }
  double place_scatter() const { return scatter[static_cast<std::size_t>(place_kind())]; }
};

class SpatialFit final : public FitProblem {
 public:
  /// Takes the tracks. `family` must outlive it.
  SpatialFit(const SpatialFamily& family, std::vector<PoseTracks> tracks, const SpatialFitOptions& options = {});

  // The problem: one block per recording in use, its local unknowns the coordinates xi of its start.
  const ParameterMap& parameters() const override { return family_.parameters(); }
  int blocks() const override { return static_cast<int>(used.size()); }
  int recording(int block) const override { return used[static_cast<std::size_t>(block)]; }
  /// x, y, z and the rotation vector rx, ry, rz, with the body's name before them where several move; then x, y, z of
  /// each point that the scene observes.
  std::vector<std::string> channels() const override;
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  Fit Search(const HeldParameters& hold = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

  /// In place of a search: the motion of every track is that from `start` with the scene's own values.
  void TakeMotion(const State& start);

  // What the whole search found.
  std::vector<std::unique_ptr<SpatialRecordingFit>> recordings;  // all that were given
  BlockPoint point;       // parameters; per recording in use (in order) its start
  std::vector<int> used;  // indices into `recordings`, in the order of the blocks
  bool converged = false;
  int iterations = 0;
  double cost = 0;  // chi^2 / 2
  int degrees_of_freedom = 0;
  ParameterInformation information;  // every start unknown
  std::vector<char> held;            // parameters that the data do not identify, held at the scene's values
  std::vector<std::string> log;
  std::vector<OptimizerStage> trace;  // from the start that led here

  /// Whether the data determine a parameter better than SpatialFitOptions::vague.
  bool IsIdentified(int index) const;

  /// Rise of chi^2 when one parameter is held at a value and everything else is fitted again.
  double Rise(int index, double value) const;

  /// Motion of a block over all rows of its recording.
  bool Predict(int block, RolloutResult& out) const;

 private:
  int ChannelOf(const PoseTracks& track, const PoseTracks::Value& value) const;
  const SpatialRecordingFit& Of(int block) const { return *recordings[static_cast<std::size_t>(recording(block))]; }
  SpatialRecordingFit& Of(int block) { return *recordings[static_cast<std::size_t>(recording(block))]; }
  FitPoint Found() const { return {point.common, point.local}; }

  bool SearchAll();
  void FindStart(SpatialRecordingFit& recording, const SpatialInstance& instance) const;
  std::vector<Eigen::VectorXd> StartValues() const;
  double Plausibility(const Eigen::VectorXd& common) const;
  bool FollowPaths();
  double Grow(BlockPoint& at);
  bool Hop(BlockPoint& at, const std::vector<int>& before, int stage, bool only_poor);
  void Settle();
  void UpdateNoise();
  int RejectOutliers();
  void Judge();
  void HoldUnidentified();
  LeastSquaresSummary Minimize(BlockPoint& at, const std::vector<char>& hold, int iterations, double tolerance,
                               double huber, const std::optional<Eigen::VectorXd>& prior = std::nullopt) const;
  /// Minimize with what is held, on record in `trace`.
  LeastSquaresSummary Solve(BlockPoint& at, int iterations, double tolerance, double huber,
                            const std::optional<Eigen::VectorXd>& prior = std::nullopt);
  /// Starts, windows and outliers of blocks of another fit for the recordings of this one.
  void Adopt(const SpatialFit& other, const std::vector<int>& blocks);

  const SpatialFamily& family_;
  SpatialFitOptions options_;
  bool settled_ = false;  // the last look beside the fit has been taken
  bool drawn_ = false;    // the data were drawn: a search from a point determines their noise
};

}  // namespace ricochet
