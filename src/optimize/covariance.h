// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What a Jacobian of weighted residuals says about its parameters: rank, the directions that leave the residuals
// unchanged, and the covariance of the rest.
//
// Columns are scaled by typical sizes S of the parameters before the singular value decomposition J S = U diag(s) V',
// so that the rank does not depend on units. Directions with s_i <= tolerance * s_1 count as null space. The covariance
// is S V diag(1 / s_i^2) V' S over the others: a parameter with a share in the null space has no variance of its own,
// and `determined` is false for it, whatever the pseudo-inverse would give (Ceres, include/ceres/covariance.h).
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace ricochet {

struct ParameterInformation {
  int rank = 0;
  Eigen::VectorXd singular_values;  // of J S, descending
  Eigen::MatrixXd null_space;       // columns, in units of the scales, largest entry 1
  Eigen::MatrixXd covariance;       // of the parameters; rows of undetermined ones are NaN
  std::vector<bool> determined;
};

/// Directions below `least` count as null space too.
ParameterInformation AnalyzeInformation(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& scale,
                                        double tolerance = 1e-9, double least = 0);

/// What residuals say about common parameters when local ones are unknown: the rows of `by_common` that no change of the
/// local parameters can imitate, Q' J_c with Q an orthonormal basis of what is orthogonal to the columns of `by_local`.
Eigen::MatrixXd BehindLocal(const Eigen::MatrixXd& by_local, const Eigen::MatrixXd& by_common);
/// The same, reduced to their triangular factor. Blocks with local parameters of their own are stacked; the covariance
/// of the common ones is that of the stack.
Eigen::MatrixXd EliminateLocal(const Eigen::MatrixXd& by_local, const Eigen::MatrixXd& by_common);

/// Derivatives of the residuals of one block (block_least_squares.h).
struct BlockJacobian {
  Eigen::MatrixXd by_local, by_common;
};

/// What all blocks say about the common parameters, and how the solution spreads: local parameters follow a change of
/// the common ones by `follow`, which leaves residuals of `rest` = by_common + by_local * follow.
struct ArrowInformation {
  ParameterInformation common;
  std::vector<Eigen::MatrixXd> follow, rest;  // of each block
  std::vector<ParameterInformation> local;    // of each block while the common parameters are known
};

/// Time and memory grow with the number of blocks. A direction of the common parameters whose effect local ones imitate
/// to within `tolerance` of the largest effect counts as null space.
ArrowInformation AnalyzeArrow(const std::vector<BlockJacobian>& blocks, const Eigen::VectorXd& common_scale,
                              double tolerance);

/// Enlarges standard deviations to at least those given, correlations kept. Entries that are not finite change nothing.
void EnlargeTo(const Eigen::VectorXd& least_std, Eigen::MatrixXd& covariance);

/// Rows of all parts, one behind the other.
Eigen::MatrixXd StackRows(const std::vector<Eigen::MatrixXd>& parts, Eigen::Index columns);

/// The null space of logarithmic parameters in words: which products of powers stay the same along it. For two
/// parameters with equal signs and sizes "only a / b"; without a simple form the direction is written out.
std::string DescribeNullSpace(const ParameterInformation& information, const std::vector<std::string>& names);

}  // namespace ricochet
