// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mixed linear complementarity problem: find x (free) and z >= 0 such that
//
//     K x = a + C z,
//     w = N x + P z + b >= 0,     z >= 0,     z' w = 0,
//
// with K symmetric quasi-definite on a graph of blocks (block_ldlt.h), C and N sparse by blocks and not transposes of
// each other, P any square matrix. This is Spook (2.26) with x = (v+, -lambda_A), z = lambda_B and appendix A's split
// into a direct part and a complementary part: K is factorized once, then
//
//     M = P + N K^-1 C,     q = b + N K^-1 a,     w = M z + q,     x = K^-1 a + K^-1 C z,
//
// is an ordinary LCP of the size of z. It is tried first from a guess of the active set {i: z_i > 0} (the warm start,
// passed in by the caller): solve the guessed equations, exchange what has the wrong sign, a few times. That ends in
// the solution in one factorization when the guess is right, and is given up for Lemke's method (lcp.h) when it cycles
// or meets a singular block. Lemke's method is sure of a solution only while bounds of friction do not depend on x. If
// it ends on a ray, active sets are tried from many starts in which each cone has a mode that a cone can have (open,
// slides along or between directions, sticks), drawn by a fixed sequence: the result is a function of the problem.
//
// Accuracy: z can be large against x (a body jammed between contacts), and x = K^-1 (a + C z) then loses digits to
// cancellation. The final active set's equations are solved again for what x and z leave, from the problem's own
// numbers; where that does not reach `accuracy` (M of the active set is nearly singular), they are solved for x and z
// together by dense elimination with row scaling and complete pivoting, which is backward stable row by row, and signs
// that rounding had hidden are exchanged one by one. Whoever solved it, the residual is recomputed from the problem.
//
// Derivative (Spook D.1): with the active set A of the solution held, z_A = -M_AA^-1 q_A and the rest is linear, so
// SolveActive() with the right sides da, db_A gives dx, dz for any tangent of the data.
//
// Failure: K not quasi-definite (named node), or Lemke ends on a ray; then `status` says so and x, z are what was
// reached. Nothing is allocated once the workspace has seen the largest problem.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "complementarity/lcp/lcp.h"
#include "complementarity/mlcp/block_ldlt.h"
#include "complementarity/mlcp/growing.h"

namespace ricochet {

/// A vector of the size of x with at most two non-zero blocks: what one contact or one joint row touches.
struct BlockSparseVector {
  int count = 0;
  std::array<int, 2> node{};
  std::array<BlockLdlt::BlockVector, 2> value;

  void Clear() { count = 0; }
  void Add(int at, const BlockLdlt::BlockVector& block) {
    node[count] = at;
    value[count++] = block;
  }
  double Dot(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += value[i].dot(x.segment<BlockLdlt::kBlock>(BlockLdlt::kBlock * node[i]));
    return sum;
  }
  /// Sum of the absolute values of the terms of Dot.
  double DotAbs(const Eigen::Ref<const Eigen::VectorXd>& x) const {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      sum += value[i].cwiseProduct(x.segment<BlockLdlt::kBlock>(BlockLdlt::kBlock * node[i])).cwiseAbs().sum();
    }
    return sum;
  }
  void AddTo(double factor, Eigen::Ref<Eigen::VectorXd> x) const {
    for (int i = 0; i < count; ++i) x.segment<BlockLdlt::kBlock>(BlockLdlt::kBlock * node[i]) += factor * value[i];
  }
};

/// A non-zero of a sparse matrix.
struct MlcpEntry {
  int row = 0, column = 0;
  double value = 0;
};

struct MlcpProblem {
  BlockLdlt K;  // values assembled by the caller
  Eigen::VectorXd a;
  std::vector<BlockSparseVector> C;  // columns
  std::vector<BlockSparseVector> N;  // rows
  std::vector<int> mirror;           // >= 0: column is minus that earlier column (one solve for both); else -1
  std::vector<int> group;            // >= 0: of unknowns of one group one at a time joins an active set; else -1
  std::vector<MlcpEntry> P;          // entries of the same place add up
  GrowingVector b;

  int complementary_count() const { return static_cast<int>(C.size()); }
  /// P(row, column) += value.
  void Couple(int row, int column, double value) { P.push_back({row, column, value}); }
  /// Sets the number of complementary unknowns; C, N, P and b are zero afterwards.
  void Resize(int count);
};

enum class MlcpStatus {
  kSolved,
  kSingular,  // K is not quasi-definite
  kRay,       // Lemke's method ended on a ray or ran out of pivots
};

struct MlcpSolution {
  Eigen::VectorXd x;
  GrowingVector z, w;
  std::vector<char> active;  // per complementary unknown: z > 0 by the last basis
  MlcpStatus status = MlcpStatus::kSolved;
  int exchanges = 0;   // active sets tried before the solution was found
  bool lemke = false;  // Lemke's method was needed
};

struct MlcpOptions {
  int maximum_exchanges = 20;  // active sets tried before Lemke's method
  double tolerance = 1e-12;    // of signs, relative to the largest |z| and |w|
  bool refine = true;          // iterative refinement in every solve with K
  double accuracy = 1e-12;     // residual from which the active set's equations are solved for x and z together
};

/// Scratch and the reduced problem, which derivatives use again.
class MlcpWorkspace {
 public:
  GrowingMatrix Y;  // K^-1 C, once an active set was tried
  GrowingMatrix M;  // P + N Y
  GrowingVector q;
  Eigen::VectorXd x0;  // K^-1 a

 private:
  using ConstVector = Eigen::Ref<const Eigen::VectorXd>;
  using Vector = Eigen::Ref<Eigen::VectorXd>;
  friend double MlcpResidual(const MlcpProblem&, const ConstVector&, const ConstVector&, MlcpWorkspace&);
  friend double RefineSolution(MlcpProblem&, const MlcpOptions&, MlcpWorkspace&, MlcpSolution&);
  friend bool SolvePreparedMlcp(MlcpProblem&, std::span<const char>, const MlcpOptions&, MlcpWorkspace&, MlcpSolution&);
  friend bool SolveActive(MlcpProblem&, std::span<const char>, MlcpWorkspace&, Vector, Vector);
  friend bool PrepareMlcp(MlcpProblem&, MlcpWorkspace&);

  void SolveColumns(MlcpProblem& problem, bool refine);
  void Reduce(MlcpProblem& problem, bool refine);
  bool SolveSubset(std::span<const char> active, const ConstVector& right_side, Vector z);
  /// Active sets from `set_` on: solve, exchange wrong signs, until none is wrong. False when it does not settle.
  bool TryActiveSets(const MlcpProblem& problem, int most, double tolerance, MlcpSolution& solution);
  int Exchange(const MlcpProblem& problem, const MlcpSolution& solution, double tolerance, bool only_worst);
  bool TryLemke(MlcpSolution& solution);
  bool TryManyStarts(MlcpProblem& problem, const MlcpOptions& options, MlcpSolution& solution);
  void FindCones(const MlcpProblem& problem);
  /// x and signs of a solution of the reduced problem; refines it and returns the residual.
  double Complete(MlcpProblem& problem, const MlcpOptions& options, MlcpSolution& solution);
  bool SolveAugmented(const MlcpProblem& problem, std::span<const char> active);

  struct Cone {
    int bound = 0, normal = -1;  // unknowns; a dry joint has no normal
    int first = 0, count = 0;    // its directions, in cone_directions_
  };
  bool has_columns_ = false;
  std::vector<int> index_, pivots_;
  std::vector<double> dense_, vector_;
  std::vector<char> set_, last_set_, factorized_set_;
  std::vector<int> group_worst_;
  LemkeWorkspace lemke_;
  Eigen::VectorXd kx_, cz_, x_refined_;
  GrowingVector reduced_, w_, w_scale_, dz_, z_refined_, q_path_, polished_z_;
  GrowingMatrix M_path_;
  std::vector<double> augmented_, augmented_factors_, augmented_vector_;
  std::vector<int> augmented_pivots_, augmented_index_;
  std::vector<char> polished_set_;
  std::vector<Cone> cones_;
  std::vector<int> cone_directions_;
  std::vector<char> in_cone_;
};

/// Largest violation of the conditions, relative: of K x = a + C z to the largest term of that equation, of
/// min(z, w) = 0 to the largest |z|, and to the largest |w| or |b| or, of each row, 1e-4 of the sum of its terms if
/// that is more: a w_i of 1e-14 of what it is summed from is rounding, and counts as 1e-10. Zero at a solution, whoever
/// computed it.
double MlcpResidual(const MlcpProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& x,
                    const Eigen::Ref<const Eigen::VectorXd>& z);
/// The same without allocation once the workspace has grown.
double MlcpResidual(const MlcpProblem& problem, const Eigen::Ref<const Eigen::VectorXd>& x,
                    const Eigen::Ref<const Eigen::VectorXd>& z, MlcpWorkspace& workspace);

/// Factorizes K. False when K is not quasi-definite; `problem.K.failed_node()` is the node.
bool PrepareMlcp(MlcpProblem& problem, MlcpWorkspace& workspace);

/// Iterative refinement with the problem's own numbers: the active set's equations solved for what `solution` leaves.
/// Kept only where it makes the residual smaller, which is returned.
double RefineSolution(MlcpProblem& problem, const MlcpOptions& options, MlcpWorkspace& workspace,
                      MlcpSolution& solution);

/// Solves a prepared problem, also again after `a`, `b`, `N` or `P` (neither K nor C) changed. False when no solution
/// was found. `guess` is the warm start, one entry per complementary unknown, or empty.
bool SolvePreparedMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options,
                       MlcpWorkspace& workspace, MlcpSolution& solution);

/// Both.
void SolveMlcp(MlcpProblem& problem, std::span<const char> guess, const MlcpOptions& options, MlcpWorkspace& workspace,
               MlcpSolution& solution);

/// Linear system of an active set: K x = a + C z, N_A x + P_AA z_A = -b_A, z = 0 outside A. On entry x holds a and z
/// holds b; on return the solution. Uses the factors and Y of the last solve. False when the set's block is singular.
bool SolveActive(MlcpProblem& problem, std::span<const char> active, MlcpWorkspace& workspace,
                 Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z);

}  // namespace ricochet
