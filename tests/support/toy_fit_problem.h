// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Problems of inference/fit_problem.h whose answers are known in closed form.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inference/fit_problem.h"

namespace ricochet::testing {

/// A scene with parameters contact.friction, contact.restitution and so on, of which `size` are selected.
ParameterMap ToyParameters(int size);

/// One parameter whose cost with everything else fitted is given: one deviance, or one cost per recording.
class CurveProblem final : public FitProblem {
 public:
  using Costs = std::function<std::vector<double>(double)>;
  CurveProblem(Costs costs, CostKind kind) : parameters_(ToyParameters(1)), costs_(std::move(costs)), kind_(kind) {}

  /// The estimate at `value` with this standard deviation.
  Fit FitAt(double value, double deviation) const;

  const ParameterMap& parameters() const override { return parameters_; }
  int blocks() const override { return kind_ == CostKind::kDeviance ? 1 : static_cast<int>(costs_(0.5).size()); }
  int recording(int block) const override { return block; }
  std::vector<std::string> channels() const override { return {}; }
  CostKind cost_kind() const override { return kind_; }
  std::pair<double, double> Range(int) const override { return {0.0, 1.2}; }
  bool Evaluate(int, const FitPoint&, bool, ResidualBlock&) const override { return false; }
  Fit Search(const HeldParameters& held, const FitPoint* from) override;
  std::unique_ptr<FitProblem> Draw(const Fit&, Random&) const override { return nullptr; }
  std::unique_ptr<FitProblem> Subset(const std::vector<int>&) const override { return nullptr; }

  double farthest_start = 0;  // of a search from the solution of its neighbor

 private:
  ParameterMap parameters_;
  Costs costs_;
  CostKind kind_;
};

/// Lines y = a_k + b t + c t^2 + noise of K recordings, each with an intercept of its own: b and c are the parameters.
class LineProblem final : public FitProblem {
 public:
  struct Data {
    int recording = 0;
    std::vector<double> time, value;
  };
  LineProblem(std::vector<Data> data, double noise, bool simulates = true, bool curved = true);
  /// Data of `recordings` lines with b = 0.5, c = 0.25 and normal noise.
  static std::vector<Data> Simulate(int recordings, int rows, double noise, Random& random);

  const ParameterMap& parameters() const override { return parameters_; }
  int blocks() const override { return static_cast<int>(data_.size()); }
  int recording(int block) const override { return data_[static_cast<std::size_t>(block)].recording; }
  std::vector<std::string> channels() const override { return {"y"}; }
  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

 private:
  ParameterMap parameters_;
  std::vector<Data> data_;
  double noise_;
  bool simulates_, curved_;
};

}  // namespace ricochet::testing
