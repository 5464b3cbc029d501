// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The loop of Levenberg and Marquardt, for problems that know how to linearise themselves and to solve the damped
// system (least_squares.h: dense; block_least_squares.h: unknowns of blocks eliminated one by one).
//
// A step is tried with the damping lambda and taken only when the cost f falls; lambda follows Nielsen's rule (Madsen,
// Nielsen, Tingleff: "Methods for non-linear least squares problems", 2004, alg. 3.16): after a step that gained
// rho = (decrease found) / (decrease predicted) it shrinks by max(1/3, 1 - (2 rho - 1)^3), after one that failed it
// grows by 2, 4, 8, ...
#pragma once

#include "optimize/least_squares.h"

namespace ricochet {

struct MarquardtStep {
  double predicted = 0;     // decrease of f that the linearised problem promises
  bool negligible = false;  // too short to matter
};

class MarquardtProblem {
 public:
  virtual ~MarquardtProblem() = default;

  /// Residuals and derivatives at the current point; at the start it also sets `cost`. False when there are none.
  virtual bool Linearise() = 0;
  /// What steps from the current point share. False when nothing can move.
  virtual bool Prepare() = 0;
  /// The step with this damping; kept as the trial.
  virtual MarquardtStep Propose(double lambda) = 0;
  /// f at the trial; infinite where it cannot be computed.
  virtual double TrialCost() = 0;
  /// Moves to the trial; returns LeastSquaresStep::step.
  virtual double Take() = 0;

  double cost = 0;  // f at the current point
};

struct MarquardtOptions {
  int max_iterations = 60;
  double cost_tolerance = 1e-9;  // stop when the relative decrease of f, predicted and found, is below
  double initial_lambda = 1e-3;
};

LeastSquaresSummary RunMarquardt(MarquardtProblem& problem, const MarquardtOptions& options);

}  // namespace ricochet
