// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One body on one plane (friction_contact_plane.h) that touches with two points: a box on its edge, or on two corners.
// With the blocks of the Delassus matrix,
//
//   xi_i = b_i + W_i0 P_0 + W_i1 P_1,      W_ij = 1 / m - [p_i] I^-1 [p_j] .
//
// Both slide. Friction -mu N_i u_i with u_i at the angle a_i; the normals are a 2 x 2 system for the loads, and
// Newton's method in the two angles makes slips and u_i parallel, however short the slips are.
//
// One sticks, j. Eliminating its impulse leaves one contact (friction_contact_local.h) with
//
//   D = W_mm - W_mj W_jj^-1 W_jm,      q = b_m - W_mj W_jj^-1 b_j .
//
// A rigid body keeps the distance r between the points: D r = 0, and m slides across r, but for what restitution that
// differs between the points asks along r.
//
// Both stick. D P_m = -q, and opposite impulses along r add nothing: they are chosen so that the norm is least.
//
// One leaves. The other is alone.
#pragma once

#include "complementarity/friction_one_body/friction_contact_plane_problem.h"

namespace ricochet {

/// For problem.count = 2. True when a solution was verified to `tolerance`.
bool SolveLineContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution);

}  // namespace ricochet
