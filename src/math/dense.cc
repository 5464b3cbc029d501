// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace ricochet {

Eigen::MatrixXd SymmetricEigen::Root() const { return vectors * values.cwiseMax(0.0).cwiseSqrt().asDiagonal(); }

SymmetricEigen EigenOfSymmetric(const DenseRef& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SingularDecomposition DecomposeSingular(const DenseRef& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  return {svd.matrixU(), svd.singularValues(), svd.matrixV()};
}

Eigen::MatrixXd SolveSymmetric(const DenseRef& A, const DenseRef& B) {
  return Eigen::LDLT<Eigen::MatrixXd>(A).solve(B);
}

Eigen::VectorXd SolveSymmetricVector(const DenseRef& A, const Eigen::VectorXd& b) {
  return Eigen::LDLT<Eigen::MatrixXd>(A).solve(b);
}

Eigen::MatrixXd SolveFullyPivoted(const DenseRef& A, const DenseRef& B) {
  return Eigen::FullPivLU<Eigen::MatrixXd>(A).solve(B);
}

Eigen::MatrixXd SolveLeastNorm(const DenseRef& A, const DenseRef& B, double threshold, Eigen::Index* rank) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(A.rows(), A.cols());
  if (threshold > 0) factors.setThreshold(threshold);
  factors.compute(A);
  if (rank != nullptr) *rank = factors.rank();
  return factors.solve(B);
}

Eigen::VectorXd SolveLeastNormVector(const DenseRef& A, const Eigen::VectorXd& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors(A.rows(), A.cols());
  if (threshold > 0) factors.setThreshold(threshold);
  return factors.compute(A).solve(b);
}

Eigen::MatrixXd PseudoInverse(const DenseRef& A) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).pseudoInverse();
}

namespace {

Eigen::ColPivHouseholderQR<Eigen::MatrixXd> PivotedQr(const DenseRef& A, double threshold) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.rows(), A.cols());
  if (threshold > 0) qr.setThreshold(threshold);
  qr.compute(A);
  return qr;
}

}  // namespace

Eigen::MatrixXd OrthonormalBasis(const DenseRef& A, double threshold) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr = PivotedQr(A, threshold);
  return qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), qr.rank());
}

Eigen::VectorXd Leverages(const DenseRef& J) {
  Eigen::VectorXd norms = J.colwise().norm();
  for (double& norm : norms)
    if (norm <= 0) norm = 1;
  return OrthonormalBasis(J * norms.cwiseInverse().asDiagonal()).rowwise().squaredNorm();
}

Eigen::MatrixXd BehindColumns(const DenseRef& A, const Eigen::MatrixXd& rest, double threshold) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr = PivotedQr(A, threshold);
  Eigen::MatrixXd rotated = rest;
  rotated.applyOnTheLeft(qr.householderQ().adjoint());
  return rotated.bottomRows(A.rows() - qr.rank());
}

Eigen::MatrixXd TriangularFactor(const DenseRef& A) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
  return qr.matrixQR().topRows(A.cols()).triangularView<Eigen::Upper>();
}

}  // namespace ricochet
