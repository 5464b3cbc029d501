// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The paper's residuals (shadow_fit.h) as a problem that inference can look at.
//
// One block is one recording. Its local unknowns are the states of all steps, (q, v) of every body, one after the
// other. The whole search finds the weight kappa and the variance sigma^2 of angles, and every later one keeps both:
//
//     deviance = (kappa sum |dp|^2 + sum |y - angle|^2) / sigma^2
//
// Profiles and cross-validation judge shadow parameters by this deviance. Data are drawn by simulation with the step
// and the compliance of the scene, the model whose parameters these are: impulses from outside are 0 there, and angles
// have the noise sigma. So a bootstrap says how noise moves shadow parameters; it says nothing about their distance
// from the parameters of the mechanism, which is no random number.
//
// Derivatives are not offered: the Jacobian by the states of all steps is large, and the fit eliminates it step by
// step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimators/mechanism/shadow_fit.h"
#include "inference/fit_problem.h"

namespace ricochet {

class ShadowProblem final : public FitProblem {
 public:
  /// `recordings`: index of each chain's recording in the list that the problem was posed on. `kappa`: none to find it
  /// from the sizes of both residuals.
  ShadowProblem(std::shared_ptr<const JointedFamily> family, std::vector<ShadowChain> chains,
                std::vector<int> recordings, std::optional<double> kappa);

  const ParameterMap& parameters() const override { return family_->parameters(); }
  int blocks() const override { return static_cast<int>(chains_.size()); }
  int recording(int block) const override { return recordings_[static_cast<std::size_t>(block)]; }
  std::vector<std::string> channels() const override { return {"impulse", "angle"}; }
  bool HasDerivatives() const override { return false; }

  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

  /// The last whole search.
  const ShadowFit& fit() const { return fit_; }

 private:
  Fit Result(const ShadowFit& fit) const;
  /// The chain with the states of a point.
  ShadowChain At(std::size_t block, const Eigen::VectorXd& local) const;

  std::shared_ptr<const JointedFamily> family_;
  std::vector<ShadowChain> chains_;  // with the states of the start, or of the last whole search
  std::vector<int> recordings_;
  std::optional<double> kappa_;
  double variance_ = 0;  // of angles [rad^2]; 0: not known yet
  bool searched_ = false;
  ShadowFit fit_;
};

}  // namespace ricochet
