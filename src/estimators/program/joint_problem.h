// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `joint` as a fit of parameters to recordings (inference/fit_problem.h).
//
// A block is a recording; its local unknowns are the nodes of its chain: poses, instants and impulses, with the
// contacts that are closed there, so that a point stands for itself when the active set differs from that of another
// point. A point between two points of different active sets stands for nothing, and a search from it finds nothing.
//
// Residuals are those of the frames. Local unknowns obey equalities; with derivatives, these follow the frames as rows
// of the channel "constraint", weighted as hard as rounding allows (FactorInformation), so that eliminating the local
// unknowns leaves the Schur complement that the covariance of the method comes from.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "estimators/program/joint_fit.h"
#include "inference/fit_problem.h"

namespace ricochet {

class JointProblem final : public FitProblem {
 public:
  /// A recording and its solution by itself.
  struct Block {
    int recording = 0;
    JointFit alone;
  };
  /// The programs of the blocks refer to `family`.
  JointProblem(std::shared_ptr<const PlanarFamily> family, std::vector<Block> blocks);

  /// Of the last search.
  const JointFit& solution() const { return solution_; }
  /// Per parameter: lower limit of friction where all contacts stick (joint_friction.h), of the last whole search.
  const std::vector<std::optional<double>>& lowest() const { return lowest_; }

  const ParameterMap& parameters() const override { return family_->parameters(); }
  int blocks() const override { return static_cast<int>(blocks_.size()); }
  int recording(int block) const override { return blocks_[static_cast<std::size_t>(block)].recording; }
  std::vector<std::string> channels() const override { return {"x", "y", "theta", "constraint"}; }

  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  /// The initial state: the equalities give the rest.
  int LocalFreedom(int /*block*/, const FitPoint& /*at*/) const override { return 6; }
  std::vector<ChannelNoise> NoiseOf(int block) const override;

  /// The whole search: from the separate solutions to one with common parameters, then with sticking contacts where
  /// these explain the poses as well. The solution that slides stays a rival: searches from a point start from it too.
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;

  /// Poses of the fit with noise. Frames rejected as outliers keep their place.
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

 private:
  /// The program of some blocks at a point; none where the local unknowns stand for nothing.
  std::optional<JointProgram> ProgramAt(const FitPoint& at, const std::vector<int>& blocks) const;
  std::vector<int> AllBlocks() const;
  JointFit SearchAll();
  /// From a point; none where it stands for nothing.
  std::optional<JointFit> SearchFrom(const HeldParameters& held, const FitPoint& from) const;
  Fit Report(const JointFit& solution) const;

  std::shared_ptr<const PlanarFamily> family_;
  std::vector<Block> blocks_;
  std::vector<JointChain> chains_;  // recordings with noise and outliers, and the nodes of the last search
  bool drawn_ = false;              // recordings are not those that the separate solutions explain
  JointFit solution_;
  std::vector<std::optional<double>> lowest_;
  std::optional<FitPoint> rival_;  // the solution that slides, where the one that sticks was preferred
};

}  // namespace ricochet
