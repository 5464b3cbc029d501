// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mixed complementarity problems (mlcp.h) whose complementary unknowns all belong to dry joints, in O(n) for a chain.
//
// A dry joint has three complementary unknowns t+, t-, sigma (Spook 2.24 along one motion with row J):
//
//     w_t = +-J v + sigma,     w_sigma = c . x_j + b - t+ - t-,     x_j the multipliers of the joint's node,
//
// and three modes, each of which turns them into linear equations with the blocks that K has already:
//
//     sticks          J v = 0                          J and J^T in the node's spare row and column, t = -x_j[spare]
//     slides, J v > 0 t = -(c . x_j + b), sigma = J v  J c^T added to (body, joint); the matrix is not symmetric
//     slides, J v < 0 t = +(c . x_j + b), sigma = -J v the same with the other sign
//
// So a guess of all modes costs one block LU on the graph of K. The caller exchanges wrong modes; from the slip of the
// step before hardly any is wrong. mlcp.h forms the dense matrix of all complementary unknowns instead, which costs
// O(n^3) for a chain of n dry joints, and remains for contacts, limits and modes that do not settle.
//
// A node is eliminated in the order of the symmetric factorization; pivot blocks are inverted with pivoting inside.
// Failure: a singular pivot block.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "complementarity/mlcp/mlcp.h"

namespace ricochet {

enum class DryMode : signed char { kBackward = -1, kSticks = 0, kForward = 1 };  // sign of J v

/// Block LU without symmetry on the graph and in the order of a BlockLdlt.
class BlockLu {
 public:
  using Block = BlockLdlt::Block;
  using BlockVector = BlockLdlt::BlockVector;

  /// Takes the values of K from position `first` of the elimination on. Allocates when the graph is new.
  void Load(const BlockLdlt& K, int first = 0);
  Block& Diagonal(int node) { return pivot_[K_->position(node)]; }
  /// Block (row, column) of an edge of the graph.
  Block& At(int row, int column);
  /// Eliminates from position `first` on; what is before it is as it was eliminated last.
  bool Factorize(int first = 0);
  void Solve(Eigen::Ref<Eigen::VectorXd> x) const;

 private:
  void Update(int j, int first);

  const BlockLdlt* K_ = nullptr;
  std::vector<Block> pivot_, lower_, upper_;  // pivots inverted, lower blocks times them, once eliminated
};

class DryChain {
 public:
  static constexpr int kSpare = BlockLdlt::kBlock - 1;  // row of a joint's node that its own rows leave free

  /// True when the problem has the form above: joint k has unknowns 3 k .. 3 k + 2, and node[k] with a padded last row.
  static bool Fits(const MlcpProblem& problem, std::span<const int> nodes);

  /// Factorizes the equations of these modes. False when a pivot is singular. `again`: the problem is that of the last
  /// call but for its bounds; elimination then starts at the first joint whose mode or bound is another.
  bool Factorize(const MlcpProblem& problem, std::span<const int> nodes, std::span<const DryMode> modes,
                 bool again = false);

  /// Solves them: on entry x holds a and z holds b, on return the solution; as SolveActive of mlcp.h. The impulse of a
  /// sticking joint is in z of its side; z may be negative where a mode is wrong.
  void Solve(const MlcpProblem& problem, Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z);

  /// One round of iterative refinement of a solution of the problem itself. Bounds (N) may have changed a little since
  /// the factorization: rounds then converge in proportion to the change, which is cheaper than factors of their own.
  /// Returns the largest change of a dry impulse as part of the largest dry impulse.
  double Improve(const MlcpProblem& problem, Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> z);

  const std::vector<DryMode>& modes() const { return modes_; }

 private:
  BlockLu lu_;
  std::vector<int> nodes_;
  std::vector<DryMode> modes_;
  std::vector<BlockLdlt::BlockVector> bounds_;
  Eigen::VectorXd dx_, dz_;
};

}  // namespace ricochet
