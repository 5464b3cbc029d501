// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Linear complementarity problem: find z such that
//
//   w = M z + q,   w >= 0,   z >= 0,   z'w = 0.
//
// Reference: Cottle, Pang, Stone, "The Linear Complementarity Problem" (CPS below).
//
// Lemke's method (CPS sec. 4.4) follows the solutions of w = M z + q + d z0 with d > 0 from large z0 to z0 = 0 by
// pivots that exchange complementary variables. It ends in a solution, or on a ray along which z0 stays positive.
//
// What is known: a P-matrix M (all principal minors positive) has exactly one solution for each q and Lemke finds it;
// for positive semidefinite (more generally copositive-plus) M a ray says that no solution exists (CPS theorem 4.4.13);
// for copositive M a solution is sure if q'z >= 0 for each z >= 0 with M z >= 0, z'M z = 0 (CPS theorem 3.8.6, Lemke
// processes it by 4.4.12). Friction gives such an M, see planar_contact.h. For other M a ray means nothing but that
// this method stopped. The number of pivots grows like the size as a rule, exponentially in built examples (Murty).
//
// Degenerate problems can make the plain method cycle. Ties in the ratio test are broken lexicographically (CPS sec.
// 4.9), so no basis comes twice; ratios that differ by rounding only are treated as ties.
//
// Accuracy: M is equilibrated symmetrically by powers of two (copositivity, P and positive semidefiniteness are kept),
// so that units do not matter. The tableau is computed afresh from its basis at intervals. At the end only the basis is
// believed: its linear system is factorized and refined from the problem's own numbers.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace ricochet {

struct LcpProblem {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;
};

/// Largest violation of the conditions by z, whoever computed it; zero at a solution:
///   max_i |min(z_i / d_i, d_i w_i)| / max_i d_i (|q_i| + sum_j |M_ij z_j|).
/// The scales d_i = 1 / sqrt(M_ii) (where M_ii <= 0: so that the row's largest coupling to scaled ones is one) bring z
/// and w to one unit and make the residual independent of the units of each pair (z_i, w_i).
double LcpResidual(const LcpProblem& problem, const Eigen::VectorXd& z);
/// The same on the caller's data; scratch has the size of z.
double LcpResidual(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                   const Eigen::Ref<const Eigen::VectorXd>& z, std::span<double> scratch);

struct LemkeOptions {
  int max_pivots = 0;              // 0: 100 + 50 times the size
  double pivot_tolerance = 1e-11;  // smallest pivot, as part of the largest entry of its column
  double tie_tolerance = 1e-11;    // ratios this close (relative to the right side's size) are ties
  double tolerance = 1e-9;         // residual above which a final basis is not called a solution
  int refactor_interval = 64;      // pivots between fresh computations of the tableau
};

enum class LemkeTermination {
  kSolved,
  kRay,         // secondary ray: no solution by this method (none at all for copositive-plus M)
  kPivotLimit,  // max_pivots reached
  kInaccurate,  // a final basis was reached, but its solution has a residual above the tolerance
};

struct LemkeSummary {
  LemkeTermination termination = LemkeTermination::kSolved;
  int pivots = 0;       // of all attempts
  double residual = 0;  // LcpResidual of the z returned; after a ray or the limit z is zero
};

struct LcpSolution {
  Eigen::VectorXd z, w;
  LemkeSummary summary;
};

/// Scratch of Lemke's method. Grows to the largest problem seen and does not allocate again.
class LemkeWorkspace {
 public:
  explicit LemkeWorkspace(int size = 0) { Reserve(size); }
  void Reserve(int size);

  std::vector<double> tableau;      // size x (2 size + 2), by rows: columns w, z, z0, right side
  std::vector<double> lu;           // size x size
  std::vector<double> matrix;       // scaled M, by rows
  std::vector<double> rhs, vector;  // scaled q, and scratch
  std::vector<double> scale;
  std::vector<int> basis;  // variable of each row: i is w_i, size + i is z_i, 2 size is z0
  std::vector<int> permutation, ties, active;
};

LcpSolution SolveLemke(const LcpProblem& problem, const LemkeOptions& options = {});

/// The same on the caller's data, without allocation once the workspace has grown.
LemkeSummary SolveLemke(const Eigen::Ref<const Eigen::MatrixXd>& M, const Eigen::Ref<const Eigen::VectorXd>& q,
                        LemkeWorkspace& workspace, Eigen::Ref<Eigen::VectorXd> z, const LemkeOptions& options = {});

/// Derivative of a solution. With alpha = {i: z_i > 0}, M_aa z_a = -q_a, hence
///   dz_a = -M_aa^-1 (dq + dM z)_a,   dz = 0 elsewhere:   dz = dz_dq (dq + dM z).
struct LcpDerivative {
  Eigen::MatrixXd dz_dq;
  bool strict = true;   // false: some z_i = w_i = 0; the solution has a kink and this is the derivative of one side
  bool regular = true;  // false: M_aa is singular; z is not unique, and the smallest dz is given
  /// Change of z for a change of the problem.
  Eigen::VectorXd Apply(const Eigen::MatrixXd& dM, const Eigen::VectorXd& dq, const Eigen::VectorXd& z) const {
    return dz_dq * (dq + dM * z);
  }
};

/// At a solution z. Entries that are below `tolerance` in the sense of LcpResidual count as zero.
LcpDerivative DifferentiateLcp(const LcpProblem& problem, const Eigen::VectorXd& z, double tolerance = 1e-9);

}  // namespace ricochet
