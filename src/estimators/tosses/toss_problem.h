// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The three ways of fitting tosses as problems (inference/fit_problem.h), so that profile, bootstrap and
// cross-validation work on them as on any other fit. A block is one toss.
//
//   TossCostProblem        Jongeneel's (18): no likelihood, so costs of tosses are judged by their scatter.
//                          Residuals: predicted minus recorded poses, rolled out from the start fitted to the flight.
//                          Local unknowns: none.
//   TossLikelihoodProblem  every toss is fitted by itself, and what they say is combined (toss_statements.h). With some
//                          parameters held, what each toss says stays, and its distance from the held values counts; a
//                          subset combines what its tosses say. Residuals: as above, from the start of the fit, up to
//                          the last frame that the model follows. Local unknowns: how far the start is moved from the
//                          fit of the flight (12), and the number of frames that are followed.
//   ImpactProblem          likelihood (17) of the velocities after impacts (impact_likelihood.h). Residuals: velocity
//                          jumps over their standard deviations. Local unknowns: none.
//
// Motion on the grid of the scene's step jumps with start and parameters and has no derivatives; with located impacts
// it has secants (toss_secants.h). None says how starts of tosses are distributed, so that a bootstrap resamples the
// tosses.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "estimators/tosses/impact_likelihood.h"
#include "estimators/tosses/toss_search.h"
#include "estimators/tosses/toss_together.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// What the three have in common. The family must outlive it.
class TossProblem : public FitProblem {
 public:
  const ParameterMap& parameters() const override { return family_.parameters(); }
  int blocks() const override { return static_cast<int>(set_.used().size()); }
  int recording(int block) const override { return set_.used()[static_cast<std::size_t>(block)]; }
  std::vector<std::string> channels() const override { return {"x", "y", "z", "rx", "ry", "rz"}; }
  /// The noise of the rows, which residuals are divided by.
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  /// The box of the search.
  std::pair<double, double> Range(int parameter) const override;
  bool HasDerivatives() const override { return false; }
  std::unique_ptr<FitProblem> Draw(const Fit& /*fit*/, Random& /*random*/) const override { return nullptr; }

 protected:
  TossProblem(const SpatialFamily& family, TossSet set, std::uint64_t seed)
      : family_(family), set_(std::move(set)), seed_(seed) {}

  /// A toss with its start fitted for a model.
  PreparedToss TossOf(int block, const Model& model) const;
  /// Seed of searches on a subset: subsets that differ search differently, or the noise of the search would be missing
  /// in their scatter.
  std::uint64_t SeedOf(const std::vector<int>& blocks) const;
  /// Residuals of the first frames, outliers left out, from a start moved from that of the flight.
  bool PoseResiduals(int block, const Eigen::VectorXd& values, const Eigen::Matrix<double, 12, 1>& moved, int frames,
                     ResidualBlock& out) const;

  const SpatialFamily& family_;
  TossSet set_;
  std::uint64_t seed_;
};

class TossCostProblem final : public TossProblem {
 public:
  TossCostProblem(const SpatialFamily& family, TossSet set, std::uint64_t seed)
      : TossProblem(family, std::move(set), seed) {}

  CostKind cost_kind() const override { return CostKind::kCost; }
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

  Fit FitOf(const TossMinimum& found) const;
};

class TossLikelihoodProblem final : public TossProblem {
 public:
  TossLikelihoodProblem(const SpatialFamily& family, TossSet set, std::uint64_t seed)
      : TossProblem(family, std::move(set), seed) {}

  /// Motion on a grid jumps.
  bool HasDerivatives() const override { return set_.located(); }
  int LocalFreedom(int /*block*/, const FitPoint& at) const override { return at.local.empty() ? 0 : 12; }
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  /// With located impacts, for tests of held parameters; a search of it finds nothing.
  std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& more) const override;
  /// From a point with local unknowns: what the tosses said in the last search, or in `Take`, is combined again. From
  /// one without: every toss is fitted again from these values.
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;
  /// Every parameter is a mean of its own over the tosses.
  int FreedomOfRecordings() const override { return 1; }

  /// What a search outside has found.
  Fit Take(const TossLikelihoodResult& found);

 private:
  /// Deviance of each block at some values.
  std::vector<double> DeviancesAt(const Eigen::VectorXd& values) const;

  std::vector<std::vector<TossStatement>> statements_;  // per block; several where tosses are few
  std::vector<TossKnowledge> known_;                    // per block: by the last fit; empty: nothing
  std::shared_ptr<const SpatialFamily> own_;            // of With
};

class ImpactProblem final : public TossProblem {
 public:
  /// `set` has tosses with impacts only (TossSet::KeepThoseWithImpacts).
  ImpactProblem(const SpatialFamily& family, TossSet set, std::uint64_t seed)
      : TossProblem(family, std::move(set), seed) {}

  std::vector<std::string> channels() const override { return {"vx", "vy", "vz", "wx", "wy", "wz"}; }
  /// Standard deviations of the velocities, which follow from the noise of the rows.
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

  Fit FitOf(const ImpactMinimum& found) const;
};

}  // namespace ricochet
