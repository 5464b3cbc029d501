// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Sparse block LDL^T of a symmetric quasi-definite matrix on a graph, the linear kernel of mlcp.h.
//
//     K = [ H   G^T ]      H positive definite on the "primal" nodes (bodies),
//         [ G  -S   ]      S positive semidefinite on the "dual" nodes (joints).
//
// Every node of the graph has a block of kBlock = 6 unknowns; a node with fewer is padded with +-1 on its diagonal. An
// edge is a non-zero block between two nodes. Spook, appendix A, factorizes the Schur complement of the bodies, S =
// A M^-1 A^T + Sigma, in blocks; eliminating bodies and joints together in an order of small degree contains that and
// does better: a chain is eliminated from its tip to its base without any fill, so it costs O(n); a body with many
// joints (a star) stays linear too, where the Schur complement would be full.
//
// Order: smallest degree first, ties to the largest index (tips before bases in the usual numbering). A dual node may
// go only after one of its primal neighbors, so that its pivot is -(S + G H^-1 G^T) and S = 0 (a rigid joint) is
// allowed. For a quasi-definite matrix every pivot block is then definite, whatever the order (Vanderbei 1995), and is
// factorized without pivoting.
//
// Failure: a pivot that is not definite. It means constraints that repeat each other without any compliance. Then
// Factorize() returns false and names the node.
//
// All storage is allocated by Analyze(); Factorize() and Solve() allocate nothing.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

namespace ricochet {

class BlockLdlt {
 public:
  static constexpr int kBlock = 6;
  using Block = Eigen::Matrix<double, kBlock, kBlock>;
  using BlockVector = Eigen::Matrix<double, kBlock, 1>;

  /// Structure of K: for each node whether it is dual, and the edges as pairs of nodes, each pair once.
  struct Graph {
    std::vector<char> dual;
    std::vector<std::pair<int, int>> edges;
  };

  /// Chooses the order and allocates. Values are zero afterwards.
  void Analyze(const Graph& graph);

  int node_count() const { return static_cast<int>(sign_.size()); }
  int size() const { return kBlock * node_count(); }
  /// Blocks of L below the diagonal, fill included.
  int factor_blocks() const { return static_cast<int>(row_.size()); }
  const std::vector<int>& order() const { return node_at_; }

  // The elimination by position, for other factorizations on the same graph: rows of column j are slots [first, second)
  // of L, and each pair of them (s <= t) updates the slot of (row t, row s), or the pivot of position -1 - update.
  int position(int node) const { return position_of_[node]; }
  std::pair<int, int> ColumnSlots(int j) const { return {column_[j], column_[j + 1]}; }
  int RowOfSlot(int slot) const { return row_[slot]; }
  int FindSlot(int row, int column) const;
  const std::vector<int>& fill() const { return fill_; }  // slots that no edge has
  const int* Updates(int j) const { return update_.data() + update_start_[j]; }

  void SetZero();
  Block& Diagonal(int node) { return diagonal_[node]; }
  const Block& Diagonal(int node) const { return diagonal_[node]; }
  /// Block of an edge of the graph: rows of its first node, columns of its second.
  Block& Edge(int edge) { return edge_[edge]; }
  const Block& Edge(int edge) const { return edge_[edge]; }
  int edge_count() const { return static_cast<int>(edges_.size()); }
  std::pair<int, int> EdgeNodes(int edge) const { return edges_[edge]; }
  const std::vector<std::pair<int, int>>& edges() const { return edges_; }
  /// Slot of L of an edge, and whether L has the edge's block transposed.
  int SlotOfEdge(int edge) const { return edge_slot_[edge]; }
  bool IsTransposed(int edge) const { return edge_transposed_[edge] != 0; }

  /// Factorizes the present values, which are kept. False when a pivot is not definite; `failed_node()` is its node.
  /// From position `first` of the elimination on: values before it are as they were factorized last.
  bool Factorize(int first = 0);
  int failed_node() const { return failed_node_; }

  /// x := K^-1 x, in node order. With `refine` iterative refinement follows while it gains, at most four rounds, until
  /// the residual is `enough` of the largest right side.
  void Solve(Eigen::Ref<Eigen::VectorXd> x, bool refine = true, double enough = 1e-15);

  /// y := K x.
  void Multiply(const Eigen::Ref<const Eigen::VectorXd>& x, Eigen::Ref<Eigen::VectorXd> y) const;

 private:
  void Substitute(Eigen::Ref<Eigen::VectorXd> x) const;
  void Update(int j, int first);

  // By node and edge of the graph.
  std::vector<std::pair<int, int>> edges_;
  std::vector<Block> diagonal_, edge_;
  std::vector<double> sign_;  // of the pivot of a node: +1 primal, -1 dual
  // By position in the order: column j of L has rows row_[column_[j]] .. row_[column_[j + 1]), increasing.
  std::vector<int> position_of_, node_at_;
  std::vector<int> column_, row_;
  std::vector<int> edge_slot_;  // slot in lower_ of an edge
  std::vector<int> fill_;       // slots that no edge has
  std::vector<char> edge_transposed_;
  std::vector<int> update_;  // for column j and each pair of its rows: slot to update, -1 - position: a pivot
  std::vector<int> update_start_;
  std::vector<Block> pivot_, inverse_, lower_, scaled_;
  std::vector<BlockVector> scale_;
  Eigen::VectorXd right_side_, residual_;
  int failed_node_ = -1;
};

}  // namespace ricochet
