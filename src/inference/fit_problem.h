// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What every method offers, so that whatever can be said about a fit is written once.
//
// A method poses a problem on recordings: parameters (model/parameter_map.h) that all recordings share, and local
// unknowns of each recording (its initial state, nodes, impulses), which mean something to the method alone. One block
// is one recording that takes part. On this interface stand
//
//   covariance, null space   information.h         residuals with derivatives at the fit, local unknowns eliminated
//   profile of a parameter   parameter_profile.h   Search with the parameter held, from the neighbor's point
//   bootstrap                fit_bootstrap.h       Draw or Subset, Search from the fit
//   cross-validation         cross_validation.h    Subset, Search, Search of the rest with everything held
//   rivals                   rivals.h              other solutions that a search met, in the covariance
//   residuals against noise  residual_check.h      residuals with their times and channels, noise of the rows
//   tests of what is held    held_tests.h          With more parameters, derivatives at the fit
//   verdict                  verdict.h             all of these
//
// Nothing here knows which method it is looking at.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "model/parameter_map.h"

namespace ricochet {

/// A point of the search: values of the parameters, and the local unknowns of each block.
struct FitPoint {
  Eigen::VectorXd values;
  std::vector<Eigen::VectorXd> local;
};

/// What the costs of blocks mean, which decides how their rise is judged.
enum class CostKind {
  kDeviance,  // twice the negative logarithm of a likelihood: judged by chi^2
  kCost,      // no likelihood (Jongeneel's (18)): judged by the scatter between recordings
};

/// Another solution that the search met and that the data do not exclude (rivals.h).
struct FitRival {
  Eigen::VectorXd values;
  double loss = 0;             // deviance above that of the fit
  Eigen::MatrixXd covariance;  // of the values; 0 where they are not identifiable
};

/// Where a search ended.
struct Fit {
  FitPoint point;
  std::vector<double> costs;    // per block, as CostKind says; infinite where no motion was found
  Eigen::MatrixXd covariance;   // of the values, as the method states it; may be empty for searches with something held
  Eigen::VectorXd enlargement;  // factor of each standard deviation over what the curvature of the cost says (estimated
                                // noise: Student); empty: 1
  std::vector<char> held;       // parameters that the data do not identify and the search left at the scene's values;
                                // empty: none
  std::vector<FitRival> rivals;  // likeliest first
  bool found = false;            // a motion was found at all
  bool converged = false;

  double cost() const {
    double sum = 0;
    for (const double each : costs) sum += each;
    return sum;
  }
};

/// Where a residual comes from.
struct ResidualLabel {
  double time = 0;  // [s], of the recording
  int channel = 0;  // index into FitProblem::channels
};

/// Residuals of one block over their standard deviations, in the order of time as far as the method has one.
struct ResidualBlock {
  Eigen::VectorXd residuals;
  std::vector<ResidualLabel> labels;
  Eigen::MatrixXd by_local, by_values;  // derivatives; empty unless requested
};

/// Noise of one channel in one block.
struct ChannelNoise {
  double used = 0;     // that the residuals were divided by
  double rows = 0;     // that the rows show by themselves, before any fit, or that the scene gives; 0: not known
  double freedom = 0;  // degrees of freedom behind `rows`; infinite where the scene gives it
};

/// Parameters that stay where the start of a search has them; one entry each. Empty: none.
using HeldParameters = std::vector<char>;

class FitProblem {
 public:
  virtual ~FitProblem() = default;

  virtual const ParameterMap& parameters() const = 0;
  virtual int blocks() const = 0;
  /// Recording of a block: its index in the list that the problem was posed on.
  virtual int recording(int block) const = 0;
  /// Names of the channels that residuals belong to ("x", "theta", "hinge1.angle").
  virtual std::vector<std::string> channels() const = 0;
  virtual CostKind cost_kind() const { return CostKind::kDeviance; }

  /// Degrees of freedom of the local unknowns of a block; fewer than their number where equalities tie them.
  virtual int LocalFreedom(int block, const FitPoint& at) const {
    return at.local.empty() ? 0 : static_cast<int>(at.local[static_cast<std::size_t>(block)].size());
  }

  /// Noise of the channels in a block, in their order. Empty where the method has no noise apart from its residuals.
  virtual std::vector<ChannelNoise> NoiseOf(int /*block*/) const { return {}; }

  /// Values of a parameter that a profile walks over at most.
  virtual std::pair<double, double> Range(int parameter) const {
    return {parameters().lower()[parameter], parameters().upper()[parameter]};
  }

  /// Residuals of a block at a point and, where requested, their derivatives. Any thread. False when the motion cannot
  /// be computed there, or when derivatives are requested of a method whose motion jumps (HasDerivatives).
  virtual bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const = 0;
  virtual bool HasDerivatives() const { return true; }

  /// The best fit. `from` null: the whole search, with starts found from the data. Otherwise from that point, with the
  /// held parameters where it has them; local unknowns may be left out of `from` and are then those of the last search.
  virtual Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) = 0;

  /// The same problem on data that the model makes at a fit, with the fit's noise (parametric bootstrap). Null where
  /// the method says nothing about the distribution of its data; Subset then serves the bootstrap.
  virtual std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const = 0;

  /// The same problem on some of its blocks, in this order; one that is named twice counts twice.
  virtual std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const = 0;

  /// The same problem with further parameters, at the values of the scene that the problem was posed on; local unknowns
  /// keep their meaning, so that a point of this problem with those values appended is one of the other. Null where the
  /// method cannot. Throws InputError where it cannot estimate one of them.
  virtual std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& /*more*/) const { return nullptr; }

  /// Degrees of freedom that a fit takes from the recordings, by which a bootstrap over them scatters too little
  /// (inference/bootstrap.h).
  virtual int FreedomOfRecordings() const { return parameters().size(); }
};

}  // namespace ricochet
