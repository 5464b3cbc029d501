// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Normal equations of a least-squares problem along time chains with common numbers:
//
//     [ H   B ] [x]     [g]        H: band of half-width w (unknowns of neighboring instants),
//     [ B'  C ] [p] = - [f]        B: border, C: the few numbers common to all instants.
//
// Rows of the problem are added one by one. H = L L' within the band costs n w^2 operations; the parameters follow from
// the Schur complement S = C - (L^-1 B)'(L^-1 B), whose inverse is their covariance when rows are weighted by their
// noise.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace ricochet {

class BorderedBand {
 public:
  /// n unknowns of half-width w (entries with |i - j| <= w), and p common numbers. All zero.
  void Reset(int n, int w, int p);

  int size() const { return n_; }
  int border() const { return p_; }

  static constexpr std::size_t kMostEntries = 64;  // of a row

  /// Adds the row `value + sum derivative[k] dx[index[k]]`; indices from n on are common numbers, negative ones are
  /// left out. No index occurs twice.
  void AddRow(double value, std::span<const int> index, std::span<const double> derivative);

  /// Factorizes with `damping` times `scale` (one entry per unknown and number) added to the diagonal; an empty scale
  /// adds nothing. False when the matrix is not positive definite.
  bool Factor(double damping = 0, const Eigen::VectorXd& scale = {});

  /// Step (x, p) that minimizes the sum of squares of the added rows, after Factor.
  Eigen::VectorXd Solve() const;

  /// Solution for another right side.
  Eigen::VectorXd Solve(const Eigen::VectorXd& right) const;

  const Eigen::VectorXd& gradient() const { return gradient_; }
  /// Schur complement of the common numbers, undamped after Factor().
  const Eigen::MatrixXd& schur() const { return schur_; }
  /// Its inverse: the covariance of the common numbers; huge for a parameter without information.
  const Eigen::MatrixXd& schur_inverse() const { return schur_inverse_; }

 private:
  double& At(int i, int j) {
    return band_[static_cast<std::size_t>(i) * static_cast<std::size_t>(w_ + 1) + static_cast<std::size_t>(j - i + w_)];
  }

  int n_ = 0, w_ = 0, p_ = 0;
  std::vector<double> band_;     // row i: columns i-w .. i
  std::vector<double> factor_;   // the same layout
  std::vector<double> inverse_;  // of its diagonal
  Eigen::MatrixXd border_, corner_, half_border_, schur_, schur_inverse_;
  Eigen::VectorXd gradient_;
};

}  // namespace ricochet
