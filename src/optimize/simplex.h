// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Nelder and Mead's simplex over the unit box (Nelder and Mead 1965; reflection 1, expansion 2, contraction 1/2,
// shrinkage 1/2), for the last steps of a search without derivatives: it goes on where a cloud of points has settled on
// the side of a valley. Points outside of the box are moved to its edge.
#pragma once

#include "optimize/evolution.h"

namespace ricochet {

struct SimplexOptions {
  int evaluations = 100;
  double size = 0.03;       // edges of the first simplex
  double tolerance = 1e-3;  // ends when the simplex is smaller than this along every coordinate
};

struct SimplexResult {
  Eigen::VectorXd best;
  double value = 0;  // of `best`
  int evaluations = 0;
  bool converged = false;  // the simplex became small
};

SimplexResult MinimizeBySimplex(const BatchFunction& function, const Eigen::VectorXd& start,
                                const SimplexOptions& options = {});

}  // namespace ricochet
