// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Rigid motions of the plane. A pose X_AB = (x, y, theta): origin of B in A and the angle of B's axes; angles are not
// wrapped. A twist is (v, omega), linear first. With s = theta^2 and the Stumpff functions S_n(s) (stumpff.h):
//
//   exp(v, theta) = (V v, theta),    V = [S1, -theta S2; theta S2, S1]
//   V^-1 = [alpha, theta/2; -theta/2, alpha],    alpha = (theta/2) cot(theta/2) = 1 - s (S3 - 2 S4) / (2 S2)
//
// Jacobians J_l, J_r:  exp(xi + d) = exp(J_l d) exp(xi) = exp(xi) exp(J_r d) to first order, J_r(xi) = J_l(-xi)
// (Sola, Deray, Atchuthan 2018, "A micro Lie theory", eq. 163, 164). All are smooth at theta = 0, also for Jets; log
// and the inverse Jacobians are for |theta| < 2 pi, where V is regular.
#pragma once

#include <cmath>

#include "math/jet.h"
#include "math/so2.h"
#include "math/stumpff.h"
#include "math/vector.h"

namespace ricochet {

/// X_AC = X_AB X_BC.
template <class T>
Vector3<T> ComposeSE2(const Vector3<T>& X_AB, const Vector3<T>& X_BC) {
  Vector3<T> X_AC;
  X_AC.template head<2>() = X_AB.template head<2>() + ExpSO2<T>(X_AB[2]) * X_BC.template head<2>();
  X_AC[2] = X_AB[2] + X_BC[2];
  return X_AC;
}

template <class T>
Vector3<T> InverseSE2(const Vector3<T>& X_AB) {
  Vector3<T> X_BA;
  X_BA.template head<2>() = -(ExpSO2<T>(-X_AB[2]) * X_AB.template head<2>());
  X_BA[2] = -X_AB[2];
  return X_BA;
}

namespace internal {

/// V(theta) of the exponential.
template <class T>
Matrix2<T> ScrewSE2(const T& theta) {
  const T s = theta * theta, a = Stumpff<1>(s), b = theta * Stumpff<2>(s);
  Matrix2<T> V;
  V << a, -b, b, a;
  return V;
}

template <class T>
Matrix2<T> ScrewInverseSE2(const T& theta) {
  const T s = theta * theta, half = 0.5 * theta;
  const T alpha = 1.0 - s * (Stumpff<3>(s) - 2.0 * Stumpff<4>(s)) / (2.0 * Stumpff<2>(s));
  Matrix2<T> V_inverse;
  V_inverse << alpha, half, -half, alpha;
  return V_inverse;
}

/// Last column of J_l above its 1.
template <class T>
Vector2<T> ScrewDerivativeSE2(const Vector3<T>& xi) {
  const T s = xi[2] * xi[2], s2 = Stumpff<2>(s), c = xi[2] * Stumpff<3>(s);
  return {c * xi[0] + s2 * xi[1], c * xi[1] - s2 * xi[0]};
}

}  // namespace internal

template <class T>
Vector3<T> ExpSE2(const Vector3<T>& xi) {
  Vector3<T> X;
  X.template head<2>() = internal::ScrewSE2<T>(xi[2]) * xi.template head<2>();
  X[2] = xi[2];
  return X;
}

/// The twist with angle in [-pi, pi] that leads to X.
template <class T>
Vector3<T> LogSE2(const Vector3<T>& X) {
  Vector3<T> xi;
  xi[2] = WrapAngle(X[2]);
  xi.template head<2>() = internal::ScrewInverseSE2<T>(xi[2]) * X.template head<2>();
  return xi;
}

/// Ad_X: X exp(xi) X^-1 = exp(Ad_X xi).
template <class T>
Matrix3<T> AdjointSE2(const Vector3<T>& X) {
  Matrix3<T> Ad = Matrix3<T>::Identity();
  Ad.template topLeftCorner<2, 2>() = ExpSO2<T>(X[2]);
  Ad(0, 2) = X[1];
  Ad(1, 2) = -X[0];
  return Ad;
}

template <class T>
Matrix3<T> LeftJacobianSE2(const Vector3<T>& xi) {
  Matrix3<T> J = Matrix3<T>::Identity();
  J.template topLeftCorner<2, 2>() = internal::ScrewSE2<T>(xi[2]);
  J.template topRightCorner<2, 1>() = internal::ScrewDerivativeSE2<T>(xi);
  return J;
}

template <class T>
Matrix3<T> LeftJacobianInverseSE2(const Vector3<T>& xi) {
  Matrix3<T> J = Matrix3<T>::Identity();
  const Matrix2<T> V_inverse = internal::ScrewInverseSE2<T>(xi[2]);
  J.template topLeftCorner<2, 2>() = V_inverse;
  J.template topRightCorner<2, 1>() = -(V_inverse * internal::ScrewDerivativeSE2<T>(xi));
  return J;
}

template <class T>
Matrix3<T> RightJacobianSE2(const Vector3<T>& xi) {
  return LeftJacobianSE2<T>(-xi);
}

template <class T>
Matrix3<T> RightJacobianInverseSE2(const Vector3<T>& xi) {
  return LeftJacobianInverseSE2<T>(-xi);
}

}  // namespace ricochet
