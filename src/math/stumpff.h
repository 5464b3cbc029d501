// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Stumpff functions: the scalar coefficients of every exponential, logarithm and Jacobian of rotations.
//
//   S_n(s) = 1/n! - s/(n+2)! + s^2/(n+4)! - ...,  s = theta^2 >= 0
//
//   S_0 = cos theta,  S_1 = sin theta / theta,  S_2 = (1 - cos theta) / theta^2,  S_3 = (theta - sin theta) / theta^3,
//   ...
//
// They are entire functions of s, so that, written in them, formulas of Lie groups have no special case at theta = 0:
// the square root, which has no derivative there, is never taken of a Jet. Two identities do the rest:
//
//   S_n = 1/n! - s S_(n+2),     dS_n/ds = (n S_(n+2) - S_(n+1)) / 2.
//
// Values are accurate to a few roundings for all s from 0 to (2 pi)^2 and n <= 8 (relative to S_n; S_0 and S_1, which
// have zeros, as accurately as cos and sin are).
#pragma once

#include "math/jet.h"

namespace ricochet {

/// S_n(s) for 0 <= n <= 8.
double StumpffValue(int n, double s);

template <int n>
double Stumpff(double s) {
  static_assert(n >= 0 && n <= 8);
  return StumpffValue(n, s);
}

template <int n, int N>
Jet<N> Stumpff(const Jet<N>& s) {
  static_assert(n >= 0 && n <= 6);
  const double slope = 0.5 * (n * StumpffValue(n + 2, s.a) - StumpffValue(n + 1, s.a));
  return {StumpffValue(n, s.a), slope * s.v};
}

}  // namespace ricochet
