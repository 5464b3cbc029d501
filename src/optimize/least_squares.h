// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Bounded nonlinear least squares: minimize f(x) = 1/2 sum rho(r_i(x)^2) subject to lower <= x <= upper.
//
// Levenberg-Marquardt on the normal equations of the scaled problem: with D = diag(column norms of J;
// tiny where a column is 0), a step solves (J'J + lambda D^2) s = -J'r over the parameters that are not held at a
// bound by the gradient, and is clipped to the bounds; lambda and the choice of steps are in marquardt.h. Residuals may
// have kinks (contact sequences change with x): the method then still descends, but may stop on a kink, which the
// summary calls kStalled, so that the caller can start again from beside it.
//
// Robust loss: Huber's, rho(s) = s for s <= k^2 and 2 k sqrt(s) - k^2 beyond, as reweighting of residual and Jacobian.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>

#include "optimize/least_squares_summary.h"

namespace ricochet {

/// The point after a step s from x, equal to x + s to first order (charts: model/parameter_map.h). Elements with s = 0
/// stay.
using MoveFunction = std::function<Eigen::VectorXd(const Eigen::VectorXd& x, const Eigen::VectorXd& step)>;

struct LeastSquaresOptions {
  int max_iterations = 60;
  double cost_tolerance = 1e-9;   // stop when the relative decrease of f, predicted and found, is below
  double step_tolerance = 1e-10;  // stop when the step is below this in units of `scale`
  double initial_lambda = 1e-3;
  double give_up = INFINITY;         // end where f is expected to stay above this
  double huber = 0;                  // k in units of the residuals; 0: no loss
  Eigen::VectorXd scale{};           // typical size of each parameter, > 0; empty: 1
  Eigen::VectorXd lower{}, upper{};  // empty: unbounded
  MoveFunction move{};               // empty: x + s
};

/// Residuals at x, and their Jacobian unless it is null. False when they cannot be computed at x.
using ResidualFunction =
    std::function<bool(const Eigen::VectorXd& x, Eigen::VectorXd& residuals, Eigen::MatrixXd* jacobian)>;

/// Starts at x (moved into the bounds) and leaves the best point there.
LeastSquaresSummary MinimizeLeastSquares(const ResidualFunction& function, const LeastSquaresOptions& options,
                                         Eigen::VectorXd& x);

/// f of given residuals under the options' loss.
double LeastSquaresCost(const Eigen::VectorXd& residuals, double huber);

/// Scales residuals and rows by sqrt(rho') so that plain normal equations have the gradient of the loss.
void ApplyLoss(double huber, Eigen::VectorXd& residuals, Eigen::MatrixXd& jacobian);

}  // namespace ricochet
