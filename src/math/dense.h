// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
/// Decompositions of dense matrices of any size as plain functions. Eigen's templates are instantiated once, in
/// dense.cc: each takes the compiler 5 to 15 seconds, too long to repeat in every file that solves a small system. They
/// allocate; inner loops of steppers keep workspaces of their own.
#pragma once

#include <Eigen/Core>

namespace ricochet {

using DenseRef = Eigen::Ref<const Eigen::MatrixXd>;

/// A = vectors diag(values) vectors^T for a symmetric A (its lower half is read), values in ascending order.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
  bool found = false;  ///< false: the iteration did not converge (entries that are not finite)

  /// B with B B^T = A; values below 0, from rounding, count as 0.
  Eigen::MatrixXd Root() const;
};
SymmetricEigen EigenOfSymmetric(const DenseRef& A);

/// A = U diag(values) V^T, values in descending order; U has as many columns as there are values, V is square.
struct SingularDecomposition {
  Eigen::MatrixXd U;
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
SingularDecomposition DecomposeSingular(const DenseRef& A);

/// X of A X = B for a symmetric A (pivoted L D L^T; its lower half is read). Directions that A maps to exactly 0 get 0.
Eigen::MatrixXd SolveSymmetric(const DenseRef& A, const DenseRef& B);
/// The same for one right-hand side, by operations on vectors (which round otherwise).
Eigen::VectorXd SolveSymmetricVector(const DenseRef& A, const Eigen::VectorXd& b);

/// A solution of A X = B for a square A of any rank (L U with rows and columns exchanged).
Eigen::MatrixXd SolveFullyPivoted(const DenseRef& A, const DenseRef& B);

/// X of least norm among those that make |A X - B| least. Singular values below `threshold` (0: rounding) times the
/// largest count as 0; `rank` gets how many are left.
Eigen::MatrixXd SolveLeastNorm(const DenseRef& A, const DenseRef& B, double threshold = 0,
                               Eigen::Index* rank = nullptr);
/// The same for one right-hand side, by operations on vectors.
Eigen::VectorXd SolveLeastNormVector(const DenseRef& A, const Eigen::VectorXd& b, double threshold = 0);

Eigen::MatrixXd PseudoInverse(const DenseRef& A);

/// An orthonormal basis of the columns of A (as many columns as A has rank).
Eigen::MatrixXd OrthonormalBasis(const DenseRef& A, double threshold = 0);

/// Share of each row in its own prediction by a least-squares fit with the Jacobian J, from 0 to 1. Columns are scaled
/// to length 1 first, so that the units of parameters do not matter.
Eigen::VectorXd Leverages(const DenseRef& J);

/// What the columns of `A` leave of `rest`: rows of Q^T rest behind the rank of A = Q R P^T. Its Gram matrix is the
/// Schur complement of the normal equations [A rest]^T [A rest].
Eigen::MatrixXd BehindColumns(const DenseRef& A, const Eigen::MatrixXd& rest, double threshold);

/// R of A = Q R, for an A with at least as many rows as columns.
Eigen::MatrixXd TriangularFactor(const DenseRef& A);

}  // namespace ricochet
