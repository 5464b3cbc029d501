// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Solver of the joint program for a given set of nodes: augmented Lagrangian of the equalities, Gauss-Newton with
// Levenberg's damping inside.
//
//   inner   (sum of squares of data, penalty * c + y / penalty, penalized one-sided rows) by damped Gauss-Newton
//           (optimize/marquardt.h) on a band with a border (optimize/bordered_band.h); the damping is in units of the
//           noise (poses), of the body's speed (times) and of the numbers' scales
//   outer   y += penalty^2 c, until the equalities hold to `feasibility` of their scales
//
// Equalities end as hard constraints: the penalty is a matter of speed, not a weight of the estimate.
#pragma once

#include "estimators/program/joint_program.h"

namespace ricochet {

struct JointSolveOptions {
  int iterations = 40;        // steps computed, in all
  int rounds = 12;            // of multipliers
  double tolerance = 1e-3;    // an inner solve ends when the merit would fall by less
  double feasibility = 1e-5;  // largest equality in units of its scale (a fraction of the noise)
};

struct JointSummary {
  bool feasible = false, stationary = false;
  int iterations = 0;
  double chi2 = 0, violation = 0;
  int data = 0;
};

JointSummary SolveJoint(JointProgram& program, const JointSolveOptions& options = {});

}  // namespace ricochet
