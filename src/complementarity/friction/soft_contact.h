// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact with compliance in the normals: friction_contact.h with xi_N = D P + b + s P_N.
//
// A contact point of compliance c [m/N] and relaxation time tau [s] pushes with N = (depth + tau x rate) / c. Over a
// step of Moreau's scheme the gap ends at g + h/2 gamma_N^+, with g at the midpoint, and P_N = h N is taken there:
//
//   P_N c / h = -(g + h/2 gamma^+) - tau gamma^+    =>    gamma^+ + s P_N - u = 0,
//   s = c / (h (h/2 + tau)),   u = -g / (h/2 + tau),      0 <= P_N _|_ gamma^+ + s P_N - u >= 0.
//
// It is what other engines call error reduction (h / (h/2 + tau)) and constraint force mixing (s / h). The step itself
// damps like a relaxation time of h/2.
//
// No solver of its own is needed: s P_N is the velocity that P_N gives a second body, one per contact, that takes part
// in nothing else and meets the contact through the row sqrt(s) along the normal. With s > 0 the normal impulses are
// unique, also on four corners.
#pragma once

#include <cmath>

#include "complementarity/friction/friction_contact.h"
#include "math/jet.h"

namespace ricochet {

/// Softness and the speed at which the depth is left.
template <class T>
struct SoftNormal {
  T softness;  // s [1/kg]
  T speed;     // u [m/s]
};
template <class T>
SoftNormal<T> SoftNormalOf(const T& compliance, const T& damping, double h, const T& gap) {
  const T time = damping + 0.5 * h;
  return {compliance / (time * h), -gap / time};
}

/// Rows of the second body of a soft contact.
template <class T>
Eigen::Matrix<T, 6, 3> SoftRows(const T& softness) {
  using std::sqrt;
  Eigen::Matrix<T, 6, 3> rows = Eigen::Matrix<T, 6, 3>::Zero();
  rows(0, 2) = sqrt(softness);
  return rows;
}

}  // namespace ricochet
