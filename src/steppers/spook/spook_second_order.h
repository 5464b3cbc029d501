// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Second order for `spook`: RATTLE on rigid bodies, regularized (simulation.options.order: 2).
//
// The paper's stepper is of first order because the joints act with the Jacobian of the old configuration on the new
// velocity; the part of v+ that leaves the tangent space of the new configuration is taken away in the next step, a
// loss of energy of order h. RATTLE (Andersen 1983; Hairer, Lubich, Wanner, sec. VII.1.4) composes symmetric halves
// instead:
//
//     kick    M (v_h - v) = (h/2) f(q) + G(q)^T lambda_1,      g(q') = -(2 eps / h) lambda_1      (stage kPosition)
//     drift   q' = free motion of each body over h
//     kick    M'(v' - v_h') = (h/2) f(q') + G(q')^T lambda_2,  G(q') v' = (g(q') - g(q)) / h - Sigma (lambda_2 -
//     lambda_1)
//                                                              (stage kVelocity), Sigma = 2 eps / h^2
//
// With eps = 0 this is RATTLE: second order, symplectic, time-reversible. The compliance regularizes both halves; for a
// mass m it acts as a spring of the right frequency with numerical damping h / (4 eps m), so that stiff joints follow
// the load without vibration; the relaxation time `damping` is not used. Viscous friction and drives are explicit in
// the first half and implicit in the second (together the trapezoidal rule); dry friction is bounded by the multipliers
// of each half, which is of second order while the joint slides and exact while it sticks.
//
// A motor's shaft is one more body, of inertia J_s and rate s, geared to the joint's coordinate x(q) with row J(q). It
// drifts too: over the step its rate is the mean rate of the coordinate, not the rate that v_h has at either end (they
// differ by O(h) where the row turns with both bodies, and the method would lose an order):
//
//     kick    J_s (s_h - J(q) v) = -mu_1,     s_h = (x(q') - x(q)) / h
//     kick    J_s (J(q') v' - s_h) = -mu_2
//
// with mu along J on the bodies. s_h = J v_h + c, c iterated with the position condition below.
//
// Drift of the rotation, with angular momentum L kept and body rates W constant over the step (Moser and Veselov's
// discretization; symmetric):
//
//     exp(h W / 2) I W = R^T L,    R' = R exp(h W),    w' = R' I^-1 R'^T L.
//
// The position condition is nonlinear in v_h; g(q') - g - h G v_h is iterated to a fixed point with the factors of the
// first solve. The contraction is of order h; a step that does not settle in 60 rounds is reported as failed.
#pragma once

#include <Eigen/LU>
#include <type_traits>

#include "math/so3.h"
#include "model/spatial_model.h"

namespace ricochet {

template <class T>
struct Drift {
  Matrix3<T> R;  // orientation after the step
  Vector3<T> w;  // angular velocity after the step, world axes
};

/// Free rotation over h. `W` is the solution in double (from an earlier call) or zero: with T = double Newton's method
/// runs from it and returns it; with Jets one Newton step from it carries the derivatives.
template <class T>
Drift<T> DriftRotation(const Matrix3<T>& inertia, const Matrix3<T>& R, const Vector3<T>& w, double h,
                       Vector3<double>& W) {
  const Vector3<T> momentum = inertia * (R.transpose() * w);  // R^T L
  const auto newton_matrix = [&](const Vector3<double>& at) {
    const Matrix3<double> I = ValueOf(inertia);
    const Vector3<double> half = (0.5 * h) * at;
    return Matrix3<double>(ExpMatrixSO3(half) * (I - (0.5 * h) * Skew(I * at) * RightJacobianSO3(half)));
  };
  const auto equation = [&](const auto& at) {
    using S = typename std::decay_t<decltype(at)>::Scalar;
    return Vector3<S>(ExpMatrixSO3(Vector3<S>((0.5 * h) * at)) * (inertia.template cast<S>() * at) -
                      momentum.template cast<S>());
  };
  Vector3<T> rate;
  if constexpr (std::is_same_v<T, double>) {
    W = R.transpose() * w;
    for (int i = 0; i < 20; ++i) {
      const Vector3<double> step = newton_matrix(W).partialPivLu().solve(equation(W));
      W -= step;
      if (step.norm() <= 1e-15 * W.norm()) break;
    }
    rate = W;
  } else {
    const Matrix3<double> inverse = newton_matrix(W).inverse();
    rate = W.template cast<T>();
    rate -= inverse.template cast<T>() * equation(rate);
  }
  Drift<T> out;
  const Matrix3<T> turn = ExpMatrixSO3(Vector3<T>(h * rate));
  out.R = R * turn;
  // I^-1 in T through the adjugate: small and exact.
  out.w = out.R * Vector3<T>(inertia.inverse() * (turn.transpose() * momentum));
  return out;
}

}  // namespace ricochet
