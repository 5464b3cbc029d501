// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rotations of the plane. An angle theta stands for the rotation by theta; states keep it unwrapped (turns are
// counted), and only differences of angles are taken to (-pi, pi].
#pragma once

#include <cmath>
#include <numbers>

#include "math/jet.h"
#include "math/vector.h"

namespace ricochet {

/// R(theta) = [c -s; s c].
template <class T>
Matrix2<T> ExpSO2(const T& theta) {
  using std::cos;
  using std::sin;
  const T c = cos(theta), s = sin(theta);
  Matrix2<T> R;
  R << c, -s, s, c;
  return R;
}

/// The angle in (-pi, pi] of a rotation matrix. A common factor of its entries does no harm.
template <class T>
T LogSO2(const Matrix2<T>& R) {
  using std::atan2;
  return atan2(R(1, 0) - R(0, 1), R(0, 0) + R(1, 1));
}

/// The same direction as theta in [-pi, pi]. Angles already there are returned as they are; others to rounding of the
/// true 2 pi however many turns they count (subtracting multiples of the rounded 2 pi would lose 2e-16 per turn).
inline double WrapAngle(double theta) {
  return std::abs(theta) <= std::numbers::pi ? theta : std::atan2(std::sin(theta), std::cos(theta));
}
template <int N>
Jet<N> WrapAngle(const Jet<N>& theta) {
  return {WrapAngle(theta.a), theta.v};
}

/// a x b of vectors in the plane: the third component of the spatial product.
template <class A, class B>
auto Cross2(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a[0] * b[1] - a[1] * b[0];
}

}  // namespace ricochet
