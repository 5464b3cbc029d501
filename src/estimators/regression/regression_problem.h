// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `regression` as a fit of parameters to impacts (inference/fit_problem.h).
//
// A block is a recording, its data are the jumps and arms of its impacts, and there are no local unknowns. With the
// mass m and the inertia I that the parameters give, the residual of impact i is what the equation without impulses
// (25) leaves, over the standard deviation that errors of the jumps and of the angle give it:
//
//   r_i = (I dw_i - m A_i - h_i (tau - Jx Fx - Jy Fy)_i) / (s sqrt(I^2 var dw_i + m^2 var A_i)).
//
// Without a known force this is (dw - x A) / sqrt(var dw + x^2 var A) of x = m / I, whose sum of squares is the
// deviance of the line through the origin with errors in both variables (Deming, York), and s = 1. A known force acts
// over a duration h > 0 only where samples are the steps of a simulation, whose errors are not known beforehand: s is
// then their scatter about the fit.
#pragma once

#include <memory>
#include <vector>

#include "estimators/planar/planar_family.h"
#include "estimators/regression/impact_regression.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// The impacts of one recording; `used` is false for those that do not fit the others.
struct ImpactBlock {
  int recording = 0;
  std::vector<ImpactSample> impacts;
  std::vector<char> used;
};

class RegressionProblem final : public FitProblem {
 public:
  /// The parameters are numbers of the body's mass and inertia.
  RegressionProblem(const PlanarFamily& family, std::vector<ImpactBlock> blocks);

  int used() const;                        // impacts
  bool forces() const { return forces_; }  // a known force acts during some impact
  std::vector<ImpactSample> AllImpacts() const;

  const ParameterMap& parameters() const override { return family_.parameters(); }
  int blocks() const override { return static_cast<int>(data_.size()); }
  int recording(int block) const override { return data_[static_cast<std::size_t>(block)].recording; }
  std::vector<std::string> channels() const override { return {"angular momentum"}; }

  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;

  /// The whole search starts from the closed forms of impact_regression.h, marks impacts that do not fit the others and
  /// finds s; searches from a point keep both.
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;

  /// Impacts moved to the nearest ones that the fit explains, with errors of jumps and angle resampled.
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;

 private:
  /// Mass and inertia, with derivatives by the values.
  struct MassAndInertia {
    EventJet mass, inertia;
  };
  MassAndInertia At(const Eigen::VectorXd& values) const;

  /// Values from the closed forms; false when they have no solution.
  bool Begin(Eigen::VectorXd& values);

  PlanarFamily family_;
  std::vector<ImpactBlock> data_;
  bool forces_;
  double scatter_ = 1;  // s
};

}  // namespace ricochet
