// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/marquardt.h"

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace {

constexpr int kMostAttempts = 25;
constexpr double kLeastLambda = 1e-12;

class Damping {
 public:
  explicit Damping(double lambda) : lambda_(lambda) {}

  double lambda() const { return lambda_; }

  void Succeed(double gain) {
    lambda_ *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * std::min(gain, 1.0) - 1.0, 3));
    lambda_ = std::max(lambda_, kLeastLambda);
    growth_ = 2;
  }

  void Fail() {
    lambda_ *= growth_;
    growth_ *= 2;
  }

 private:
  double lambda_, growth_ = 2;
};

}  // namespace

LeastSquaresSummary RunMarquardt(MarquardtProblem& problem, const MarquardtOptions& options) {
  LeastSquaresSummary summary;
  ++summary.evaluations;
  if (!problem.Linearise()) {
    summary.message = "the residuals cannot be computed at the start";
    return summary;
  }
  summary.initial_cost = summary.cost = problem.cost;
  summary.trace.push_back({problem.cost, 0});
  Damping damping(options.initial_lambda);
  for (; summary.iterations < options.max_iterations; ++summary.iterations) {
    if (!problem.Prepare()) {
      summary.end = LeastSquaresEnd::kConverged;
      summary.message = "all parameters are at bounds or without effect";
      break;
    }
    // Steps with growing damping until one decreases the cost.
    bool accepted = false, finished = false;
    for (int attempt = 0; attempt < kMostAttempts && !accepted && !finished; ++attempt) {
      const MarquardtStep step = problem.Propose(damping.lambda());
      if (step.negligible || std::abs(step.predicted) <= 0.1 * options.cost_tolerance * problem.cost) {
        summary.end = attempt == 0 ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
        finished = true;
        break;
      }
      ++summary.evaluations;
      const double trial_cost = problem.TrialCost(), decrease = problem.cost - trial_cost;
      if (!(trial_cost < problem.cost)) {
        damping.Fail();
        continue;
      }
      damping.Succeed(step.predicted > 0 ? decrease / step.predicted : 1.0);
      accepted = true;
      const double least = options.cost_tolerance * problem.cost;
      finished = decrease < least && step.predicted < least;
      if (finished) summary.end = LeastSquaresEnd::kConverged;
      problem.cost = trial_cost;
      summary.trace.push_back({trial_cost, problem.Take()});
    }
    summary.cost = problem.cost;
    if (finished) break;
    if (!accepted) {
      summary.end = LeastSquaresEnd::kStalled;
      summary.message = "no step decreases the cost";
      break;
    }
    ++summary.evaluations;
    if (!problem.Linearise()) {
      summary.end = LeastSquaresEnd::kFailed;
      summary.message = "the derivatives cannot be computed";
      return summary;
    }
  }
  if (summary.iterations >= options.max_iterations && summary.end == LeastSquaresEnd::kFailed) {
    summary.end = LeastSquaresEnd::kIterations;
    summary.message = "the limit of iterations is reached";
  }
  return summary;
}

}  // namespace ricochet
