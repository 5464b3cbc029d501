// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact on the true cone with restitution: the problem of one step of Moreau's time stepping.
//
// Bodies have velocities v of 6 numbers each, scaled so that every inertia matrix is the identity. Contact i meets its
// body (and a second one, or a surface) through rows t1, t2, n of a Jacobian J_i. Find impulses P_i = (P_T, P_N) with
//
//   v     = v_free + sum_i J_i^T P_i
//   xi_i  = J_i v + bias_i                                 (bias: - surface velocity + e gamma^-, Jongeneel (7)-(9))
//   P_N   = max(0, P_N - r xi_N)                           (8)   i.e. 0 <= P_N _|_ xi_N >= 0
//   P_T   = projection of P_T - r xi_T on |.| <= mu P_N    (10), (11)   i.e. friction opposes xi_T, at most mu P_N
//
// for one (then every) r > 0. Eliminating v gives xi = D P + b, D = J J^T, b = J v_free + bias.
//
// Uniqueness. D is singular as soon as contacts are redundant: four corners of a face leave the null vector
// (1, -1, 1, -1) of normal impulses. Where the contacts slide in different directions, that freedom changes the
// friction and with it the velocity: rigid bodies with Coulomb friction do not say which motion follows. The rule here:
//
//   Among the impulses that solve the active constraints, the one of least norm: (P_N, P_T of sticking contacts) lies
//   in the range of the active rows of J.
//
// It depends neither on the order of contacts nor on the frame. It is also the limit of the simultaneous (Jacobi)
// iteration P <- prox(P - r (D P + b)) from P = 0 whenever that limit does not depend on r: as long as no contact is
// clamped on the way, every increment -r xi is in the range of J, and the range is closed. (Where a normal impulse is
// clamped on the way and released again, the Jacobi limit depends on r; docs/theory/moreau.md has the numbers.) `Selection::
// kJacobi` runs that iteration itself, with r = 1 / (largest eigenvalue of D).
//
// Existence is not guaranteed for large friction (Painleve); the solver then ends after a fixed number of iterations
// and says what residual it reached.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace ricochet {

using Vector6d = Eigen::Matrix<double, 6, 1>;
using ContactRows = Eigen::Matrix<double, 6, 3>;  // columns: the rows t1, t2, n of J for one body

struct FrictionContact {
  int body = 0;                                    // index of the first body
  int other = -1;                                  // index of the second, or -1 for a surface
  double mu = 0;                                   // friction, >= 0
  ContactRows rows;                                // of `body`
  ContactRows other_rows;                          // of `other`; used when other >= 0
  Eigen::Vector3d bias = Eigen::Vector3d::Zero();  // [m/s]
};

/// What a contact does in the solution.
enum class FrictionMode : std::uint8_t { kOpen, kStick, kSlide };

/// Contacts of any number of bodies. Bodies that no chain of contacts joins are solved apart.
struct FrictionContactProblem {
  int body_count = 0;
  std::vector<FrictionContact> contacts;
  std::vector<Vector6d> free_velocity;  // per body, scaled by the root of its inertia
};

/// Which solution is taken where there are several.
enum class Selection : std::uint8_t {
  kLeastNorm,  // least-norm impulses on the active constraints
  kJacobi,     // limit of the simultaneous iteration from zero; slow
};

struct FrictionContactOptions {
  double tolerance = 1e-12;  // of the relative residual, see FrictionContactResidual
  Selection selection = Selection::kLeastNorm;
  int max_newton = 60;    // semismooth Newton iterations per attempt
  int max_sweeps = 5000;  // sweeps of the simultaneous iteration, the last resort
};

/// How the solution was found; for statistics.
enum class FrictionMethod : std::uint8_t { kNone, kActiveSet, kNewton, kSweeps };

struct FrictionContactSolution {
  std::vector<Eigen::Vector3d> impulse;  // per contact (t1, t2, n)
  std::vector<FrictionMode> mode;        // per contact
  std::vector<Vector6d> velocity;        // per body, scaled
  double residual = 0;                   // as FrictionContactResidual
  bool converged = false;                // residual <= tolerance
  int iterations = 0;                    // linear systems solved and sweeps made
  FrictionMethod method = FrictionMethod::kNone;
};

/// Largest violation of the conditions, whoever computed impulses and velocities: the velocity equation, and per
/// contact |P - prox(P - r xi)| / r with 1/r the mean of the diagonal of J_i J_i^T. Relative to the largest of |b_i|.
/// Zero at a solution and only there.
double FrictionContactResidual(const FrictionContactProblem& problem, std::span<const Eigen::Vector3d> impulse,
                               std::span<const Vector6d> velocity);

/// xi of a contact at these velocities.
inline Eigen::Vector3d ContactVelocity(const FrictionContact& contact, std::span<const Vector6d> velocity) {
  Eigen::Vector3d xi = contact.bias + contact.rows.transpose() * velocity[contact.body];
  if (contact.other >= 0) xi += contact.other_rows.transpose() * velocity[contact.other];
  return xi;
}

/// prox of (8), (10): projection on the disc of radius mu max(0, z_N), and max(0, z_N).
inline Eigen::Vector3d ProjectImpulse(const Eigen::Vector3d& z, double mu) {
  const double normal = z[2] > 0 ? z[2] : 0;
  const double radius = mu * normal, length = std::sqrt(z[0] * z[0] + z[1] * z[1]);
  if (length <= radius) return {z[0], z[1], normal};
  const double shrink = radius / length;
  return {shrink * z[0], shrink * z[1], normal};
}

}  // namespace ricochet
