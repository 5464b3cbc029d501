// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Stepper `ecp` (Xie and Chakraborty): contact point, wrench and motion solved at once, so that point, line and surface
// contact and the changes between them come out of one formulation, without penetration and without contact points
// chosen by hand. Equations: ecp_problem.h; how they are solved: ecp_solver.h; the paper's own form: ecp_mncp.h.
//
// Shapes are convex solids by inequalities; contact is with planes (with an extent they are blocks that reach down
// without end), fixed bodies and other moving bodies. Impacts are inelastic, as in the paper. A step that no attempt
// solves is halved, up to 2^-6 of its length, and says so in StepResult::attempts: 1 first attempt (or flight), 2
// enumeration, 3 continuation, 4 general solver, 4 + d when halved d times at the deepest.
//
// Velocities below 1e-13 of the step's velocity scale are set to 0: a body that sticks stands still exactly, which
// actions `when` a velocity `falls_to` 0 rely on.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "model/model.h"
#include "model/seeded_numbers.h"
#include "steppers/ecp/ecp_solver.h"
#include "steppers/stepper.h"

namespace ricochet {

const Stepper& Ecp();

/// Solids of a model: per body in the frame at its center of mass, and per surface in the world.
template <class T>
struct EcpSolids {
  std::vector<ConvexSolid<T>> bodies, surfaces;
};

template <class T>
EcpSolids<T> MakeEcpSolids(const SpatialModel<T>& model);

/// The problem of one step from (q, v), laid out as State. `solids` must outlive it. Keeps the capacity of `out`.
template <class T>
void MakeEcpProblem(const SpatialModel<T>& model, const EcpSolids<T>& solids, const T* q, const T* v, double time,
                    double h, std::span<const char> fired, EcpProblem<T>& out);

/// Derivatives are taken in this many directions at once.
using EcpJet = Jet<12>;

class EcpWorkspace final : public Workspace {
 public:
  explicit EcpWorkspace(const Model& model) : solids(MakeEcpSolids<double>(model.spatial)) {}

  EcpSolids<double> solids;
  EcpProblem<double> problem;
  EcpSolver solver;
  EcpSolution solution;
  std::array<long, 6> attempts{};  // parts of steps that ended in each EcpAttempt
  long halved_steps = 0;           // steps that were halved
  std::vector<double> record;      // what Differentiate needs, moved to StepResult::multipliers

  struct JetModel {
    SpatialModel<EcpJet> model;
    EcpSolids<EcpJet> solids;
  };
  SeededModels<EcpJet::kSize, JetModel> jet_models;  // for derivatives
};

/// Dimension of the contact patch at the solution, and the number N of facets of F with a multiplier above 1e-9 (Xie
/// sec. VI-C). Directions in the contact plane along which no active facet bends or leaves count.
ContactKind PatchKind(const EcpProblem<double>& problem, std::span<const double> velocities, const EcpClosed& closed,
                      int& active_facets);

}  // namespace ricochet

#include "steppers/ecp/ecp.inl"
