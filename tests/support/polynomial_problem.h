// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Parabolas y = a_k + b t + c t^2 of K recordings as a problem of inference/fit_problem.h: each recording has its own
// a_k, b is estimated, and c is held at what the scene says until somebody frees it. Everything is linear, so that
// answers are exact.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "inference/fit_problem.h"

namespace ricochet::testing {

class PolynomialProblem final : public FitProblem {
 public:
  struct Truth {
    double b = 0.5, c = 0.3;  // the scene holds c at 0.3
    double noise = 0.01;      // standard deviation of a row
    double memory = 0;        // correlation of the noise of neighboring rows
    double between = 0;       // standard deviation of b between recordings
    int recordings = 1, rows = 100;
  };
  /// Degrees of freedom behind the stated noise, and how often this problem and those with more parameters searched.
  double noise_freedom = std::numeric_limits<double>::infinity();
  std::shared_ptr<int> searches = std::make_shared<int>(0);

  /// Rows of the truth; `stated_noise` is what the rows are taken to show.
  PolynomialProblem(const Truth& truth, double stated_noise, Random& random);

  const ParameterMap& parameters() const override { return parameters_; }
  int blocks() const override { return static_cast<int>(data_.size()); }
  int recording(int block) const override { return block; }
  std::vector<std::string> channels() const override { return {"y"}; }
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit&, Random&) const override { return nullptr; }
  std::unique_ptr<FitProblem> Subset(const std::vector<int>&) const override { return nullptr; }
  std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& more) const override;

 private:
  ParameterMap parameters_;  // contact.friction stands for b, contact.restitution for c; others have no effect
  std::vector<std::vector<double>> data_;
  double noise_ = 0;
};

}  // namespace ricochet::testing
