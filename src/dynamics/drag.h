// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Air drag on a body: the force -(linear + quadratic |v|) v at its center of mass, v the velocity of that point in the
// world. It has no moment about the center of mass.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "math/jet.h"

namespace ricochet {

/// Resistance (linear + quadratic |v|) v, the force on the air, and its derivative by v.
template <class T>
struct DragResistance {
  Eigen::Matrix<T, 3, 1> force;  // [N]
  Eigen::Matrix<T, 3, 3> by_v;   // [N s/m], symmetric, not negative
};

template <class T>
DragResistance<T> ResistanceOfAir(const T& linear, const T& quadratic, const Eigen::Matrix<T, 3, 1>& v) {
  using std::sqrt;
  DragResistance<T> out{v * linear, Eigen::Matrix<T, 3, 3>::Identity() * linear};
  const T square = v.squaredNorm();
  if (!(ValueOf(square) > 0)) return out;  // the root has no derivative there, and its terms vanish
  const T speed = sqrt(square), along = quadratic / speed;
  out.force += v * (quadratic * speed);
  out.by_v += Eigen::Matrix<T, 3, 3>::Identity() * (quadratic * speed) + v * v.transpose() * along;
  return out;
}

}  // namespace ricochet
