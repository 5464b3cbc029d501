// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Likelihood of recorded tosses over the start of each and the common parameters,
//
//   minimize over theta, x_k    sum_k sum_i |y_i(x_k, theta) - z_i|^2        (in units of the noise)
//
// with y_i, z_i the predicted and recorded pose of frame i and x_k the state at the first frame of the flight. Motion
// with located impacts (rollout/located_rollout.h) is smooth as long as the order of impacts stays, so that
// derivatives follow from differences and Gauss-Newton works on all tosses at once, starts eliminated one by one.
//
// Horizon. Small errors grow with every impact: from a start that is a little off, late frames are reached in another
// order of impacts and say nothing. So each toss is compared up to a horizon, at first shortly after its first contact.
// Whatever is fitted there predicts further frames; the horizon moves on to the first that is missed by eight standard
// deviations and a little beyond, all are fitted again, until every horizon is the last frame.
//
// A toss whose horizon cannot move on (its residuals stay large) tries starts drawn from what its data leave open, and
// if none leads further stays where it was followed: frames behind say nothing about the parameters.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "estimators/tosses/toss_search.h"

namespace ricochet {

using TossStart = Eigen::Matrix<double, 12, 1>;  // moved by (position, rotation increment, velocity, angular velocity)

/// Models at some values of the parameters and beside them, from which derivatives of tosses follow by differences.
class TossModels {
 public:
  /// `family` and `set` must outlive it.
  TossModels(const SpatialFamily& family, const TossSet& set, std::vector<char> held = {});

  /// Values of the parameters. False where no body has them.
  bool Set(const Eigen::VectorXd& values);

  /// Residuals over the noise of the first frames of a toss (index of set.tosses()), 6 each, 0 for outliers, from a
  /// start that is moved from that of the flight. Unless null, their derivatives: by steps along the columns of `axes`
  /// and by the parameters; `central`: by central differences in place of one-sided ones. Any thread. False when the
  /// motion cannot be computed.
  bool Evaluate(int toss, const TossStart& moved, int frames, Eigen::VectorXd& residuals,
                const Eigen::Matrix<double, 12, 12>* axes = nullptr, Eigen::MatrixXd* jacobian = nullptr,
                bool central = false) const;

  /// Residuals of as many frames as can be computed.
  void EvaluateAll(int toss, const TossStart& moved, Eigen::VectorXd& residuals) const;

 private:
  struct Beside {
    std::optional<SpatialInstance> up, down;
    double width = 0;
  };
  const std::vector<Beside>& Neighbors() const;
  const PreparedToss& Refitted(const SpatialInstance& instance, const PreparedToss& toss, PreparedToss& own) const;

  const SpatialFamily& family_;
  const TossSet& set_;
  std::vector<char> held_, moves_start_;
  Eigen::VectorXd values_;
  std::optional<SpatialInstance> here_;
  mutable std::mutex mutex_;
  mutable std::vector<Beside> neighbors_;
};

struct LocatedOptions {
  std::uint64_t seed = 0;
  std::vector<char> held{};  // parameters that stay where the start has them, one entry each; empty: none
};

struct LocatedResult {
  Eigen::VectorXd params;
  double chi2 = 0;
  std::vector<double> ratio;     // chi^2 / dof of each toss, of the frames followed
  std::vector<int> freedom;      // dof of each
  std::vector<int> frames;       // that the model follows and that are compared, of each toss
  std::vector<double> followed;  // part of the frames of each toss after its first contact
  std::vector<TossStart> moved;  // start of each toss, from that of its flight
  bool converged = false;
  int iterations = 0;
  std::vector<OptimizerStage> trace;
};

/// From these values, with horizons.
LocatedResult MaximizeLocatedLikelihood(const SpatialFamily& family, const TossSet& tosses,
                                        const Eigen::VectorXd& start, const LocatedOptions& options = {});

/// From a point of the likelihood, with the frames compared as they are.
LocatedResult PolishLocatedLikelihood(const SpatialFamily& family, const TossSet& tosses, const Eigen::VectorXd& values,
                                      const std::vector<TossStart>& moved, const std::vector<int>& frames,
                                      const LocatedOptions& options = {});

/// How badly values of the parameters predict the tosses (indices of used()) from the starts of their flights until
/// shortly after the first contact: sum over frames of log(1 + |r|^2 / 36). Infinite where no body has them.
double EarlyMisfit(const SpatialFamily& family, const TossSet& set, const std::vector<int>& tosses,
                   const Eigen::VectorXd& values);

}  // namespace ricochet
