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

}  // namespace ricochet
