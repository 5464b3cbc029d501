// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Free motion of one rigid body over the two halves of a Moreau step, for any scalar (double, or Jet for derivatives).
//
// V = (v, w) is the twist of the center of mass in body axes, M = diag(m, m, m, I). The paper's scheme (`explicit`):
//
//   (R_M, o_M) = (R, o) exp_SE3(h/2 V)                                                    half a step with the old
//   twist V_f = V + h M^-1 ((R_M^T m g, 0) - (w x m v, w x I w)) + M^-1 (loads)                 free twist V_E = V_f +
//   M^-1 sum W_i(R_M) P_i                                                     contact (R, o)+ = (R_M, o_M) exp_SE3(h/2
//   V_E)                                                 half a step with the new one
//
// Its explicit w x I w gains energy. `conserving` is drift, kick, drift: each half step is the free motion
//
//   o <- o + h/2 v_W,   I (w1 - w0) = -h/2 wm x I wm,  wm = (w0 + w1)/2,   R <- R cay(h/2 wm),
//
// the implicit midpoint rule with Cayley's map (Austin, Krishnaprasad and Wang, 1993), which keeps rotational energy
// and angular momentum in the world exactly, and the kick v_W + h g, w + M^-1 (loads, contacts) acts at the midpoint
// pose. In flight total energy is then exact. In contact the body rises by h/2 times what the contact added to its
// velocity, more than it would have in flight, and gravity pays for it: energy changes by (kinetic energy from free to
// end twist) - h/2 m g . (v_E - v_f). Where that is positive on standing surfaces (a contact that was opening and is
// closed again by gravity), the body is set down by what is too much, a few micrometers: EnergyExcess.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <type_traits>
#include <vector>

#include "math/jet.h"
#include "math/se3.h"
#include "math/so3.h"
#include "math/vector.h"

namespace ricochet {

enum class RotationScheme { kExplicit, kConserving };

/// Inertia of a body, and its root: M = S S^T with S = diag(sqrt(m) I, L), L lower triangular.
template <class T>
struct SpatialInertia {
  T mass, root_mass, inverse_root_mass;
  Matrix3<T> I;  // about the center of mass, body axes
  Matrix3<T> I_inverse;
  Matrix3<T> L_inverse;  // lower triangular, I = L L^T

  SpatialInertia() = default;
  SpatialInertia(const T& m, const Matrix3<T>& inertia) : mass(m), I(inertia) {
    using std::sqrt;
    root_mass = sqrt(m);
    inverse_root_mass = 1.0 / root_mass;
    const T l00 = sqrt(I(0, 0)), l10 = I(1, 0) / l00, l20 = I(2, 0) / l00;
    const T l11 = sqrt(I(1, 1) - l10 * l10), l21 = (I(2, 1) - l20 * l10) / l11;
    const T l22 = sqrt(I(2, 2) - l20 * l20 - l21 * l21);
    L_inverse.setZero();
    L_inverse(0, 0) = 1.0 / l00;
    L_inverse(1, 1) = 1.0 / l11;
    L_inverse(2, 2) = 1.0 / l22;
    L_inverse(1, 0) = -l10 * L_inverse(0, 0) / l11;
    L_inverse(2, 1) = -l21 * L_inverse(1, 1) / l22;
    L_inverse(2, 0) = -(l20 * L_inverse(0, 0) + l21 * L_inverse(1, 0)) / l22;
    I_inverse = L_inverse.transpose() * L_inverse;
  }
};

/// One body during one step.
template <class T>
struct SpatialBodyStep {
  Quaternion<T> q_mid;
  Matrix3<T> R_start, R_mid;  // R_start: as gamma^- uses it (explicit: at the start; conserving: at the midpoint)
  Vector3<T> o_mid;
  Vector3<T> v_start, w_start;  // twist before the kick, in the axes of R_start
  Vector3<T> v_free, w_free;    // twist after the kick without contact, in the axes of R_mid
  Vector3<T> v_end, w_end;      // twist after contact, in the axes of R_mid
};

/// Coefficients of a rotation by a vector of squared length s: cos and sin(x)/(2 x) of x = half the angle, S_2 and S_3.
template <class T>
struct TurnCoefficients {
  T cos_half, half_sinc, s2, s3;
  explicit TurnCoefficients(const T& s) {
    if constexpr (std::is_same_v<T, double>) {
      // Series to rounding: steps turn by a few degrees at most.
      const double x = 0.25 * s;
      if (s < 2e-3) {
        cos_half = 1 - x * (1. / 2 - x * (1. / 24 - x * (1. / 720)));
        half_sinc = 0.5 - x * (1. / 12 - x * (1. / 240 - x * (1. / 10080)));
        s2 = 1. / 2 - s * (1. / 24 - s * (1. / 720 - s * (1. / 40320)));
        s3 = 1. / 6 - s * (1. / 120 - s * (1. / 5040 - s * (1. / 362880)));
        return;
      }
      if (s < 0.04) {
        cos_half = 1 - x * (1. / 2 - x * (1. / 24 - x * (1. / 720 - x * (1. / 40320 - x * (1. / 3628800)))));
        half_sinc = 0.5 - x * (1. / 12 - x * (1. / 240 - x * (1. / 10080 - x * (1. / 725760 - x * (1. / 79833600)))));
        s2 = 1. / 2 - s * (1. / 24 - s * (1. / 720 - s * (1. / 40320 - s * (1. / 3628800 - s * (1. / 479001600)))));
        s3 =
            1. / 6 - s * (1. / 120 - s * (1. / 5040 - s * (1. / 362880 - s * (1. / 39916800 - s * (1. / 6227020800)))));
        return;
      }
    }
    cos_half = Stumpff<0>(T(0.25 * s));
    half_sinc = 0.5 * Stumpff<1>(T(0.25 * s));
    s2 = Stumpff<2>(s);
    s3 = Stumpff<3>(s);
  }
};

/// q <- q r, brought back to unit length to first order, which is enough for a quaternion that is unit to rounding.
template <class T>
void TurnBy(const Quaternion<T>& r, Quaternion<T>& q) {
  q = QuaternionProduct<T>(q, r);
  q = q * T(1.5 - 0.5 * q.squaredNorm());
}

/// exp_SE3 of a body twist over a time, on the pose (q, o); R is the matrix of q.
template <class T>
void MoveByTwist(const Vector3<T>& v, const Vector3<T>& w, double time, const Matrix3<T>& R, Quaternion<T>& q,
                 Vector3<T>& o) {
  const Vector3<T> turn = w * T(time), shift = v * T(time), across = turn.cross(shift);
  const TurnCoefficients<T> c(T(turn.squaredNorm()));
  o += R * Vector3<T>(shift + c.s2 * across + c.s3 * turn.cross(across));
  TurnBy<T>(Quaternion<T>(c.cos_half, c.half_sinc * turn[0], c.half_sinc * turn[1], c.half_sinc * turn[2]), q);
}

namespace internal {

/// I (w1 - w0) + t wm x I wm = 0 for w1, and its derivative with respect to w1.
template <class T>
Vector3<T> MidpointResidual(const Matrix3<T>& I, double t, const Vector3<T>& w0, const Vector3<T>& w1) {
  const Vector3<T> wm = (w0 + w1) * 0.5;
  return I * Vector3<T>(w1 - w0) + wm.cross(Vector3<T>(I * wm)) * T(t);
}

inline Eigen::Matrix3d MidpointSlope(const Eigen::Matrix3d& I, double t, const Eigen::Vector3d& wm) {
  return I + 0.5 * t * (Skew(wm) * I - Skew(Eigen::Vector3d(I * wm)));
}

/// Newton from w0; quadratic, so a few rounds reach rounding.
inline Eigen::Vector3d SolveMidpoint(const Eigen::Matrix3d& I, double t, const Eigen::Vector3d& w0) {
  Eigen::Vector3d w1 = w0;
  double last = -1;
  for (int k = 0; k < 20; ++k) {
    const Eigen::Vector3d F = MidpointResidual<double>(I, t, w0, w1);
    const Eigen::Vector3d change = MidpointSlope(I, t, 0.5 * (w0 + w1)).inverse() * F;
    w1 -= change;
    const double size = change.squaredNorm();
    if (size <= 1e-31 * w0.squaredNorm() || (last >= 0 && size >= last)) break;
    last = size;
  }
  return w1;
}

inline Eigen::Vector3d SolveMidpointFor(const Matrix3<double>& I, double t, const Vector3<double>& w0) {
  return SolveMidpoint(I, t, w0);
}

/// Converged in double, then one Newton step in Jets, which is implicit differentiation.
template <int N>
Vector3<Jet<N>> SolveMidpointFor(const Matrix3<Jet<N>>& I, double t, const Vector3<Jet<N>>& w0) {
  const Eigen::Matrix3d I_value = ValueOf(I);
  const Eigen::Vector3d w0_value = ValueOf(w0);
  const Eigen::Vector3d w1 = SolveMidpoint(I_value, t, w0_value);
  const Eigen::Matrix3d inverse = MidpointSlope(I_value, t, 0.5 * (w0_value + w1)).inverse();
  const Vector3<Jet<N>> w1_jet = w1.cast<Jet<N>>();
  const Vector3<Jet<N>> F = MidpointResidual<Jet<N>>(I, t, w0, w1_jet);
  return w1_jet - inverse.cast<Jet<N>>() * F;
}

}  // namespace internal

/// Free rotation over a time: body rate by the implicit midpoint rule, quaternion by Cayley's map of the mean rate.
template <class T>
void RotateFreely(const Matrix3<T>& I, double time, Quaternion<T>& q, Vector3<T>& w) {
  using std::sqrt;
  const Vector3<T> w_end = internal::SolveMidpointFor(I, time, w);
  const Vector3<T> half = (w + w_end) * T(0.25 * time);
  const T inverse = 1.0 / sqrt(T(1.0 + half.squaredNorm()));
  TurnBy<T>(Quaternion<T>(inverse, half[0] * inverse, half[1] * inverse, half[2] * inverse), q);
  w = w_end;
}

/// First half of the step and the kick. `q`, `o`, `v_W`, `w_W` are the body's state; `load` is the impulse of known
/// loads in world axes (force, then torque).
template <class T>
void BeginBodyStep(RotationScheme scheme, const SpatialInertia<T>& inertia, const Vector3<T>& gravity,
                   const Quaternion<T>& q, const Vector3<T>& o, const Vector3<T>& v_W, const Vector3<T>& w_W, double h,
                   const Vector6<T>* load, SpatialBodyStep<T>& step) {
  step.q_mid = q;
  step.o_mid = o;
  if (scheme == RotationScheme::kExplicit) {
    step.R_start = RotationMatrix<T>(q);
    const Vector3<T> v = step.R_start.transpose() * v_W, w = step.R_start.transpose() * w_W;
    MoveByTwist<T>(v, w, 0.5 * h, step.R_start, step.q_mid, step.o_mid);
    step.R_mid = RotationMatrix<T>(step.q_mid);
    step.v_start = v;
    step.w_start = w;
    step.v_free = v + (step.R_mid.transpose() * gravity - w.cross(v)) * T(h);
    step.w_free = w - inertia.I_inverse * Vector3<T>(w.cross(Vector3<T>(inertia.I * w))) * T(h);
  } else {
    step.w_start = RotateInverse<T>(q, w_W);
    RotateFreely<T>(inertia.I, 0.5 * h, step.q_mid, step.w_start);
    step.o_mid += v_W * T(0.5 * h);
    step.R_mid = step.R_start = RotationMatrix<T>(step.q_mid);
    step.v_start = step.R_mid.transpose() * v_W;
    step.v_free = step.v_start + step.R_mid.transpose() * gravity * T(h);
    step.w_free = step.w_start;
  }
  if (load != nullptr) {
    step.v_free += step.R_mid.transpose() * load->template head<3>() * T(1.0 / inertia.mass);
    step.w_free += inertia.I_inverse * Vector3<T>(step.R_mid.transpose() * load->template tail<3>());
  }
}

/// Second half with the twist after contact (v, w in the axes of R_mid): the state at the end of the step.
template <class T>
void EndBodyStep(RotationScheme scheme, const SpatialInertia<T>& inertia, const SpatialBodyStep<T>& step,
                 const Vector3<T>& v, const Vector3<T>& w, double h, Quaternion<T>& q, Vector3<T>& o, Vector3<T>& v_W,
                 Vector3<T>& w_W) {
  q = step.q_mid;
  o = step.o_mid;
  if (scheme == RotationScheme::kExplicit) {
    MoveByTwist<T>(v, w, 0.5 * h, step.R_mid, q, o);
    const Matrix3<T> R = RotationMatrix<T>(q);
    v_W = R * v;
    w_W = R * w;
  } else {
    v_W = step.R_mid * v;
    o += v_W * T(0.5 * h);
    Vector3<T> rate = w;
    RotateFreely<T>(inertia.I, 0.5 * h, q, rate);
    w_W = Rotate<T>(q, rate);
  }
}

/// Energy by which a contact step of the conserving scheme grew, no more than gravity's share of it, and that share per
/// body in `rise` (zero where the body was not lifted). Zero when energy fell.
template <class T, class Bodies, class Inertias>
T EnergyExcess(const Bodies& bodies, const Inertias& inertia, const std::vector<int>& slot, const Vector3<T>& gravity,
               double h, std::vector<T>& rise) {
  T change(0.0), lifted(0.0);
  rise.assign(bodies.size(), T(0.0));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (slot[b] < 0) continue;
    const auto& s = bodies[b];
    const Vector3<T> dv = s.v_end - s.v_free, dw = s.w_end - s.w_free;
    const Vector3<T> g = s.R_mid.transpose() * gravity;
    const T up = g.dot(dv) * inertia[b].mass * T(-0.5 * h);
    change += up + 0.5 * (inertia[b].mass * dv.dot(Vector3<T>(s.v_end + s.v_free)) +
                          dw.dot(Vector3<T>(inertia[b].I * Vector3<T>(s.w_end + s.w_free))));
    if (!(up > 0.0)) continue;
    rise[b] = up;
    lifted += up;
  }
  if (!(change > 0.0) || !(lifted > 0.0)) return T(0.0);
  return change < lifted ? change : lifted;
}

}  // namespace ricochet
