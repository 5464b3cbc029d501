// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact of any number of bodies: bodies that no chain of contacts joins are islands, solved one by one,
// each by the cheapest solver that knows it.
#pragma once

#include <vector>

#include "complementarity/friction/friction_contact.h"
#include "complementarity/friction_bodies/friction_contact_island.h"
#include "complementarity/friction_bodies/friction_contact_newton.h"
#include "complementarity/friction_one_body/friction_contact_plane.h"
#include "complementarity/friction_one_body/friction_contact_small.h"
#include "complementarity/friction_one_body/friction_contact_soft.h"

namespace ricochet {

/// Scratch of one thread; it grows to the largest problem met and is then left alone.
class FrictionContactWorkspace {
 public:
  PlaneContactProblem plane;
  PlaneContactSolution plane_solution;
  SoftContactProblem soft;
  SmallContactProblem small;
  SmallContactSolution small_solution;
  NewtonContactWorkspace newton;
  IslandContact joined;
  FrictionContactProblem island;  // renumbered part of the problem
  FrictionContactSolution island_solution;
  FrictionContactSolution trial;
  std::vector<int> order;     // of sweeps
  std::vector<int> root;      // union-find over bodies
  std::vector<int> local;     // index of a body in its island
  std::vector<int> bodies;    // of the island at hand
  std::vector<int> contacts;  // of the island at hand
};

/// Solves all islands of the problem. One body with up to kMaxSmallContacts contacts takes the allocation-free path of
/// friction_contact_small.h, anything else semismooth Newton on block-sparse matrices (friction_contact_newton.h),
/// finished in impulses where contacts cannot all stick (friction_contact_island.h).
void SolveFrictionContact(const FrictionContactProblem& problem, const FrictionContactOptions& options,
                          FrictionContactWorkspace& workspace, FrictionContactSolution& solution);

/// How far the velocity can differ between solutions: the largest distance (in the scaled norm, that is sqrt of twice
/// the kinetic energy of the difference) between `solution` and solutions found by sweeping one contact at a time in
/// `orders` seeded random orders. Zero up to the tolerance where the solution is unique; a lower bound elsewhere.
double FrictionContactSpread(const FrictionContactProblem& problem, const FrictionContactSolution& solution, int orders,
                             std::uint64_t seed = 1);

/// One body, up to kMaxSmallContacts contacts: `workspace.small` to `workspace.small_solution`. Active-set search
/// first; if that fails semismooth Newton, then the simultaneous sweeps, each followed by the active set from the modes
/// found.
FrictionMethod SolveOneBody(const FrictionContactOptions& options, FrictionContactWorkspace& workspace);

}  // namespace ricochet
