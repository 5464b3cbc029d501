// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Seeded random vectors and rotations for tests.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "math/vector.h"

namespace ricochet {

class RandomVectors {
 public:
  explicit RandomVectors(unsigned seed) : engine_(seed) {}

  double Uniform(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(engine_); }

  /// lo to hi, both positive, uniform in the logarithm.
  double LogUniform(double lo, double hi) { return std::exp(Uniform(std::log(lo), std::log(hi))); }

  /// Entries uniform in [-1, 1].
  template <int N>
  Eigen::Matrix<double, N, 1> Vector() {
    Eigen::Matrix<double, N, 1> x;
    for (int i = 0; i < N; ++i) x[i] = Uniform(-1, 1);
    return x;
  }

  /// Uniform on the unit sphere of R^N.
  template <int N>
  Eigen::Matrix<double, N, 1> Direction() {
    std::normal_distribution<double> normal;
    Eigen::Matrix<double, N, 1> x;
    do {
      for (int i = 0; i < N; ++i) x[i] = normal(engine_);
    } while (x.norm() < 1e-3);
    return x.normalized();
  }

  /// Uniform over rotations; unit quaternion w, x, y, z.
  ricochet::Quaternion<double> Rotation() { return Direction<4>(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace ricochet
