// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for any number of bodies: proximal points outside, semismooth Newton inside.
//
// The simultaneous iteration P <- prox(P - r xi(P)) needs small r to be stable and then crawls. Taken implicitly,
//
//   P+ = prox(P - r xi(P+)),
//
// it is stable for large r and converges in a few rounds; its fixed points are the same, and as long as nothing is
// clamped it keeps P in the range of J as the explicit iteration does, so it selects the same solution. One round is a
// nonsmooth equation in the velocities alone,
//
//   F(v) = v - v_free - sum_i J_i^T prox(P_i - r_i (J_i v + bias_i)) = 0,
//
// solved by Newton's method with the derivative Pi_i of prox (open: 0; stick: I; slide along -u: [mu z_N / |z_T| (I - u
// u^T), mu u; 0, 1]) and a line search on |F|. Its matrix I + sum_i J_i^T r_i Pi_i J_i has one 6 x 6 block per body and
// per touching pair, so a stack is block tridiagonal and costs grow with its height, not with a power of it.
//
// r_i is `stiffness` over the mean diagonal entry of J_i J_i^T. Rounding limits the residual to about stiffness times
// the rounding unit, and each round divides the error by about 1 + stiffness lambda / lambda_max.
#pragma once

#include <vector>

#include "complementarity/friction/friction_contact.h"
#include "complementarity/friction_bodies/block_matrix.h"

namespace ricochet {

struct NewtonContactOptions {
  double tolerance = 1e-12;  // relative residual
  double stiffness = 1e4;
  double gain = 1;  // below 1: a round that leaves more than this part of the residual is the last
  int max_rounds = 40;
  int max_newton = 60;  // per round
};

/// Scratch of one solve; vectors keep their capacity.
struct NewtonContactWorkspace {
  BlockMatrix matrix;
  std::vector<Eigen::Matrix3d> slope;    // r_i Pi_i
  std::vector<double> r;                 // r_i
  std::vector<Eigen::Vector3d> impulse;  // prox at the current v
  std::vector<Eigen::Vector3d> center;   // P of the last round
  std::vector<Vector6d> v, trial, force, direction, best_velocity;
  std::vector<Eigen::Vector3d> best_impulse;
  std::vector<std::pair<int, int>> pattern;
};

/// Solves from P = 0; solution.impulse, velocity, residual and iterations are set, whether it converged or not.
void SolveByNewton(const FrictionContactProblem& problem, const NewtonContactOptions& options,
                   NewtonContactWorkspace& workspace, FrictionContactSolution& solution);

}  // namespace ricochet
