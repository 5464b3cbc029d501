// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From a model to the problem of a step of `ecp`, and the scratch of one thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/model.h"
#include "model/seeded_numbers.h"
#include "steppers/ecp/ecp_solver.h"
#include "steppers/stepper.h"

namespace ricochet {

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

}  // namespace ricochet

#include "steppers/ecp/ecp_workspace.inl"
