// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How a nonlinear least-squares search ended, and the way it took.
#pragma once

#include <string>
#include <vector>

namespace ricochet {

enum class LeastSquaresEnd { kConverged, kStalled, kIterations, kFailed };

/// A point on the way: the start (step 0), then every accepted step.
struct LeastSquaresStep {
  double cost = 0;  // f there
  double step = 0;  // |D s|: by how much the residuals would change if the parameters acted one by one
};

struct LeastSquaresSummary {
  LeastSquaresEnd end = LeastSquaresEnd::kFailed;
  int iterations = 0;
  int evaluations = 0;                // of residuals, with or without derivatives
  double initial_cost = 0, cost = 0;  // f
  std::string message;
  std::vector<LeastSquaresStep> trace;

  bool converged() const { return end == LeastSquaresEnd::kConverged; }
};

}  // namespace ricochet
