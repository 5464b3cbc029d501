// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for one body on one plane: the case that tosses spend their time in.
//
// In the plane's axes at the center of mass, a contact at p = (x, y, z) with free velocity b moves with
//
//   xi = b + dv + dw x p,      m dv = sum P_i,      I dw = sum p_i x P_i .
//
// Least-norm impulses do not depend on the inertia: P in the range of the rows is P_i = f + y x p_i for a twist (y, f).
//
// All stick, points not on a line. About the centroid c of the points, r_i = p_i - c, everything is two 3 x 3 systems
// with the same matrix G = sum |r|^2 I - r r^T:
//
//   dv + dw x c = -mean b,   G dw = -sum r_i x b_i;      P_i = m dv / n + y x r_i,   G y = I dw - c x m dv.
//
// Contacts that are at the cone's edge while the others hold the body (a corner that carries next to nothing) take
// their friction from their own load; the twist stays, the 6 x 6 system for (y, f) loses its symmetry.
//
// All slide, points not on a line. The normals alone give dv_z, dw_x, dw_y, and leave the motion t = (dv_x, dv_y,
// dw_z) in the plane and the loads N_i = a . (1, x_i - c_x, y_i - c_y), whose mean a_0 carries the momentum along the
// normal. With friction -mu N_i u_i, u_i = xi_T / |xi_T|, the other balances of momentum are linear in (a_1, a_2);
// Newton in t with these eliminated has 3 x 3 systems only.
//
// One contact sticks, the others slide: friction_contact_pivot.h. Two contacts: friction_contact_line.h. A contact with
// negative load parts: the others are solved without it.
//
// Where all that fails (slips that nearly vanish) friction is smoothed,
// u_i = xi_T / sqrt(|xi_T|^2 + s^2), and s taken down, each step a primal-dual Newton as in friction_contact_path.h but
// with 3 + 3 unknowns. The modes and impulses found there are the start of the sharp solution. A body that friction
// could hold, were the free velocities of its corners those of one rigid body, creeps by what they differ: about one of
// the contacts that then slip least, most often; else the smoothing starts from there.
//
// Every answer is verified: the residual is that of friction_contact.h, at the twist that balances the impulses. What
// is not solved here (normals that contradict each other, parted contacts that stay in touch) is left to
// friction_contact_small.h.
#pragma once

#include "complementarity/friction_one_body/friction_contact_plane_problem.h"

namespace ricochet {

/// True when a solution of least norm was found and its relative residual is at most `tolerance`; 20 times that for a
/// body which friction holds, except for creep below rounding.
bool SolvePlaneContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution);

}  // namespace ricochet
