// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/least_squares.h"

#include <cmath>
#include <vector>

#include "math/dense.h"
#include "optimize/marquardt.h"

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

namespace {

class DenseProblem final : public MarquardtProblem {
 public:
  DenseProblem(const ResidualFunction& function, const LeastSquaresOptions& options, Eigen::VectorXd& x)
      : function_(function),
        options_(options),
        x_(x),
        scale_(options.scale.size() == x.size() ? options.scale : Eigen::VectorXd::Ones(x.size())),
        damping_(Eigen::VectorXd::Zero(x.size())) {
    ClipTo(options_.lower, options_.upper, x_);
  }

  bool Linearize() override {
    if (!function_(x_, residuals_, &jacobian_) || !jacobian_.allFinite()) return false;
    if (!begun_) {
      if (!residuals_.allFinite()) return false;
      cost = LeastSquaresCost(residuals_, options_.huber);
      begun_ = true;
    }
    ApplyLoss(options_.huber, residuals_, jacobian_);
    return true;
  }

  bool Prepare() override {
    const Eigen::Index n = x_.size();
    gradient_ = jacobian_.transpose() * residuals_;
    hessian_ = jacobian_.transpose() * jacobian_;
    for (Eigen::Index i = 0; i < n; ++i) {
      damping_[i] = std::sqrt(hessian_(i, i));
      if (damping_[i] <= 0) damping_[i] = 1e-12 / scale_[i];
    }
    free_.clear();
    for (Eigen::Index i = 0; i < n; ++i)
      if (hessian_(i, i) > 0 && !IsHeldByBound(options_.lower, options_.upper, x_, gradient_, i)) free_.push_back(i);
    return !free_.empty();
  }

  MarquardtStep Propose(double lambda) override {
    const Eigen::Index m = static_cast<Eigen::Index>(free_.size());
    Eigen::MatrixXd a(m, m);
    Eigen::VectorXd b(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      for (Eigen::Index j = 0; j < m; ++j)
        a(i, j) = hessian_(free_[i], free_[j]) / (damping_[free_[i]] * damping_[free_[j]]);
      a(i, i) += lambda;
      b[i] = -gradient_[free_[i]] / damping_[free_[i]];
    }
    const Eigen::VectorXd scaled = SolveSymmetric(a, b);
    step_.setZero(x_.size());
    for (Eigen::Index i = 0; i < m; ++i) step_[free_[i]] = scaled[i] / damping_[free_[i]];
    trial_ = options_.move ? options_.move(x_, step_) : x_ + step_;
    ClipTo(options_.lower, options_.upper, trial_);
    step_ = trial_ - x_;
    return {.predicted = -(gradient_.dot(step_) + 0.5 * step_.dot(hessian_ * step_)),
            .negligible = step_.cwiseQuotient(scale_).cwiseAbs().maxCoeff() < options_.step_tolerance};
  }

  double TrialCost() override {
    const bool computed = function_(trial_, trial_residuals_, nullptr) && trial_residuals_.allFinite();
    return computed ? LeastSquaresCost(trial_residuals_, options_.huber) : INFINITY;
  }

  double Take() override {
    before_ = x_;
    x_ = trial_;
    return step_.cwiseProduct(damping_).norm();
  }

  bool Undo() override {
    x_ = before_;
    return true;
  }

 private:
  const ResidualFunction& function_;
  const LeastSquaresOptions& options_;
  Eigen::VectorXd& x_;
  const Eigen::VectorXd scale_;
  Eigen::VectorXd damping_;  // D
  Eigen::VectorXd residuals_, gradient_, before_, trial_, trial_residuals_, step_;
  Eigen::MatrixXd jacobian_, hessian_;
  std::vector<Eigen::Index> free_;
  bool begun_ = false;
};

}  // namespace

LeastSquaresSummary MinimizeLeastSquares(const ResidualFunction& function, const LeastSquaresOptions& options,
                                         Eigen::VectorXd& x) {
  DenseProblem problem(function, options, x);
  NielsenDamping damping(options.initial_lambda);
  RelativeDecrease rule(options.cost_tolerance, options.give_up);
  return RunMarquardt(problem, damping, rule, {.max_iterations = options.max_iterations});
}

}  // namespace ricochet
