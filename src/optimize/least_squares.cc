// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/least_squares.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/dense.h"

namespace ricochet {

double LeastSquaresCost(const Eigen::VectorXd& residuals, double huber) {
  if (huber <= 0) return 0.5 * residuals.squaredNorm();
  double cost = 0;
  for (const double r : residuals) {
    const double size = std::abs(r);
    cost += size <= huber ? r * r : 2 * huber * size - huber * huber;
  }
  return 0.5 * cost;
}

void ApplyLoss(double huber, Eigen::VectorXd& residuals, Eigen::MatrixXd& jacobian) {
  if (huber <= 0) return;
  for (Eigen::Index i = 0; i < residuals.size(); ++i) {
    const double size = std::abs(residuals[i]);
    if (size <= huber) continue;
    const double weight = std::sqrt(huber / size);
    residuals[i] *= weight;
    jacobian.row(i) *= weight;
  }
}

LeastSquaresSummary MinimizeLeastSquares(const ResidualFunction& function, const LeastSquaresOptions& options,
                                         Eigen::VectorXd& x) {
  const Eigen::Index n = x.size();
  LeastSquaresSummary summary;
  const Eigen::VectorXd scale = options.scale.size() == n ? options.scale : Eigen::VectorXd::Ones(n);
  const auto clip = [&](Eigen::VectorXd& point) {
    if (options.lower.size() == n) point = point.cwiseMax(options.lower);
    if (options.upper.size() == n) point = point.cwiseMin(options.upper);
  };
  clip(x);

  Eigen::VectorXd residuals, trial_residuals, trial;
  Eigen::MatrixXd jacobian;
  ++summary.evaluations;
  if (!function(x, residuals, &jacobian) || !residuals.allFinite() || !jacobian.allFinite()) {
    summary.message = "the residuals cannot be computed at the start";
    return summary;
  }
  double cost = LeastSquaresCost(residuals, options.huber);
  summary.initial_cost = summary.cost = cost;
  summary.trace.push_back({cost, 0});
  ApplyLoss(options.huber, residuals, jacobian);

  Eigen::VectorXd damping = Eigen::VectorXd::Zero(n);
  double lambda = options.initial_lambda, growth = 2;
  std::vector<Eigen::Index> free;
  for (; summary.iterations < options.max_iterations; ++summary.iterations) {
    const Eigen::VectorXd gradient = jacobian.transpose() * residuals;
    const Eigen::MatrixXd hessian = jacobian.transpose() * jacobian;
    for (Eigen::Index i = 0; i < n; ++i) {
      damping[i] = std::sqrt(hessian(i, i));
      if (damping[i] <= 0) damping[i] = 1e-12 / scale[i];
    }
    free.clear();
    for (Eigen::Index i = 0; i < n; ++i) {
      const bool low = options.lower.size() == n && x[i] <= options.lower[i] && gradient[i] > 0;
      const bool high = options.upper.size() == n && x[i] >= options.upper[i] && gradient[i] < 0;
      if (!low && !high && hessian(i, i) > 0) free.push_back(i);
    }
    const Eigen::Index m = static_cast<Eigen::Index>(free.size());
    if (m == 0) {
      summary.end = LeastSquaresEnd::kConverged;
      summary.message = "all parameters are at bounds or without effect";
      break;
    }

    // Try steps with growing damping until one decreases the cost.
    bool accepted = false, finished = false;
    for (int attempt = 0; attempt < 25 && !accepted && !finished; ++attempt) {
      Eigen::MatrixXd a(m, m);
      Eigen::VectorXd b(m);
      for (Eigen::Index i = 0; i < m; ++i) {
        for (Eigen::Index j = 0; j < m; ++j)
          a(i, j) = hessian(free[i], free[j]) / (damping[free[i]] * damping[free[j]]);
        a(i, i) += lambda;
        b[i] = -gradient[free[i]] / damping[free[i]];
      }
      const Eigen::VectorXd scaled = SolveSymmetric(a, b);
      trial = x;
      for (Eigen::Index i = 0; i < m; ++i) trial[free[i]] += scaled[i] / damping[free[i]];
      clip(trial);
      const Eigen::VectorXd step = trial - x;
      const double predicted = -(gradient.dot(step) + 0.5 * step.dot(hessian * step));
      const bool small_step = (step.cwiseQuotient(scale)).cwiseAbs().maxCoeff() < options.step_tolerance;
      if (small_step || std::abs(predicted) <= 0.1 * options.cost_tolerance * cost) {
        summary.end = attempt == 0 ? LeastSquaresEnd::kConverged : LeastSquaresEnd::kStalled;
        finished = true;
        break;
      }
      ++summary.evaluations;
      const bool computed = function(trial, trial_residuals, nullptr) && trial_residuals.allFinite();
      const double trial_cost = computed ? LeastSquaresCost(trial_residuals, options.huber) : INFINITY;
      if (trial_cost < cost) {
        const double gain = predicted > 0 ? (cost - trial_cost) / predicted : 1.0;
        lambda *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * std::min(gain, 1.0) - 1.0, 3));
        lambda = std::max(lambda, 1e-12);
        growth = 2;
        accepted = true;
        if (cost - trial_cost < options.cost_tolerance * cost && predicted < options.cost_tolerance * cost) {
          summary.end = LeastSquaresEnd::kConverged;
          finished = true;
        }
        x = trial;
        cost = trial_cost;
        summary.trace.push_back({cost, step.cwiseProduct(damping).norm()});
      } else {
        lambda *= growth;
        growth *= 2;
      }
    }
    summary.cost = cost;
    if (finished) break;
    if (!accepted) {
      summary.end = LeastSquaresEnd::kStalled;
      summary.message = "no step decreases the cost";
      break;
    }
    ++summary.evaluations;
    if (!function(x, residuals, &jacobian) || !jacobian.allFinite()) {
      summary.end = LeastSquaresEnd::kFailed;
      summary.message = "the derivatives cannot be computed";
      return summary;
    }
    ApplyLoss(options.huber, residuals, jacobian);
  }
  if (summary.iterations >= options.max_iterations && summary.end == LeastSquaresEnd::kFailed) {
    summary.end = LeastSquaresEnd::kIterations;
    summary.message = "the limit of iterations is reached";
  }
  summary.cost = cost;
  return summary;
}

}  // namespace ricochet
