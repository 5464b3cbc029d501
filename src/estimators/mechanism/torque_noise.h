// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Random torques on the joints: the state noise of Spook (3.1), so that friction does not absorb it.
//
// White torques of level q_k [N m s^1/2] on joint k move the state by increments B_k q_k dW, B_k = (0, M^-1 e_k). Along
// the fitted motion, with S(t) its sensitivity to the start state, an increment at time s acts on all later rows like a
// change S(s)^-1 B_k q_k dW of the start state. So the residuals of a recording are
//
//     r_i = J_i (d + w(t_i)) + noise,    w: a random walk with increments S^-1 B q dW,    J_i = d r_i / d start state
//
// which a Kalman filter on w turns into independent rows of variance 1 (WhitenRows). Everything that inference does
// with residuals and derivatives then holds for the whitened ones: least squares on them is maximum likelihood to first
// order in the disturbance. The levels are those of the largest likelihood, with the noise of the rows known.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "estimators/mechanism/motion_problem.h"

namespace ricochet {

/// Changes of the start state by a unit of each joint's level, for one stretch of time.
struct DisturbanceStep {
  double time = 0;            // [s], its end
  Eigen::MatrixXd by_levels;  // (x, r) rows, a column per coordinate
};

/// Rows over their innovations: `columns` (residuals, derivatives) are replaced, and the sum of the logarithms of the
/// variances is returned. `by_start` are the derivatives of the residuals by the start state.
double WhitenRows(const std::vector<DisturbanceStep>& steps, const Eigen::VectorXd& levels,
                  const std::vector<double>& times, const Eigen::MatrixXd& by_start, Eigen::MatrixXd& columns);

/// The likelihood of joint recordings with random torques. Local unknowns are those of the problem without them.
class DisturbedProblem final : public FitProblem {
 public:
  DisturbedProblem(std::shared_ptr<const MotionProblem> calm, Eigen::VectorXd levels);

  const ParameterMap& parameters() const override { return calm_->parameters(); }
  int blocks() const override { return calm_->blocks(); }
  int recording(int block) const override { return calm_->recording(block); }
  std::vector<std::string> channels() const override { return calm_->channels(); }
  const Eigen::VectorXd& levels() const { return levels_; }

  bool Evaluate(int block, const FitPoint& at, bool derivatives, ResidualBlock& out) const override;
  std::vector<ChannelNoise> NoiseOf(int block) const override;
  /// From a point; without one, or without its local unknowns, from the fit of the problem without random torques.
  Fit Search(const HeldParameters& held = {}, const FitPoint* from = nullptr) override;
  /// None: a walk of the start state is their effect to first order on the fitted motion and says nothing of other
  /// motions, so that recordings with random torques cannot be made of it. The bootstrap resamples recordings.
  std::unique_ptr<FitProblem> Draw(const Fit& fit, Random& random) const override;
  std::unique_ptr<FitProblem> Subset(const std::vector<int>& blocks) const override;
  std::unique_ptr<FitProblem> With(const std::vector<SelectedParameter>& more) const override;

 private:
  class Steps;

  std::shared_ptr<const MotionProblem> calm_;
  Eigen::VectorXd levels_;  // per coordinate
};

/// The levels of largest likelihood at a fit, and by how much twice its logarithm exceeds that without random torques.
struct TorqueLevels {
  Eigen::VectorXd levels;
  double gain = 0;
};
std::optional<TorqueLevels> FindTorqueLevels(const MotionProblem& problem, const Fit& fit);

}  // namespace ricochet
