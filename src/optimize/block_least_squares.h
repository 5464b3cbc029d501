// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Least squares over many blocks that share a few parameters:
//
//   minimize  f = 1/2 sum_k sum_i rho(r_ki(x_k, c)^2)   subject to bounds of c and x_k,
//
// one block per recording with its own x_k (an initial state), c common to all (friction, inertia). The normal
// equations have the form of an arrow: each block is a chain of one state (chain_least_squares.h), and all share the
// border of c. Time and memory grow with the number of blocks and not with its square or cube. Damping, acceptance and
// the meaning of the end are those of MinimizeLeastSquares. Blocks are evaluated on all cores; sums are taken in order,
// so the result does not depend on the number of threads.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "optimize/least_squares.h"

namespace ricochet {

/// The residuals of all blocks.
class BlockResiduals {
 public:
  virtual ~BlockResiduals() = default;
  virtual int blocks() const = 0;
  virtual int local_size(int block) const = 0;
  virtual int common_size() const = 0;
  /// Common values after a step: on a chart of their own where not every value is possible. Must agree with
  /// `common + step` to first order; derivatives are by the values.
  virtual Eigen::VectorXd MoveCommon(const Eigen::VectorXd& common, const Eigen::VectorXd& step) const {
    return common + step;
  }
  /// Called once before blocks are evaluated at these common values. False when there can be no residuals there.
  virtual bool SetCommon(const Eigen::VectorXd& common) = 0;
  /// Residuals of a block and, unless null, their Jacobian: local columns first, then common ones. Called from several
  /// threads at once, for different blocks. False when they cannot be computed.
  virtual bool Evaluate(int block, const Eigen::VectorXd& local, Eigen::VectorXd& residuals,
                        Eigen::MatrixXd* jacobian) = 0;
};

/// A point: the common parameters and those of each block.
struct BlockPoint {
  Eigen::VectorXd common;
  std::vector<Eigen::VectorXd> local;
};

struct BlockLeastSquaresOptions {
  int max_iterations = 60;
  double cost_tolerance = 1e-9;      // stop when the relative decrease of f, predicted and found, is below
  double initial_lambda = 1e-3;      // damping, relative to the diagonal of J'J
  double huber = 0;                  // in units of the residuals; 0: no loss
  double step_tolerance = 0;         // stop when no parameter moves by more than this in units of its scale
  Eigen::VectorXd scale{};           // typical size of each common parameter, > 0; empty: 1, as for local ones
  Eigen::VectorXd lower{}, upper{};  // of the common parameters; empty: unbounded
  std::vector<Eigen::VectorXd> local_lower{}, local_upper{};  // of each block's own; empty: unbounded
  std::vector<char> held{};                                   // common parameters that stay as they are; empty: none
};

/// Starts at `point` (moved into the bounds) and leaves the best point there.
LeastSquaresSummary MinimizeBlocks(BlockResiduals& residuals, const BlockLeastSquaresOptions& options,
                                   BlockPoint& point);

}  // namespace ricochet
