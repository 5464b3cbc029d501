// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rigid motions of space. A twist is xi = (v, w), linear first. exp_SE3 of a body twist times a time is the motion of a
// body whose velocity, seen from the body, stays (v, w):
//
//   exp(v, w) = (J_l(w) v, exp(w)),     log(p, q) = (J_l(w)^-1 p, w) with w = log q,     J_l of SO(3) (so3.h)
//
// Jacobians: exp(xi + d) = exp(J_l d) exp(xi) = exp(xi) exp(J_r d) to first order, J_r(xi) = J_l(-xi), with
//
//   J_l(v, w) = [J Q; 0 J],   J_l^-1 = [J^-1, -J^-1 Q J^-1; 0, J^-1],   J = J_l(w) of SO(3), V = [v], W = [w],
//   Q = V/2 + S_3 (W V + V W + W V W) + S_4 (W W V + V W W - 3 W V W) + (S_4 - 3 S_5)/2 (W V W W + W W V W)
//
// (Barfoot 2017, "State estimation for robotics", eq. 7.86; his quotients of sines and cosines are Stumpff functions of
// |w|^2, see stumpff.h, so that angle 0 is no special case.)
#pragma once

#include "math/jet.h"
#include "math/so3.h"
#include "math/stumpff.h"
#include "math/vector.h"

namespace ricochet {

/// A pose X_AB: origin p of B in A, and the unit quaternion of B's axes in A.
template <class T>
struct SE3 {
  Vector3<T> p = Vector3<T>::Zero();
  Quaternion<T> q = IdentityQuaternion<T>();

  /// X_AC = X_AB X_BC.
  SE3 operator*(const SE3& X_BC) const { return {p + Rotate<T>(q, X_BC.p), QuaternionProduct<T>(q, X_BC.q)}; }
  /// p_AC = X_AB p_BC.
  Vector3<T> operator*(const Vector3<T>& p_BC) const { return p + Rotate<T>(q, p_BC); }
  SE3 Inverse() const { return {-RotateInverse<T>(q, p), QuaternionConjugate<T>(q)}; }
};

template <class T>
SE3<T> ExpSE3(const Vector6<T>& xi) {
  const Vector3<T> w = xi.template tail<3>();
  return {LeftJacobianSO3(w) * xi.template head<3>(), ExpSO3(w)};
}

/// The twist with |w| <= pi; branch at pi as for LogSO3.
template <class T>
Vector6<T> LogSE3(const SE3<T>& X) {
  const Vector3<T> w = LogSO3<T>(X.q);
  Vector6<T> xi;
  xi << LeftJacobianInverseSO3(w) * X.p, w;
  return xi;
}

/// Ad_X: X exp(xi) X^-1 = exp(Ad_X xi).  Ad = [R, [p] R; 0, R].
template <class T>
Matrix6<T> AdjointSE3(const SE3<T>& X) {
  const Matrix3<T> R = RotationMatrix<T>(X.q);
  Matrix6<T> Ad = Matrix6<T>::Zero();
  Ad.template topLeftCorner<3, 3>() = R;
  Ad.template topRightCorner<3, 3>() = Skew(X.p) * R;
  Ad.template bottomRightCorner<3, 3>() = R;
  return Ad;
}

namespace internal {

template <class T>
Matrix3<T> CouplingSE3(const Vector6<T>& xi) {
  const Vector3<T> w = xi.template tail<3>();
  const T s = w.squaredNorm(), s4 = Stumpff<4>(s);
  const Matrix3<T> V = Skew(xi.template head<3>()), W = Skew(w);
  const Matrix3<T> WV = W * V, VW = V * W, WVW = WV * W;
  return 0.5 * V + Stumpff<3>(s) * (WV + VW + WVW) + s4 * (W * WV + VW * W - 3.0 * WVW) +
         (0.5 * (s4 - 3.0 * Stumpff<5>(s))) * (WVW * W + W * WVW);
}

}  // namespace internal

template <class T>
Matrix6<T> LeftJacobianSE3(const Vector6<T>& xi) {
  const Matrix3<T> J = LeftJacobianSO3(xi.template tail<3>());
  Matrix6<T> result = Matrix6<T>::Zero();
  result.template topLeftCorner<3, 3>() = J;
  result.template topRightCorner<3, 3>() = internal::CouplingSE3<T>(xi);
  result.template bottomRightCorner<3, 3>() = J;
  return result;
}

template <class T>
Matrix6<T> LeftJacobianInverseSE3(const Vector6<T>& xi) {
  const Matrix3<T> J_inverse = LeftJacobianInverseSO3(xi.template tail<3>());
  Matrix6<T> result = Matrix6<T>::Zero();
  result.template topLeftCorner<3, 3>() = J_inverse;
  result.template topRightCorner<3, 3>() = -(J_inverse * internal::CouplingSE3<T>(xi) * J_inverse);
  result.template bottomRightCorner<3, 3>() = J_inverse;
  return result;
}

template <class T>
Matrix6<T> RightJacobianSE3(const Vector6<T>& xi) {
  return LeftJacobianSE3<T>(-xi);
}

template <class T>
Matrix6<T> RightJacobianInverseSE3(const Vector6<T>& xi) {
  return LeftJacobianInverseSE3<T>(-xi);
}

}  // namespace ricochet
