// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rotations of space, as unit quaternions (w, x, y, z) and as rotation vectors w = theta * axis.
//
// With s = |w|^2, Stumpff functions S_n (stumpff.h) and [w] the matrix of w x:
//
//   exp(w) = (S_0(s/4), S_1(s/4) w / 2)             the quaternion (cos theta/2, sin(theta/2) axis)
//   R(w)   = I + S_1 [w] + S_2 [w]^2                (Rodrigues)
//   J_l(w) = I + S_2 [w] + S_3 [w]^2                exp(w + d) = exp(J_l d) exp(w) to first order
//   J_l^-1 = I - [w]/2 + D [w]^2,  D = (S_3 - 2 S_4) / (2 S_2) = (1 - (theta/2) cot(theta/2)) / theta^2
//   J_r(w) = J_l(-w) = J_l(w)^T                     exp(w + d) = exp(w) exp(J_r d) to first order
//
// No formula has a special case at theta = 0 and none cancels there or at pi; J_l is singular at 2 pi.
//
// The logarithm is taken from the quaternion, (w, v) with w >= 0 after a change of sign: theta = 2 atan2(|v|, w) is
// accurate everywhere, near pi too, where a formula from the trace of the matrix keeps only half the digits. Its range
// is theta <= pi. Branch: rotations by pi (w = 0) have two logarithms, pi and -pi times the axis; the one whose first
// non-zero component is positive is returned, so that the result depends on the rotation, not on the sign of the
// quaternion. The log jumps there by 2 pi along the axis; its derivative on either side is J_l^-1.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "math/jet.h"
#include "math/stumpff.h"
#include "math/vector.h"

namespace ricochet {

/// [a]: Skew(a) * b = a x b.
template <class Derived>
auto Skew(const Eigen::MatrixBase<Derived>& a) {
  using T = typename Derived::Scalar;
  const T zero(0);
  Matrix3<T> A;
  A << zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero;
  return A;
}

// --- Quaternions.

template <class T>
Quaternion<T> IdentityQuaternion() {
  return Quaternion<T>(T(1), T(0), T(0), T(0));
}

/// p q: first rotate by q, then by p.
template <class T>
Quaternion<T> QuaternionProduct(const Quaternion<T>& p, const Quaternion<T>& q) {
  return Quaternion<T>(
      p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3], p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
      p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1], p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]);
}

/// The inverse rotation of a unit quaternion.
template <class T>
Quaternion<T> QuaternionConjugate(const Quaternion<T>& q) {
  return Quaternion<T>(q[0], -q[1], -q[2], -q[3]);
}

/// R x for a unit quaternion: x + 2 w (v x x) + 2 v x (v x x).
template <class T>
Vector3<T> Rotate(const Quaternion<T>& q, const Vector3<T>& x) {
  const Vector3<T> v = q.template tail<3>();
  const Vector3<T> t = 2.0 * v.cross(x);
  return x + q[0] * t + v.cross(t);
}

/// R^T x.
template <class T>
Vector3<T> RotateInverse(const Quaternion<T>& q, const Vector3<T>& x) {
  return Rotate<T>(QuaternionConjugate<T>(q), x);
}

/// The matrix of a unit quaternion.
template <class T>
Matrix3<T> RotationMatrix(const Quaternion<T>& q) {
  const T &w = q[0], &x = q[1], &y = q[2], &z = q[3];
  Matrix3<T> R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
      2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),   //
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

/// The unit quaternion, w >= 0, of a rotation matrix (Shepperd 1978: from the largest of its four components, so that
/// nothing is divided by a small number). Rounding errors of R in its length are taken out.
template <class T>
Quaternion<T> QuaternionFromMatrix(const Matrix3<T>& R) {
  // Entries of 4 q q^T; the column of the largest diagonal entry is proportional to q.
  const T trace = R(0, 0) + R(1, 1) + R(2, 2);
  int largest = 0;
  T diagonal = 1.0 + trace;
  for (int i = 0; i < 3; ++i) {
    const T candidate = 1.0 - trace + 2.0 * R(i, i);
    if (candidate > diagonal) {
      diagonal = candidate;
      largest = i + 1;
    }
  }
  Quaternion<T> q;
  if (largest == 0) {
    q << diagonal, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1);
  } else {
    const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = R(k, j) - R(j, k);
    q[1 + i] = diagonal;
    q[1 + j] = R(i, j) + R(j, i);
    q[1 + k] = R(i, k) + R(k, i);
  }
  q /= q.norm();
  return q[0] < 0.0 ? Quaternion<T>(-q) : q;
}

// --- Exponential and logarithm.

namespace internal {

/// 2 atan2(n, w) / n for n = sqrt(m) >= 0, w >= 0, not both 0: the factor from the vector part to the rotation vector.
double RotationVectorScale(double m, double w);

/// Its derivative with respect to m. (With respect to w it is -2 / (m + w^2).)
double RotationVectorScaleSlope(double m, double w);

template <int N>
Jet<N> RotationVectorScale(const Jet<N>& m, const Jet<N>& w) {
  return {RotationVectorScale(m.a, w.a), RotationVectorScaleSlope(m.a, w.a) * m.v - (2 / (m.a + w.a * w.a)) * w.v};
}

/// True when log takes the opposite quaternion: w < 0, or w = 0 and the first non-zero component of v is negative.
template <class T>
bool TakesOppositeQuaternion(const Quaternion<T>& q) {
  for (int i = 0; i < 4; ++i) {
    if (q[i] < 0.0) return true;
    if (q[i] > 0.0) return false;
  }
  return false;
}

}  // namespace internal

/// Unit quaternion of a rotation vector [rad].
template <class Derived>
auto ExpSO3(const Eigen::MatrixBase<Derived>& w) {
  using T = typename Derived::Scalar;
  const Vector3<T> rotation = w;
  const T s = 0.25 * rotation.squaredNorm();
  Quaternion<T> q;
  q[0] = Stumpff<0>(s);
  q.template tail<3>() = (0.5 * Stumpff<1>(s)) * rotation;
  return q;
}

/// Rotation vector of length at most pi. The quaternion need not be of unit length.
template <class T>
Vector3<T> LogSO3(const Quaternion<T>& q) {
  const bool opposite = internal::TakesOppositeQuaternion<T>(q);
  const Vector3<T> v = opposite ? Vector3<T>(-q.template tail<3>()) : Vector3<T>(q.template tail<3>());
  const T w = opposite ? T(-q[0]) : q[0];
  return v * internal::RotationVectorScale(T(v.squaredNorm()), w);
}

/// R of a rotation vector.
template <class Derived>
auto ExpMatrixSO3(const Eigen::MatrixBase<Derived>& w) {
  return RotationMatrix<typename Derived::Scalar>(ExpSO3(w));
}

template <class T>
Vector3<T> LogMatrixSO3(const Matrix3<T>& R) {
  return LogSO3<T>(QuaternionFromMatrix<T>(R));
}

// --- Jacobians.

template <class Derived>
auto LeftJacobianSO3(const Eigen::MatrixBase<Derived>& w) {
  using T = typename Derived::Scalar;
  const T s = w.squaredNorm();
  const Matrix3<T> W = Skew(w);
  return Matrix3<T>(Matrix3<T>::Identity() + Stumpff<2>(s) * W + Stumpff<3>(s) * (W * W));
}

template <class Derived>
auto LeftJacobianInverseSO3(const Eigen::MatrixBase<Derived>& w) {
  using T = typename Derived::Scalar;
  const T s = w.squaredNorm();
  const Matrix3<T> W = Skew(w);
  const T D = (Stumpff<3>(s) - 2.0 * Stumpff<4>(s)) / (2.0 * Stumpff<2>(s));
  return Matrix3<T>(Matrix3<T>::Identity() - 0.5 * W + D * (W * W));
}

template <class Derived>
auto RightJacobianSO3(const Eigen::MatrixBase<Derived>& w) {
  using T = typename Derived::Scalar;
  return Matrix3<T>(LeftJacobianSO3(w).transpose());
}

template <class Derived>
auto RightJacobianInverseSO3(const Eigen::MatrixBase<Derived>& w) {
  using T = typename Derived::Scalar;
  return Matrix3<T>(LeftJacobianInverseSO3(w).transpose());
}

}  // namespace ricochet
