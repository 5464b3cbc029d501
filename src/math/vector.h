// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Short names for small matrices over any scalar (double or Jet).
#pragma once

#include <Eigen/Core>

namespace ricochet {

template <class T>
using Vector2 = Eigen::Matrix<T, 2, 1>;
template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Vector6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using Matrix2 = Eigen::Matrix<T, 2, 2>;
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Matrix6 = Eigen::Matrix<T, 6, 6>;

/// Components w, x, y, z, as in recordings and states (Eigen::Quaternion stores w last; it is not used).
template <class T>
using Quaternion = Eigen::Matrix<T, 4, 1>;

/// Largest of |v_i|; 0 when there are none.
inline double MaxAbs(const Eigen::Ref<const Eigen::VectorXd>& v) {
  return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
}

/// A unit vector across `z`: world x projected on the plane across z, or world y if that is shorter than 0.5.
template <class T>
Vector3<T> FirstAxisAcross(const Vector3<T>& z) {
  const auto projected = [&](const Vector3<T>& v) { return Vector3<T>(v - z * z.dot(v)); };
  Vector3<T> x = projected(Vector3<T>::UnitX());
  if (x.norm() < 0.5) x = projected(Vector3<T>::UnitY());
  return x.normalized();
}

}  // namespace ricochet
