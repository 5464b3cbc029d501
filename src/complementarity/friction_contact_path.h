// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact_small.h in impulses, for the cases that its search over modes leaves open.
//
// Tangential restitution takes gamma^- at the start orientation and gamma^+ at the midpoint, so the corners of a box
// that rocks at w [rad/s] ask for velocities that no rigid motion has, by about e_T h w^2 times its size: they cannot
// all stick. Coulomb's law then wants full friction where corners slip, if only by picometres per second, and the
// directions of those slips decide how the load is shared. In velocities this is lost in double precision: friction
// turns by a radian when the velocity changes by the slip. In impulses it is a plain equation: with w = sum J_i^T P_i
// put in exactly and the friction's direction g an unknown of its own (P_T = -mu P_N g, |g| = 1), a sliding contact
// has to satisfy
//
//   g_perp . xi_T = 0,   g . xi_T >= 0,     where an error of the angle counts as the angle times the slip.
//
// Sharp friction, modes given. Let C be the rows that hold (normals of closed contacts, tangents of sticking ones),
// C = L Q with orthonormal rows Q, x = L z their impulses (least norm) and a_i the change of friction along g_perp:
//
//   Q dw = -L^+ xi_C,    g_perp . J_T dw + a slip / (mu P_N) = -g_perp . xi_T,
//   dw = C^T L dz + sum over sliding of J_T^T (-mu g dP_N + a g_perp).
//
// The modes come from a path: friction smoothed to rho P_T + mu P_N xi_T = 0, rho = sqrt(|xi_T|^2 + s^2), whose
// solution lies inside the cone. Each stage is solved by primal-dual Newton (Chan, Golub and Mulet 1999, for sums of
// norms), in which the slope uses the friction found last in place of -xi_T / rho, with steps cut to stay inside the
// cone as in interior-point methods. s falls, slower after a stage that failed, which is tried again from the last good
// one. After each stage the modes it suggests are tried with sharp friction.
#pragma once

#include "complementarity/friction_contact_small.h"

namespace ricochet {

/// Sharp friction from the modes and impulses in `solution`, modes that fail corrected on the way. True when the
/// residual came to `tolerance`; otherwise `solution` holds the better of what it held (by its residual; negative:
/// nothing) and what was found.
bool PolishSmallContact(const SmallContactProblem& problem, double tolerance, int max_rounds,
                        SmallContactSolution& solution);

/// Follows the path from s = start [m/s], from zero impulses or, `warm`, from those in `solution`. As above.
bool FollowSmoothedFriction(const SmallContactProblem& problem, double tolerance, double start, bool warm,
                            SmallContactSolution& solution);

}  // namespace ricochet
