// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Minimizes the cost of predicted tosses over any numbers of the scene: Jongeneel's (18), mean over the tosses of
// (mean distance / length + mean angle), each rolled out from the start fitted to its flight.
//
// The cost of one toss jumps wherever a corner closes one step earlier or later, and behind an unstable balance it is a
// coin flip. Three things keep that from deciding:
//   - an angle is at most pi and enters linearly, so that one lost toss counts about as much as a few good ones;
//   - the search compares values over clouds of points (optimize/evolution.h), and what it ends with is the mean of the
//     best of all points it has seen, which spread as widely as the tosses cannot distinguish;
//   - standard deviations come from resampling the tosses (bootstrap over recordings): the same mean of the best
//   points
//     for each draw, K / (K - p) for few tosses and Student's quantile over the normal one. They hold whether or not
//     the model is right, and a number without effect scatters over all of the cloud.
//
//   global    points spread evenly over a box (SearchBox) on a part of the tosses
//   local     evolution from the best of them, on a part of the tosses, then on all
//   clouds    about the best points, twice
#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "estimators/spatial/spatial_family.h"
#include "estimators/tosses/toss_rollout.h"
#include "optimize/evolution.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// Box of a search and how its coordinates run over it.
struct SearchBox {
  Eigen::VectorXd lower, upper;
  std::vector<char> logarithmic;

  Eigen::VectorXd ToUnit(const Eigen::VectorXd& params) const;
  Eigen::VectorXd FromUnit(const Eigen::VectorXd& unit) const;
  /// d params / d unit, diagonal.
  Eigen::VectorXd Slope(const Eigen::VectorXd& unit) const;
};

/// Friction 0 to 1.2 and restitution 0 to 0.95; compliance and relaxation time over two decades; others near the
/// scene's value: lengths and inertias by 5 and 50 %, positions by a tenth of the body, directions by 0.05.
SearchBox MakeSearchBox(const SpatialFamily& family);

/// What a cost that is a mean over tosses says about the numbers.
struct TossMinimum {
  Eigen::VectorXd params;
  Eigen::MatrixXd covariance;  // infinite diagonal entries: no curvature along that number
  double cost = 0;             // mean over the tosses
  std::vector<double> costs;   // per toss
  int evaluations = 0;         // of all tosses, or as many as that
  std::vector<std::string> log;
  std::vector<OptimizerStage> trace;
};

using TossStart = Eigen::Matrix<double, 12, 1>;  // moved by (position, rotation increment, velocity, angular velocity)

/// Costs of each toss (columns) at some values of the requested parameters (rows); not a number where there is none.
using TossCosts = std::function<Eigen::MatrixXd(const std::vector<Eigen::VectorXd>&, const std::vector<int>& tosses)>;

struct TossSearchOptions {
  std::uint64_t seed = 0;
  bool global = true;       // false: polish from `start`
  Eigen::VectorXd start{};  // empty: the family's
  int first_part = 40;      // tosses that judge the global points
  int second_part = 100;
};

TossMinimum MinimizeTossCost(const SpatialFamily& family, const TossCosts& costs, int tosses,
                             const TossSearchOptions& options = {});

/// The least costs of all tosses near `params` with the `held` numbers where `params` has them: one per toss. Leaves
/// the values of the others in `params`.
std::vector<double> MinimizeOtherNumbers(const SpatialFamily& family, const TossCosts& costs, int tosses,
                                         const std::vector<char>& held, std::uint64_t seed, Eigen::VectorXd& params);

/// Gives numbers that change no cost, wherever they are in the box of the search, an infinite variance.
void MarkThoseWithoutEffect(const SpatialFamily& family, const TossCosts& costs, TossMinimum& found);

/// Recorded tosses of one scene, with rollouts at any values of the requested parameters.
class TossSet {
 public:
  /// `family` must outlive it.
  TossSet(const SpatialFamily& family, const std::vector<Recording>& recordings, const RollStart& start);

  const std::vector<PreparedToss>& tosses() const { return *tosses_; }  // one per recording, also those with a problem
  const std::vector<int>& used() const { return used_; }
  bool moves_start() const { return moves_start_; }  // some requested parameter changes the fit of the flight

  /// The same on some of its tosses (indices of used()); one that is named several times counts as often.
  TossSet Subset(const std::vector<int>& tosses) const;
  /// The same with exact flights and located impacts in place of the grid of the scene's step, and with the noise that
  /// rows in flight show.
  TossSet Located(const LocatedMotion& motion = {}) const;
  bool located() const { return located_.has_value(); }
  /// The same with another family of the same scene, which must outlive it.
  TossSet Of(const SpatialFamily& family) const;
  /// Rolls out a model of the family as the set does: on the grid, or with located impacts.
  TossRoller RollerOf(const Model& model) const;
  /// Motions that differ in what is below the knowledge of lengths: with located impacts other steps and lengths; none
  /// on the grid.
  int other_motions() const;
  TossRoller OtherRollerOf(const Model& model, int motion) const;

  /// Excludes the tosses without an impact that `velocity` can use.
  void KeepThoseWithImpacts();

  /// TossCosts by Jongeneel's (18); `tosses` index used().
  Eigen::MatrixXd TrajectoryCosts(const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses) const;
  /// By (17) with weights from the noise (TossRoller::VelocityCost); `tosses` index used().
  Eigen::MatrixXd VelocityCosts(const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses,
                                double allowance) const;
  /// The function that searches take, by (18).
  TossCosts CostsOfTrajectories() const {
    return [this](const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses) {
      return TrajectoryCosts(params, tosses);
    };
  }
  /// Squares of the velocities' errors over their noise, per degree of freedom, all used tosses.
  double VelocityChi2(const Eigen::VectorXd& params, int numbers) const;

 private:
  template <class Cost>
  Eigen::MatrixXd Evaluate(const std::vector<Eigen::VectorXd>& params, const std::vector<int>& tosses,
                           const Cost& cost) const;
  TossRoller::JumpCost JumpCostOf(const Model& model, TossRoller& roller, const PreparedToss& toss,
                                  double allowance) const;

  const SpatialFamily* family_;
  std::shared_ptr<std::vector<PreparedToss>> tosses_;  // shared by subsets
  std::vector<int> used_;
  bool moves_start_ = false;
  std::optional<LocatedMotion> located_;  // none: on the grid
};

}  // namespace ricochet
