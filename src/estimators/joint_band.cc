// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/joint_band.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace ricochet {

void BorderedBand::Reset(int n, int w, int p) {
  n_ = n;
  w_ = w;
  p_ = p;
  band_.assign(static_cast<std::size_t>(n) * static_cast<std::size_t>(w + 1), 0.0);
  border_.setZero(n, p);
  corner_.setZero(p, p);
  gradient_.setZero(n + p);
}

void BorderedBand::AddRow(double value, std::span<const int> index, std::span<const double> derivative) {
  for (std::size_t a = 0; a < index.size(); ++a) {
    const int i = index[a];
    const double da = derivative[a];
    if (i < 0 || da == 0) continue;
    gradient_[i] += da * value;
    for (std::size_t b = 0; b < index.size(); ++b) {
      const int j = index[b];
      if (j < 0 || j > i || derivative[b] == 0) continue;
      if (i < n_)
        At(i, j) += da * derivative[b];
      else if (j < n_)
        border_(j, i - n_) += da * derivative[b];
      else
        corner_(i - n_, j - n_) += da * derivative[b];
    }
  }
}

bool BorderedBand::Factor(double damping, const Eigen::VectorXd& scale) {
  factor_ = band_;
  const std::size_t stride = static_cast<std::size_t>(w_ + 1);
  for (int i = 0; i < n_; ++i) {
    double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    if (scale.size() > 0) row[w_] += damping * scale[i];
    const int first = std::max(0, i - w_);
    for (int j = first; j <= i; ++j) {
      const double* other = factor_.data() + static_cast<std::size_t>(j) * stride;
      // Columns that both rows hold.
      const int from = std::max(first, j - w_);
      double sum = row[j - i + w_];
      const double* a = row + (from - i + w_);
      const double* b = other + (from - j + w_);
      for (int k = from; k < j; ++k) sum -= *a++ * *b++;
      if (j < i) {
        row[j - i + w_] = sum / other[w_];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[w_] = std::sqrt(sum);
      }
    }
  }
  half_border_ = border_;
  for (int i = 0; i < n_; ++i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    for (int c = 0; c < p_; ++c) {
      double sum = half_border_(i, c);
      for (int k = std::max(0, i - w_); k < i; ++k) sum -= row[k - i + w_] * half_border_(k, c);
      half_border_(i, c) = sum / row[w_];
    }
  }
  Eigen::MatrixXd corner = corner_;
  corner.triangularView<Eigen::StrictlyUpper>() = corner.transpose();
  for (int c = 0; c < p_; ++c)
    if (scale.size() > 0) corner(c, c) += damping * scale[n_ + c];
  schur_ = corner - half_border_.transpose() * half_border_;
  if (p_ == 0) return true;
  // Numbers that no row depends on, or that rounding leaves open, stay where they are: a floor for the eigenvalues in
  // units of the corner.
  Eigen::VectorXd unit(p_);
  for (int c = 0; c < p_; ++c) unit[c] = corner(c, c) > 0 ? std::sqrt(corner(c, c)) : 1.0;
  const Eigen::MatrixXd scaled = unit.cwiseInverse().asDiagonal() * schur_ * unit.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  if (eigen.info() != Eigen::Success) return false;
  const Eigen::MatrixXd vectors = unit.cwiseInverse().asDiagonal() * eigen.eigenvectors();
  schur_inverse_ = vectors * eigen.eigenvalues().cwiseMax(1e-13).cwiseInverse().asDiagonal() * vectors.transpose();
  return true;
}

Eigen::VectorXd BorderedBand::Solve() const { return Solve(-gradient_); }

Eigen::VectorXd BorderedBand::Solve(const Eigen::VectorXd& right) const {
  const std::size_t stride = static_cast<std::size_t>(w_ + 1);
  Eigen::VectorXd x = right;
  for (int i = 0; i < n_; ++i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    double sum = x[i];
    for (int k = std::max(0, i - w_); k < i; ++k) sum -= row[k - i + w_] * x[k];
    x[i] = sum / row[w_];
  }
  if (p_ > 0) {
    const Eigen::VectorXd p = schur_inverse_ * (x.tail(p_) - half_border_.transpose() * x.head(n_));
    x.tail(p_) = p;
    x.head(n_) -= half_border_ * p;
  }
  for (int i = n_ - 1; i >= 0; --i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    x[i] /= row[w_];
    for (int k = std::max(0, i - w_); k < i; ++k) x[k] -= row[k - i + w_] * x[i];
  }
  return x;
}

}  // namespace ricochet
