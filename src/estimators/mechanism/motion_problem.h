// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The likelihood of joint recordings (jointed_fit.h) as a problem that inference can look at.
//
// One block is one recording. Its local unknowns are the joints' coordinates and rates at its beginning, (x, r); where
// the fit could not follow a recording with one motion (it stayed at c > 0), they are those of all nodes, one after the
// other, and the block has residuals for what is left open between nodes, of a channel "ties".
//
// Noise is estimated by the whole search, and every later one keeps it: the deviance is the sum of squared residuals.
// A search from a point fits at the last level only (c = 0, or the ties of the whole search), which is what profiles
// and repetitions of a bootstrap need. Data are drawn by simulation at the times of the rows: noise is added to angles
// and rates, and what an encoder shows is rounded to its step, from which observations are made again.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "estimators/jointed/jointed_fit.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// A recording with what was made of it.
struct RecordedTrack {
  int index = 0;  // of the recording in the list that the problem was posed on
  Recording recording;
  JointTrack track;
};

class MotionProblem final : public FitProblem {
 public:
  MotionProblem(std::shared_ptr<const JointedFamily> family, std::vector<RecordedTrack> recorded);

  const ParameterMap& parameters() const override { return family_->parameters(); }
  int blocks() const override { return static_cast<int>(recorded_.size()); }
  int recording(int block) const override { return recorded_[static_cast<std::size_t>(block)].index; }
  std::vector<std::string> channels() const override;

  /// Of many nodes they are too many to eliminate.
  bool HasDerivatives() const override;
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;
  std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& more) const override;

  /// Evaluate with the steps of the motion, where derivatives are requested and a block has one motion.
  bool EvaluateMarked(int block, const FitPoint& at, bool derivatives, ResidualBlock& out,
                      std::vector<MotionMark>* marks) const;

  const JointedFamily& family() const { return *family_; }
  /// The last whole search, with everything that a report says about it.
  const JointedFit& fit() const { return *fit_; }

 private:
  /// The last rows with derivatives of each block. A verdict looks at those of a fit several times, with and without
  /// further parameters, and they cost as much as an iteration of the fit.
  struct KeptRows {
    struct Entry {
      std::shared_ptr<const JointedFamily> family;  // whose parameters they are of
      Eigen::VectorXd values, local;
      JointedRows rows;

      /// Whether they hold those of the first parameters at this point, the others being at the scene's values.
      bool Has(const JointedFamily& of, const Eigen::VectorXd& at_values, const Eigen::VectorXd& at_local) const;
    };
    std::mutex mutex;
    std::vector<Entry> blocks;
  };

  bool EvaluateRows(int block, const FitPoint& at, bool derivatives, JointedRows& out) const;
  Fit Result(const JointedFit& fit, bool found) const;
  JointedNodes NodesOf(const std::vector<Eigen::VectorXd>& local) const;

  std::shared_ptr<const JointedFamily> family_;
  std::vector<RecordedTrack> recorded_;
  std::unique_ptr<JointedFit> fit_;  // with the tracks at the noise that the whole search found
  std::shared_ptr<KeptRows> kept_;   // shared with the problems that have further parameters, but not other data
  bool searched_ = false;            // it is that of a whole search
  bool brief_ = false;               // searches from a point take few evaluations
};

}  // namespace ricochet
