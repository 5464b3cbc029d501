// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/marquardt.h"

#include <algorithm>
#include <cmath>

#include "core/context.h"
#include "core/work/search_scope.h"

namespace ricochet {

constexpr char kNoDerivatives[] = "the derivatives cannot be computed";
constexpr double kFirstLambda = 1e-3;  // where undamped steps fail
constexpr double kBeyond = 1.5;        // of the decrease that the linearized problem promises: more is not expected

void NielsenDamping::Succeed(double gain) {
  lambda_before_ = lambda_;
  growth_before_ = growth_;
  lambda_ *= std::max(shrink_, 1.0 - std::pow(2.0 * std::min(gain, 1.0) - 1.0, 3));
  lambda_ = std::max(lambda_, least_);
  growth_ = 2;
}

bool NielsenDamping::Fail() {
  lambda_ = lambda_ > 0 ? lambda_ * growth_ : kFirstLambda;
  growth_ *= 2;
  return lambda_ <= most_;
}

bool NielsenDamping::Undo() {
  lambda_ = lambda_before_;
  growth_ = growth_before_;
  return Fail();
}

bool NielsenDamping::FailToSolve() {
  constexpr double kFirst = 1e-12;
  lambda_ = std::max(10 * lambda_, kFirst);
  return lambda_ <= most_;
}

std::optional<LeastSquaresEnd> RelativeDecrease::BeforeTrial(const MarquardtStep& step,
                                                             const MarquardtProgress& progress) {
  if (progress.attempt == 0 && progress.cost - kBeyond * step.predicted > give_up_) return LeastSquaresEnd::kStalled;
  if (!step.negligible && !(std::abs(step.predicted) <= 0.1 * tolerance_ * progress.cost)) return std::nullopt;
  return progress.attempt == 0 ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
}

bool RelativeDecrease::AfterStep(const MarquardtStep& step, const MarquardtProgress& progress) {
  return progress.decrease < tolerance_ * progress.cost && step.predicted < tolerance_ * progress.cost;
}

void ClipTo(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& x) {
  if (lower.size() == x.size()) x = x.cwiseMax(lower);
  if (upper.size() == x.size()) x = x.cwiseMin(upper);
}

bool IsHeldByBound(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const Eigen::VectorXd& x,
                   const Eigen::VectorXd& gradient, Eigen::Index i) {
  return (lower.size() == x.size() && x[i] <= lower[i] && gradient[i] > 0) ||
         (upper.size() == x.size() && x[i] >= upper[i] && gradient[i] < 0);
}

namespace {

class MarquardtLoop {
 public:
  MarquardtLoop(MarquardtProblem& problem, Damping& damping, StoppingRule& rule, const MarquardtOptions& options)
      : problem_(problem), damping_(damping), rule_(rule), options_(options), rises_(options.rises) {}

  LeastSquaresSummary Run() {
    if (!Linearize()) return End(LeastSquaresEnd::kFailed, "the residuals cannot be computed at the start");
    summary_.initial_cost = summary_.cost = best_ = problem_.cost;
    summary_.trace.push_back({problem_.cost, 0});
    for (; summary_.iterations < options_.max_iterations; ++summary_.iterations) {
      StopIfCancelled();
      CountSearchStep();
      if (OutOfTime()) return End(LeastSquaresEnd::kIterations, "the time limit is reached");
      if (!problem_.Prepare())
        return End(LeastSquaresEnd::kConverged, "all parameters are at their bounds or without effect");
      const std::optional<LeastSquaresEnd> end = TakeStep();
      summary_.cost = problem_.cost;
      if (end) return End(*end, *end == LeastSquaresEnd::kStalled && exhausted_ ? "no step decreases the cost" : "");
      if (summary_.iterations + 1 >= options_.max_iterations) continue;
      if (Linearize()) {
        undone_ = false;
      } else if (!Undo()) {
        return End(LeastSquaresEnd::kFailed, kNoDerivatives);
      }
    }
    return End(LeastSquaresEnd::kIterations, "the limit of iterations is reached");
  }

 private:
  bool Linearize() {
    ++summary_.evaluations;
    return problem_.Linearize();
  }

  LeastSquaresSummary End(LeastSquaresEnd end, const char* message) {
    // What lies beyond a point without derivatives is not known.
    if (undone_ && end != LeastSquaresEnd::kIterations) end = LeastSquaresEnd::kFailed, message = kNoDerivatives;
    summary_.end = end;
    summary_.message = message;
    return std::move(summary_);
  }

  /// Back from a point without derivatives, to take a shorter step. False when that is not possible.
  bool Undo() {
    if (risen_ || !problem_.Undo()) return false;
    summary_.trace.pop_back();
    problem_.cost = best_ = summary_.cost = before_;
    undone_ = true;
    return Linearize() && damping_.Undo();
  }

  /// Steps with growing damping until one is taken; returns how the loop ends, if it does.
  std::optional<LeastSquaresEnd> TakeStep() {
    MarquardtProgress progress{.cost = problem_.cost};
    MarquardtStep step;
    for (progress.attempt = 0; progress.attempt < options_.max_attempts; ++progress.attempt) {
      if (trials_++ >= options_.max_trials) return LeastSquaresEnd::kIterations;
      progress.lambda = damping_.lambda();
      step = problem_.Propose(progress.lambda);
      if (!step.solved && !risen_) {
        if (!damping_.FailToSolve()) break;
        continue;
      }
      if (step.solved) {
        if (const std::optional<LeastSquaresEnd> end = rule_.BeforeTrial(step, progress)) return end;
        ++summary_.evaluations;
        const double trial = problem_.TrialCost();
        if (Falls(trial) || MayRise(trial, progress.lambda)) {
          Take(step, trial);
          progress.decrease = progress.cost - trial;
          if (rule_.AfterStep(step, progress)) return LeastSquaresEnd::kConverged;
          return std::nullopt;
        }
        problem_.Reject();
      }
      if (risen_) {
        if (!ReturnToBest()) return LeastSquaresEnd::kFailed;
      } else if (rule_.GivesUp(step, progress) || !damping_.Fail()) {
        break;
      }
    }
    exhausted_ = true;
    return rule_.WithoutStep(step, progress);
  }

  bool Falls(double trial) const {
    return trial < problem_.cost ||
           (options_.rounding > 0 && trial <= problem_.cost + options_.rounding * std::abs(problem_.cost));
  }

  bool MayRise(double trial, double lambda) const {
    return rises_ > 0 && lambda == 0 && trial < options_.most_rise * best_;
  }

  void Take(const MarquardtStep& step, double trial) {
    if (!Falls(trial)) {
      if (!risen_) problem_.Keep();
      risen_ = true;
      --rises_;
    }
    damping_.Succeed(step.predicted > 0 ? (problem_.cost - trial) / step.predicted : 1.0);
    before_ = problem_.cost;
    problem_.cost = trial;
    if (trial < best_) best_ = trial, risen_ = false;
    summary_.trace.push_back({trial, problem_.Take()});
  }

  /// Rising led nowhere: back, with damping.
  bool ReturnToBest() {
    problem_.Return();
    risen_ = false;
    rises_ = 0;
    damping_.Restart();
    return Linearize();
  }

  MarquardtProblem& problem_;
  Damping& damping_;
  StoppingRule& rule_;
  const MarquardtOptions& options_;
  LeastSquaresSummary summary_;
  int rises_, trials_ = 0;
  bool risen_ = false;            // above the point that the problem keeps
  bool undone_ = false;           // the last step led to a point without derivatives
  bool exhausted_ = false;        // no step was taken
  double best_ = 0, before_ = 0;  // the latter: before the last step
};

}  // namespace

LeastSquaresSummary RunMarquardt(MarquardtProblem& problem, Damping& damping, StoppingRule& rule,
                                 const MarquardtOptions& options) {
  return MarquardtLoop(problem, damping, rule, options).Run();
}

}  // namespace ricochet
