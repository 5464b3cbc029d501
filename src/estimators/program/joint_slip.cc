// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_slip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimators/program/joint_active_set.h"

namespace ricochet {
namespace {

constexpr double kBelowNeeded = 0.9;  // of the friction that sticking needs: contacts slide
constexpr double kQuantile = 1.645;   // of the normal distribution, one side, 95 %

}  // namespace

bool FactorAtSolution(const JointProgram& program, BorderedBand& system) {
  JointProgram copy = program;
  return FactorInformation(copy, system);
}

bool AnySlides(const JointProgram& program) {
  for (const JointChain& chain : program.chains())
    for (std::size_t k = 1; k + 1 < chain.nodes.size(); ++k)
      for (int g = 0; g < chain.nodes[k].friction_count; ++g)
        if (chain.nodes[k].frictions[static_cast<std::size_t>(g)].slip != 0) return true;
  return false;
}

double FrictionNeeded(const JointProgram& program) {
  double lower = 0;
  BorderedBand system;
  const bool known = FactorAtSolution(program, system);
  struct Demand {
    double ratio;
    int chain, node, friction;
  };
  std::vector<Demand> demands;
  for (int c = 0; c < static_cast<int>(program.chains().size()); ++c) {
    const std::vector<JointNode>& nodes = program.chains()[static_cast<std::size_t>(c)].nodes;
    for (int k = 1; k + 1 < static_cast<int>(nodes.size()); ++k) {
      const JointNode& node = nodes[static_cast<std::size_t>(k)];
      for (int g = 0; g < node.friction_count; ++g) {
        if (node.frictions[static_cast<std::size_t>(g)].slip != 0) continue;
        double load = 0;
        for (int i = 0; i < node.contact_count; ++i) load += node.contacts[static_cast<std::size_t>(i)].impulse;
        if (load > 0)
          demands.push_back({std::abs(node.frictions[static_cast<std::size_t>(g)].impulse) / load, c, k, g});
      }
    }
  }
  std::sort(demands.begin(), demands.end(), [](const Demand& a, const Demand& b) { return a.ratio > b.ratio; });
  if (demands.size() > 50) demands.resize(50);
  for (const Demand& demand : demands) {
    const JointNode& node =
        program.chains()[static_cast<std::size_t>(demand.chain)].nodes[static_cast<std::size_t>(demand.node)];
    double load = 0;
    for (int i = 0; i < node.contact_count; ++i) load += node.contacts[static_cast<std::size_t>(i)].impulse;
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(program.unknowns() + program.family().size());
    const double ct = node.frictions[static_cast<std::size_t>(demand.friction)].impulse;
    slope[program.IndexOf(demand.chain, demand.node, 4 + kJointContacts + demand.friction)] = (ct < 0 ? -1 : 1) / load;
    for (int i = 0; i < node.contact_count; ++i)
      slope[program.IndexOf(demand.chain, demand.node, 4 + i)] = -demand.ratio / load;
    const double std = known ? std::sqrt(std::max(0.0, slope.dot(system.Solve(slope)))) : 0.0;
    lower = std::max(lower, demand.ratio - kQuantile * std);
  }
  return lower;
}

bool LetSlide(JointProgram& program, int index, int& iterations) {
  if (AnySlides(program)) return false;
  const double needed = FrictionNeeded(program);
  if (!(needed > 0)) return false;
  Eigen::VectorXd state = program.State();
  state[program.unknowns() + index] = std::max(kBelowNeeded * needed, program.family().lower()[index]);
  program.SetState(state);
  for (const char held : {1, 0}) {
    program.held()[static_cast<std::size_t>(index)] = held;
    program.Layout();
    if (!SolveActiveSet(program, iterations)) return false;
  }
  return AnySlides(program);
}

}  // namespace ricochet
