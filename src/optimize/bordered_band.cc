// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "optimize/bordered_band.h"

#include <algorithm>
#include <cmath>

#include "math/dense.h"

namespace ricochet {
namespace {

/// Inner product with four partial sums, which do not wait for each other.
double Dot(const double* a, const double* b, int n) {
  double sum[4] = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4)
    for (int i = 0; i < 4; ++i) sum[i] += a[k + i] * b[k + i];
  for (; k < n; ++k) sum[0] += a[k] * b[k];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

}  // namespace

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
  // What takes part, common numbers after the others: most entries of a row are 0.
  std::array<int, kMostEntries> at;
  std::array<double, kMostEntries> slope;
  std::size_t inner = 0, outer = kMostEntries;
  for (std::size_t k = 0; k < index.size(); ++k) {
    if (index[k] < 0 || derivative[k] == 0) continue;
    const std::size_t place = index[k] < n_ ? inner++ : --outer;
    at[place] = index[k];
    slope[place] = derivative[k];
    gradient_[index[k]] += derivative[k] * value;
  }
  for (std::size_t a = 0; a < inner; ++a)
    for (std::size_t b = 0; b <= a; ++b) (at[a] > at[b] ? At(at[a], at[b]) : At(at[b], at[a])) += slope[a] * slope[b];
  for (std::size_t a = outer; a < kMostEntries; ++a) {
    for (std::size_t b = 0; b < inner; ++b) border_(at[b], at[a] - n_) += slope[a] * slope[b];
    for (std::size_t b = a; b < kMostEntries; ++b) {
      const auto [low, high] = std::minmax(at[a], at[b]);
      corner_(high - n_, low - n_) += slope[a] * slope[b];
    }
  }
}

bool BorderedBand::Factor(double damping, const Eigen::VectorXd& scale) {
  factor_ = band_;
  inverse_.resize(static_cast<std::size_t>(n_));
  const std::size_t stride = static_cast<std::size_t>(w_ + 1);
  for (int i = 0; i < n_; ++i) {
    double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    if (scale.size() > 0) row[w_] += damping * scale[i];
    const int first = std::max(0, i - w_);
    for (int j = first; j <= i; ++j) {
      const double* other = factor_.data() + static_cast<std::size_t>(j) * stride;
      // Columns that both rows hold.
      const int from = std::max(first, j - w_);
      const double sum = row[j - i + w_] - Dot(row + (from - i + w_), other + (from - j + w_), j - from);
      if (j < i) {
        row[j - i + w_] = sum * inverse_[static_cast<std::size_t>(j)];
      } else {
        if (!(sum > 0) || !std::isfinite(sum)) return false;
        row[w_] = std::sqrt(sum);
        inverse_[static_cast<std::size_t>(i)] = 1 / row[w_];
      }
    }
  }
  half_border_ = border_;
  for (int i = 0; i < n_; ++i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    const int first = std::max(0, i - w_);
    for (int c = 0; c < p_; ++c) {
      double* column = half_border_.col(c).data();
      column[i] =
          (column[i] - Dot(row + (first - i + w_), column + first, i - first)) * inverse_[static_cast<std::size_t>(i)];
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
  const SymmetricEigen eigen = EigenOfSymmetric(scaled);
  if (!eigen.found) return false;
  const Eigen::MatrixXd vectors = unit.cwiseInverse().asDiagonal() * eigen.vectors;
  schur_inverse_ = vectors * eigen.values.cwiseMax(1e-13).cwiseInverse().asDiagonal() * vectors.transpose();
  return true;
}

Eigen::VectorXd BorderedBand::Solve() const { return Solve(-gradient_); }

Eigen::VectorXd BorderedBand::Solve(const Eigen::VectorXd& right) const {
  const std::size_t stride = static_cast<std::size_t>(w_ + 1);
  Eigen::VectorXd x = right;
  for (int i = 0; i < n_; ++i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    const int first = std::max(0, i - w_);
    x[i] = (x[i] - Dot(row + (first - i + w_), x.data() + first, i - first)) * inverse_[static_cast<std::size_t>(i)];
  }
  if (p_ > 0) {
    const Eigen::VectorXd p = schur_inverse_ * (x.tail(p_) - half_border_.transpose() * x.head(n_));
    x.tail(p_) = p;
    x.head(n_) -= half_border_ * p;
  }
  for (int i = n_ - 1; i >= 0; --i) {
    const double* row = factor_.data() + static_cast<std::size_t>(i) * stride;
    x[i] *= inverse_[static_cast<std::size_t>(i)];
    for (int k = std::max(0, i - w_); k < i; ++k) x[k] -= row[k - i + w_] * x[i];
  }
  return x;
}

}  // namespace ricochet
