// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where increments of poses live, decided once for the whole program.
//
// Poses are points of manifolds; derivatives, covariances and steps of optimizers are in their tangent spaces. An
// increment of a pose is in WORLD axes and acts from the left on the rotation:
//
//   planar   (x, y, theta)        [+] (dx, dy, dtheta)  =  (x + dx, y + dy, theta + dtheta)
//   spatial  (p, q), q w x y z    [+] (dp, dw)          =  (p + dp, exp(dw) q)
//
// so that the increment over a short time is the time multiplied by the velocities that states and recordings hold (of
// the center of mass, angular velocity in world axes). The translation does not turn with the rotation: this is
// R^3 x SO(3), not SE(3). [-] is the inverse: b [+] (a [-] b) = a.
//
//   d(a [-] b)/da = J_l^-1,   d(a [-] b)/db = -J_r^-1   at the rotation vector of a [-] b; see so3.h.
//
// Poses are passed as vectors, as they stand in states: planar 3 numbers, spatial 7.
#pragma once

#include <Eigen/Core>

#include "math/jet.h"
#include "math/so2.h"
#include "math/so3.h"
#include "math/vector.h"

namespace ricochet {

template <class T>
using PlanarPose = Eigen::Matrix<T, 3, 1>;  // x, y, theta
template <class T>
using SpatialPose = Eigen::Matrix<T, 7, 1>;  // p, quaternion w, x, y, z

// --- Rotations alone.

/// exp(dw) q.
template <class T>
Quaternion<T> BoxPlusRotation(const Quaternion<T>& q, const Vector3<T>& dw) {
  return QuaternionProduct<T>(ExpSO3(dw), q);
}

/// The dw of length at most pi for which a = exp(dw) b.
template <class T>
Vector3<T> BoxMinusRotation(const Quaternion<T>& a, const Quaternion<T>& b) {
  return LogSO3<T>(QuaternionProduct<T>(a, QuaternionConjugate<T>(b)));
}

// --- Poses.

/// The angle keeps counting turns.
template <class T>
PlanarPose<T> BoxPlus(const PlanarPose<T>& pose, const Vector3<T>& delta) {
  return pose + delta;
}

/// The difference of the angles is taken to [-pi, pi].
template <class T>
Vector3<T> BoxMinus(const PlanarPose<T>& a, const PlanarPose<T>& b) {
  Vector3<T> delta = a - b;
  delta[2] = WrapAngle(delta[2]);
  return delta;
}

template <class T>
SpatialPose<T> BoxPlus(const SpatialPose<T>& pose, const Vector6<T>& delta) {
  SpatialPose<T> result;
  result << pose.template head<3>() + delta.template head<3>(),
      BoxPlusRotation<T>(pose.template tail<4>(), delta.template tail<3>());
  return result;
}

template <class T>
Vector6<T> BoxMinus(const SpatialPose<T>& a, const SpatialPose<T>& b) {
  Vector6<T> delta;
  delta << a.template head<3>() - b.template head<3>(), BoxMinusRotation<T>(a.template tail<4>(), b.template tail<4>());
  return delta;
}

/// d(a [-] b)/da at delta = a [-] b of spatial poses.
inline Matrix6<double> BoxMinusByFirst(const Vector6<double>& delta) {
  Matrix6<double> J = Matrix6<double>::Identity();
  J.bottomRightCorner<3, 3>() = LeftJacobianInverseSO3(delta.tail<3>());
  return J;
}

/// d(a [-] b)/db.
inline Matrix6<double> BoxMinusBySecond(const Vector6<double>& delta) {
  Matrix6<double> J = -Matrix6<double>::Identity();
  J.bottomRightCorner<3, 3>() = -RightJacobianInverseSO3(delta.tail<3>());
  return J;
}

// --- Between increments and the gradients of Jets.

/// The rotation q as a function of its increment: exp(dw) q with dw the variables first .. first + 2, at dw = 0.
template <int N>
Quaternion<Jet<N>> SeedRotation(const Quaternion<double>& q, int first) {
  // d/d(dw) of exp(dw) q at 0 is (0, dw / 2) q.
  Quaternion<Jet<N>> seeded = q.template cast<Jet<N>>();
  for (int i = 0; i < 3; ++i) {
    Quaternion<double> half = Quaternion<double>::Zero();
    half[1 + i] = 0.5;
    const Quaternion<double> dq = QuaternionProduct<double>(half, q);
    for (int k = 0; k < 4; ++k) seeded[k].v[first + i] = dq[k];
  }
  return seeded;
}

/// The inverse: how the increment of the rotation depends on the variables, 3 x N. For a unit quaternion of Jets,
/// dw = 2 vec(dq q*); a change of its length, which is no rotation, falls out.
template <int N>
Eigen::Matrix<double, 3, N> RotationJacobian(const Quaternion<Jet<N>>& q) {
  const Quaternion<double> inverse = QuaternionConjugate<double>(ValueOf(q));
  Eigen::Matrix<double, 3, N> jacobian;
  for (int column = 0; column < N; ++column) {
    const Quaternion<double> dq(q[0].v[column], q[1].v[column], q[2].v[column], q[3].v[column]);
    jacobian.col(column) = 2 * QuaternionProduct<double>(dq, inverse).template tail<3>();
  }
  return jacobian;
}

}  // namespace ricochet
