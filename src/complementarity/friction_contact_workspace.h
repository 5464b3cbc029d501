// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Scratch of SolveFrictionContact: one per thread, grows to the largest problem met and is then left alone.
#pragma once

#include <vector>

#include "complementarity/friction_contact.h"
#include "complementarity/friction_contact_island.h"
#include "complementarity/friction_contact_newton.h"
#include "complementarity/friction_contact_plane.h"
#include "complementarity/friction_contact_small.h"
#include "complementarity/friction_contact_soft.h"

namespace ricochet {

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

/// One body, up to kMaxSmallContacts contacts: `workspace.small` to `workspace.small_solution`. Active-set search
/// first; if that fails semismooth Newton, then the simultaneous sweeps, each followed by the active set from the modes
/// found.
FrictionMethod SolveOneBody(const FrictionContactOptions& options, FrictionContactWorkspace& workspace);

}  // namespace ricochet
