// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `moreau`: time stepping for rigid bodies in space with hard contact, Coulomb friction on the true cone and Newton
// restitution (Jongeneel sec. II; the scheme is written out in docs/theory/moreau.md). One step:
//
//   1. half a step with the old twist to the midpoint pose                        dynamics/spatial_body_step.h
//   2. contacts that are closed there, gap < 0; the set is fixed for the step     dynamics/spatial_contacts.h,
//                                                                                 geometry/body_contact.h
//   3. free twist: inertia, gravity, loads
//   4. impulses with gamma^+ at the midpoint pose, gamma^- before complementarity/friction/friction_contact.h
//   5. half a step with the new twist
//
// Options (simulation.options):
//
//   rotation: explicit | conserving     the paper's explicit w x I w, or free motion that keeps energy and angular
//                                       momentum; contacts then never raise the total energy on standing surfaces
//                                       with e_N = e_T = 0 (spatial_body_step.h).
//   penetration: none | recover         the paper leaves bodies where they are. `recover` moves them out by a fifth of
//                                       the depth per step, down to 1e-4 of the body's size; a motion of the pose alone
//                                       that leaves velocities as they are.
//   selection: least-norm | jacobi      which solution where several exist, see friction_contact.h
//
// Refinements of the contact law (numbers of `contact`, each only where the scene gives it):
//
//   restitution_low, restitution_speed   e(s) = e + (e_low - e) exp(-s / s_0) with s the speed of approach
//   compliance c, damping tau            soft contact: the normal force is (depth + tau x rate) / c, implicit in the
//                                        step, with a rebound of at least e s
//                                        (complementarity/friction/soft_contact.h); against surfaces
//   rounding r                           edges and corners of boxes are those of the box that is smaller by r on all
//                                        sides, with a ball of radius r round it; against surfaces
//   patch [1, 1, e_r]                    friction about the normal (torsion): a body that touches one surface has the
//                                        spin that the step's impulses leave braked by at most mu e_r times the sum of
//                                        its normal impulses. Impulses first, then the spin: what the brake does to
//                                        slip at corners, the next step's friction sees
//
// simulation.tolerance is the relative residual of the contact problem (default 1e-12).
#pragma once

#include <span>

#include "complementarity/friction_one_body/friction_contact_small_problem.h"
#include "steppers/moreau/moreau_workspace.h"

namespace ricochet {

const Stepper& Moreau();

/// The contact problem of the step that `workspace` was last used for, in scaled rows: these closed contacts, at most
/// kMaxSmallContacts, of one body.
void AssembleOneBody(const SpatialModel<double>& model, const MoreauWorkspace& workspace, std::span<const int> contacts,
                     SmallContactProblem& out);

}  // namespace ricochet
