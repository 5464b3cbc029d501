// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One step of `ecp` as equations: contact point, contact wrench and motion at once (Xie sec. III-D and IV).
//
// Unknown are the velocities nu = (v, w) of the moving bodies at the end of the step and, per closed contact, the
// equivalent contact point (ECP) a in world axes, the multipliers beta_i and gamma_j of the inequalities that are
// active on the first body F and the second body G, and the contact impulses. Poses follow from velocities on the
// group,
//
//   p+ = p + h v,   R+ = exp(h w) R                                               (8)
//
// and with x = R_F+' (a - p_F+), y = R_G+' (a - p_G+), u_i = R_F+ grad f_i(x), w_j = R_G+ grad g_j(y):
//
//   M (nu - nu^u) = P_app - h (0, w x I w) + sum over contacts of +-(P, r x P + e_r q_r n),  r = a - p+       (7)
//   f_i(x) = 0 for i in A,  g_j(y) = 0 for j in B                                 (15), (16), (17)
//   n + sum_A beta_i u_i = 0,  n = sum_B gamma_j w_j,  |n| = 1                    (14)
//   q = proj_{|q| <= mu p_n} (q - rho s),  s = (e_t t.v, e_o o.v, e_r n.(w_F - w_G)),  v = v_F(a) - v_G(a) - belt   (9)
//
// with P = p_n n + e_t q_t t + e_o q_o o, that is q = (p_t / e_t, p_o / e_o, p_r / e_r). Notes:
//
// - The inertia M and the axes of I are those at the start of the step (M^u in (7)); the velocity in the gyroscopic
//   term P_vp is that at its end, as in (7) and (22) ((18) prints the start: errata).
// - A contact is closed (p_n > 0) or left out (p_n = 0), so (9) is never used at p_n = 0, where it says nothing.
// - When closed, a_1 = a_2 = a, so (13) is fulfilled, and beta, gamma are the paper's l_i scaled to |n| = 1. Where only
//   one inequality is active on G, gamma = 1 because gradients have unit length on the surface.
// - The projection is equivalent to (9) for every rho > 0: stick where s = 0, else q = -mu p_n s / |s|, sigma = |s|.
//
// At surface contact A and B have one facet each, (14) holds two rotations, and the two free coordinates of a are
// determined by the balance of moments: the equations stay regular as long as p_n > 0.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "geometry/convex_inequalities.h"
#include "math/so3.h"
#include "math/vector.h"

namespace ricochet {

/// A body during the step. The world, which carries planes, is a fixed body at the origin.
template <class T>
struct EcpBody {
  int offset = -1;     // of its six velocities among the unknowns; -1: fixed
  T mass = T(0);       // [kg]
  Matrix3<T> inertia;  // about the center of mass, world axes, at the start of the step [kg m^2]
  Vector3<T> p;        // center of mass at the start [m]
  Quaternion<T> q;     // orientation at the start
  Vector3<T> v, w;     // velocities at the start [m/s, rad/s]
  Vector6<T> impulse;  // P_app: actions and gravity [N s, N m s]
};

/// A pair of bodies that may touch. Solids are in the frame at the body's center of mass with B's axes.
template <class T>
struct EcpContact {
  int pair = 0;      // index into the model's pairs
  int f = 0, g = 0;  // indices of the bodies F and G
  const ConvexSolid<T>* solid_f = nullptr;
  const ConvexSolid<T>* solid_g = nullptr;
  T mu = T(0);
  Vector3<T> e;              // e_t, e_o [-], e_r [m]
  Vector3<T> belt;           // velocity of G's surface material against G, world axes [m/s]
  bool plane = false;        // G is a surface: facet 0 its top, the others the sides of its extent
  bool fixed_frame = false;  // G's normal never changes (a plane without extent): t and o are given
  Vector3<T> t = Vector3<T>::UnitX(), o = Vector3<T>::UnitY();
};

template <class T>
struct EcpProblem {
  double h = 0;  // [s]
  std::vector<EcpBody<T>> bodies;
  std::vector<EcpContact<T>> contacts;     // all pairs of the model
  double length = 1, mass = 1, speed = 1;  // scales of the residual [m, kg, m/s]

  int moving_count() const {
    int count = 0;
    for (const EcpBody<T>& body : bodies) count += body.offset >= 0;
    return count;
  }
};

inline constexpr int kEcpMaxActive = 3;

/// Active inequalities and friction mode of one closed contact.
struct EcpActive {
  int contact = 0;  // index into EcpProblem::contacts
  int nf = 0, ng = 0;
  std::array<int, kEcpMaxActive> f{}, g{};
  double rho = 1;       // [kg]
  bool slides = false;  // branch of the projection taken

  bool has_gamma() const { return ng > 1; }
  /// Unknowns of the contact: a, beta, gamma, p_n, q.
  int size() const { return 3 + nf + (has_gamma() ? ng : 0) + 4; }
};

/// Layout of the unknowns: 6 per moving body, then the contacts in order.
inline int EcpSize(int moving_bodies, std::span<const EcpActive> active) {
  int size = 6 * moving_bodies;
  for (const EcpActive& contact : active) size += contact.size();
  return size;
}

/// Pose and velocity of a body at the end of the step, from the unknowns z.
template <class T>
struct EcpEnd {
  Vector3<T> p, v, w;
  Quaternion<T> q;
  Matrix3<T> R;
};

template <class T>
EcpEnd<T> EndOf(const EcpBody<T>& body, double h, const T* z) {
  EcpEnd<T> end;
  if (body.offset < 0) {
    end.p = body.p;
    end.v = end.w = Vector3<T>::Zero();
    end.q = body.q;
  } else {
    for (int i = 0; i < 3; ++i) {
      end.v[i] = z[body.offset + i];
      end.w[i] = z[body.offset + 3 + i];
    }
    end.p = body.p + T(h) * end.v;
    end.q = QuaternionProduct<T>(ExpSO3(Vector3<T>(T(h) * end.w)), body.q);
  }
  end.R = RotationMatrix<T>(end.q);
  return end;
}

/// Tangents of a normal: x = world x projected on the plane, world y if that is shorter than 0.5; y = n x x.
template <class T>
void TangentsOf(const Vector3<T>& n, Vector3<T>& t, Vector3<T>& o) {
  using std::sqrt;
  const int axis = ValueOf(n[0]) * ValueOf(n[0]) > 0.75 ? 1 : 0;
  const Vector3<T> s = Vector3<T>::Unit(axis) - n * n[axis];
  t = s / sqrt(s.squaredNorm());
  o = n.cross(t);
}

/// The equations above at z for the given active set, each divided by its scale. With `follow_mode` the branch of the
/// projection is the one recorded in the active set, otherwise the one that z is on.
template <class T>
void EcpResidual(const EcpProblem<T>& problem, std::span<const EcpActive> active, const T* z, bool follow_mode,
                 T* residual);

/// Residual and its Jacobian (row-major, `stride` doubles per row) in double, with the branches that z is on, which are
/// stored in the active set. Only as many rows and columns are written as there are unknowns.
void EcpLinearize(const EcpProblem<double>& problem, std::span<EcpActive> active, const double* z, double* residual,
                  double* jacobian, int stride);

}  // namespace ricochet

#include "steppers/ecp/ecp_problem.inl"
