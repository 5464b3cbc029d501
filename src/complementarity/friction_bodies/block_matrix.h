// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Sparse matrix of 6 x 6 blocks with symmetric pattern, solved by block LU.
//
// `Analyze` takes the pairs of coupled block rows, orders the rows by smallest degree and finds the fill; it depends on
// the pattern only. `Factor` works without exchanges between blocks (inside the diagonal blocks rows are exchanged),
// which is safe for matrices near I + positive semidefinite, the only use here. For a chain of rows (a stack of boxes)
// there is no fill and the cost is linear.
#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "complementarity/friction/friction_contact.h"

namespace ricochet {

class BlockMatrix {
 public:
  using Block = Eigen::Matrix<double, 6, 6>;

  /// `pairs`: coupled rows (i, j), i != j, in any order, repeats allowed.
  void Analyze(int rows, std::span<const std::pair<int, int>> pairs);

  /// Sets all blocks to zero and the diagonal blocks to the identity.
  void SetIdentity();

  /// The block at (i, j), which must be in the pattern.
  Block& At(int i, int j);

  /// False when a diagonal block is singular.
  bool Factor();

  /// x <- A^-1 x, in place.
  void Solve(std::span<Vector6d> x) const;

 private:
  struct Neighbor {
    int row;    // eliminated later than this one
    int upper;  // index of block (this, row)
    int lower;  // index of block (row, this)
  };

  int rows_ = 0;
  std::vector<int> order_;                        // elimination order
  std::vector<std::vector<Neighbor>> later_;      // per row, neighbors eliminated after it (with fill)
  std::vector<Block> blocks_;                     // diagonal first, then upper and lower
  std::vector<Eigen::Matrix<int, 6, 1>> pivots_;  // row exchanges inside diagonal blocks
  std::vector<std::vector<int>> adjacency_;       // scratch of Analyze
  std::vector<char> eliminated_;
  std::vector<int> position_;
};

}  // namespace ricochet
