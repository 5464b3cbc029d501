// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One body on one plane (friction_contact_plane.h) that turns about a contact: contact j sticks, the others slide. That
// is how a box that rocks toward rest moves, at slips down to 1e-12 m/s, where Newton in all slips at once is lost.
//
// The normals fix the twist across the plane. What is left is the spin omega, as t = (dv_x, dv_y) follows from the
// contact that sticks:
//
//   slip_i(omega) = d_i + omega e_i,      d_i = base_i - base_j,   e_i = z x (p_i - p_j) .
//
// For a given omega friction has known directions, q_i = mu slip_i / |slip_i|, and F = m t + sum N_i q_i at contact j.
// The loads N_i = a . (1, X_i, Y_i) follow from three balances, with arms z_i - z_j that are nearly 0:
//
//   sum N_i = m dv_z
//   sum N_i ( y_i + (z_i - z_j) q_yi) - z_j m t_y = (I dw)_x
//   sum N_i (-x_i - (z_i - z_j) q_xi) + z_j m t_x = (I dw)_y
//
// and the balance about the normal is one equation for omega,
//
//   g(omega) = sum N_i (e_i . -q_i) + m (x_j t_y - y_j t_x) - (I dw)_z = 0,
//
// which falls steadily as long as loads hardly depend on omega. It is steep where slips are short, near omega_i* =
// -d_i . e_i / |e_i|^2: the root is bracketed by these, then found by Newton's method kept inside the bracket.
//
// Where slip_i(omega_i*) vanishes g jumps, and a root in the jump means that i sticks too. Then the twist is known, and
// impulses of least norm follow from one linear system (MixedImpulses).
#pragma once

#include "complementarity/friction_one_body/friction_contact_plane_problem.h"

namespace ricochet {

/// What the normals of contacts that do not lie on a line leave of the problem.
struct PlaneMotion {
  Eigen::Vector3d centroid;                             // of the points
  std::array<Eigen::Vector3d, kMaxSmallContacts> r;     // points from there
  std::array<double, 4> known;                          // momentum of it: along z; about x, y, z
  std::array<Eigen::Vector2d, kMaxSmallContacts> base;  // slips at t = 0
};

/// Impulses P = f + y x r for the contacts in `stick` (bits), and friction -mu N u for the others, that add up to this
/// force and torque (about the centroid). False when the system is singular or a load is negative.
bool MixedImpulses(const PlaneContactProblem& problem, const PlaneMotion& motion, unsigned stick,
                   const std::array<Eigen::Vector2d, kMaxSmallContacts>& u, const Eigen::Vector3d& force,
                   const Eigen::Vector3d& torque, PlaneContactSolution& solution);

/// Tries the contacts in `pivots` (bits) as the pivot. True when a solution was verified; of several the one of least
/// norm.
bool SolvePivot(const PlaneContactProblem& problem, const PlaneMotion& motion, double tolerance, unsigned pivots,
                PlaneContactSolution& solution);

}  // namespace ricochet
