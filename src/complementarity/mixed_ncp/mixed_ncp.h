// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mixed nonlinear complementarity problem: given F: R^n -> R^n and bounds l <= u (each may be infinite), find z with
//
//   l <= z <= u   and for each i   F_i(z) >= 0 if z_i = l_i,   F_i(z) <= 0 if z_i = u_i,   F_i(z) = 0 in between.
//
// Equations are components without bounds, nonlinear complementarity 0 <= z_i, F_i >= 0, z_i F_i = 0 those with l_i =
// 0, u_i = infinity. This is the problem class of PATH (Dirkse and Ferris 1995), which Xie uses.
//
// The solver works on the Fischer-Burmeister reformulation Phi(z) = 0, phi(a, b) = a + b - sqrt(a^2 + b^2):
//
//   no bound F_i,   lower phi(z - l, F),   upper -phi(u - z, -F),   both phi(z - l, -phi(u - z, -F))  (Billups 1995)
//
// whose merit |Phi|^2 / 2 is differentiable (Facchinei and Soares 1997; De Luca, Facchinei and Kanzow 1996). Stages:
//
//   crash          a few projected Newton steps on the min map z - mid(l, u, z - F), which often find the active set at
//                  once; kept when they lower the residual.
//   newton         semismooth Newton on Phi with a non-monotone line search; Levenberg-Marquardt regularization where
//   the
//                  Jacobian is singular or the direction does not descend; min-map steps to the last digits.
//   smoothing      path-following: sqrt(a^2 + b^2 + 2 mu) with mu from 1 to 0 (Kanzow 1996).
//   proximal       path-following on F(z) + lambda (z - z_k), lambda falling.
//   restart        the stages above from other active sets: all at lower bounds, all free at one, and pseudo-random
//   points
//                  around the start (same on every machine).
//
// Failure is honest: `solved` is false unless the natural residual, recomputed by MixedNcpResidual, is at most the
// tolerance; the best point found is returned. A merit minimum that is no solution ends every stage; problems with
// singular Jacobians at all solutions (weak complementarity of many components) converge slowly and may stop short.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>

namespace ricochet {

/// A problem: F and its Jacobian, and the bounds.
class MixedNcp {
 public:
  virtual ~MixedNcp() = default;
  virtual int size() const = 0;
  /// F(z) and, if requested, dF/dz (rows F). Vectors and matrix have the right size. May give NaN outside F's domain.
  virtual void Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* jacobian) const = 0;
  virtual double lower(int i) const = 0;
  virtual double upper(int i) const = 0;
};

/// max_i |z_i - mid(l_i, u_i, z_i - F_i(z))|: zero exactly at solutions, whoever computed z.
double MixedNcpResidual(const MixedNcp& problem, const Eigen::VectorXd& z);

struct MixedNcpOptions {
  double tolerance = 1e-10;  // natural residual at which a point counts as solution
  int max_iterations = 200;  // Newton iterations per stage
  int crash_iterations = 8;  // min-map steps before the first stage
  int restarts = 12;         // other starting points; 0: none
  bool smoothing = true;     // path-following by smoothing
  bool proximal = true;      // path-following by regularization
};

enum class MixedNcpStage { kCrash, kNewton, kSmoothing, kProximal, kRestart };

struct MixedNcpSummary {
  bool solved = false;
  double residual = 0;                          // natural residual of the point returned
  int iterations = 0;                           // linear systems solved, all stages
  MixedNcpStage stage = MixedNcpStage::kCrash;  // that ended with the point returned
  int restarts = 0;                             // starting points used beyond the first
};

/// Scratch: after the first problem of a size nothing is allocated.
class MixedNcpWorkspace {
 public:
  void Resize(int n);

 private:
  friend class MixedNcpRun;
  Eigen::VectorXd z, trial, best, center, F, phi, step, gradient, diagonal_a, diagonal_b;
  Eigen::MatrixXd J, H, normal;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

/// Solves from z (the warm start), which holds the best point found afterwards.
MixedNcpSummary SolveMixedNcp(const MixedNcp& problem, Eigen::VectorXd& z, MixedNcpWorkspace& workspace,
                              const MixedNcpOptions& options = {});

}  // namespace ricochet
