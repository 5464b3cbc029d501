// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The one loop of damped Gauss-Newton (Levenberg, Marquardt), for problems that linearize themselves and solve the
// damped system in a structure of their own:
//
//   dense              least_squares.h
//   arrow              block_least_squares.h: local unknowns of each block, common parameters
//   chain with border  chain_least_squares.h: states along time, common parameters
//   band with border   bordered_band.h: the same where couplings are a few scalars
//
//   repeat   linearize; solve (J'J + lambda D^2) s = -J'r; try s; take it when the cost f falls, else raise lambda
//
// Three parts can be chosen: the problem (what a step is), the damping (how lambda follows the steps) and the stopping
// rule (when to end). By default a step must lower f. Where kinks of friction make good steps look bad, an undamped one
// may raise f a few times (MarquardtOptions::rises); if that leads nowhere, the loop returns to the best point and goes
// on with damping.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>

#include "optimize/least_squares_summary.h"

namespace ricochet {

struct MarquardtStep {
  double predicted = 0;     // decrease of f that the linearized problem promises
  bool negligible = false;  // too short to matter
  bool solved = true;       // false: the damped system has no solution, the step is not tried
};

class MarquardtProblem {
 public:
  virtual ~MarquardtProblem() = default;

  /// Residuals and derivatives at the current point; at the start it also sets `cost`. False when there are none.
  virtual bool Linearize() = 0;
  /// What steps from the current point share. False when nothing can move.
  virtual bool Prepare() { return true; }
  /// The step with this damping; kept as the trial.
  virtual MarquardtStep Propose(double lambda) = 0;
  /// f at the trial; infinite where it cannot be computed.
  virtual double TrialCost() = 0;
  /// Moves to the trial, whose cost is in `cost` by then; returns LeastSquaresStep::step.
  virtual double Take() = 0;
  /// Leaves the trial, which was not taken.
  virtual void Reject() {}
  /// Remembers the current point, from which a rising step is taken (MarquardtOptions::rises only).
  virtual void Keep() {}
  /// Returns to the point remembered; Linearize follows and must set `cost`.
  virtual void Return() {}
  /// Returns to the point before the last Take, because there are no derivatives at this one; Linearize follows. False
  /// where the problem does not keep it.
  virtual bool Undo() { return false; }

  double cost = 0;  // f at the current point
};

/// How lambda follows the steps. It may be 0 (undamped).
class Damping {
 public:
  explicit Damping(double initial) : lambda_(initial) {}
  virtual ~Damping() = default;

  double lambda() const { return lambda_; }
  /// After a step that gained (decrease found) / (decrease predicted).
  virtual void Succeed(double gain) = 0;
  /// After a step that was not taken. False when lambda is so large that no step can be expected to be.
  virtual bool Fail() = 0;
  /// After a system without solution.
  virtual bool FailToSolve() { return Fail(); }
  /// After rising steps that led nowhere.
  virtual void Restart() {}
  /// After a step that was taken back: as if it had not been taken in the first place.
  virtual bool Undo() { return Fail(); }

 protected:
  double lambda_;
};

/// Nielsen's rule (Madsen, Nielsen, Tingleff: "Methods for non-linear least squares problems", 2004, alg. 3.16): after
/// a step that gained rho, lambda shrinks by max(shrink, 1 - (2 rho - 1)^3); after ones that failed it grows by 2, 4,
/// 8, ...; from 0 it begins at 1e-3.
class NielsenDamping final : public Damping {
 public:
  explicit NielsenDamping(double initial, double shrink = 1.0 / 3.0, double least = 1e-12,
                          double most = std::numeric_limits<double>::infinity())
      : Damping(initial), shrink_(shrink), least_(least), most_(most) {}

  void Succeed(double gain) override;
  bool Fail() override;
  bool FailToSolve() override;
  bool Undo() override;

 private:
  double shrink_, least_, most_, growth_ = 2;
  double lambda_before_ = 0, growth_before_ = 2;  // the last step that succeeded
};

/// Where the loop stands when it consults the stopping rule.
struct MarquardtProgress {
  int attempt = 0;      // steps that were tried from this point before
  double lambda = 0;    // damping of the step
  double cost = 0;      // f at the point that the iteration began at
  double decrease = 0;  // of f by the step that was taken; negative where it rose
};

/// When the loop ends, besides its limits.
class StoppingRule {
 public:
  virtual ~StoppingRule() = default;
  /// Before a step is tried: how to end in place of trying it.
  virtual std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep&, const MarquardtProgress&) { return {}; }
  /// After a step was tried and not taken: whether another one with more damping is not worth trying.
  virtual bool GivesUp(const MarquardtStep&, const MarquardtProgress&) { return false; }
  /// When no step was taken: how that ends.
  virtual LeastSquaresEnd WithoutStep(const MarquardtStep&, const MarquardtProgress&) {
    return LeastSquaresEnd::kStalled;
  }
  /// After a step was taken, before the problem is linearized there: whether the point has converged.
  virtual bool AfterStep(const MarquardtStep&, const MarquardtProgress&) { return false; }
};

/// Ends when the decrease of f, predicted and found, is below `tolerance` of f; a step that promises less than a tenth
/// of that is not tried. It also ends where half as much again as the linearized problem promises would leave f above
/// `give_up`.
class RelativeDecrease final : public StoppingRule {
 public:
  explicit RelativeDecrease(double tolerance, double give_up = std::numeric_limits<double>::infinity())
      : tolerance_(tolerance), give_up_(give_up) {}
  std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep& step, const MarquardtProgress& progress) override;
  bool AfterStep(const MarquardtStep& step, const MarquardtProgress& progress) override;

 private:
  double tolerance_, give_up_;
};

struct MarquardtOptions {
  int max_iterations = 60;                           // steps taken
  int max_attempts = 25;                             // steps tried from one point
  int max_trials = std::numeric_limits<int>::max();  // steps computed in all
  double rounding = 0;                               // a step counts as falling when f is at most this part of it above
  int rises = 0;                                     // undamped steps that may raise f
  double most_rise = 1;                              // factor of the best f up to which they may
};

/// Moves x within bounds; empty ones do not bind.
void ClipTo(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& x);

/// Whether the gradient holds element i at a bound.
bool IsHeldByBound(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const Eigen::VectorXd& x,
                   const Eigen::VectorXd& gradient, Eigen::Index i);

/// From the problem's current point; the problem stays at the best point found, except when `rises` are allowed and the
/// limits end the loop.
LeastSquaresSummary RunMarquardt(MarquardtProblem& problem, Damping& damping, StoppingRule& rule,
                                 const MarquardtOptions& options = {});

}  // namespace ricochet
