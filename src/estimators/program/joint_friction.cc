// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_friction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kSurelySlides = 6;   // standard deviations of a slip that no sticking fit can explain
constexpr double kBelowNeeded = 0.9;  // of the friction that sticking needs: contacts slide
constexpr double kQuantile = 1.645;   // of the normal distribution, one side, 95 %

/// Normal equations at the solution with the equalities as good as hard.
bool Information(const JointProgram& program, BorderedBand& system) {
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

/// What the contacts that stick need of friction: |ct| / cn less its uncertainty, the largest of all. Less would have
/// slid (95 %).
double FrictionNeeded(const JointProgram& program) {
  double lower = 0;
  BorderedBand system;
  const bool known = Information(program, system);
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

/// The fit with friction held at a value at which contacts stick, as far as they then do; infinite chi^2 when there is
/// none.
JointFit HoldFriction(const JointFit& fit, int index, double friction) {
  JointProgram program = *fit.program;
  for (JointChain& chain : program.chains())
    for (JointNode& node : chain.nodes)
      for (JointFriction& contact : node.frictions) contact.slip = 0;
  Eigen::VectorXd state = program.State();
  state[program.unknowns() + index] = friction;
  program.SetState(state);
  program.held()[static_cast<std::size_t>(index)] = 1;
  JointFit out = RefitJoint(fit, program);
  if (!out.converged) out.chi2 = INFINITY;
  return out;
}

/// The largest slip of a contact that slides, in its standard deviations: what it would cost to make it stick, squared.
double LargestSlip(const JointProgram& program) {
  BorderedBand system;
  if (!Information(program, system)) return 0;
  double largest = 0;
  for (int c = 0; c < static_cast<int>(program.chains().size()); ++c) {
    const JointChain& chain = program.chains()[static_cast<std::size_t>(c)];
    for (int k = 1; k + 1 < static_cast<int>(chain.nodes.size()); ++k) {
      const JointNode& node = chain.nodes[static_cast<std::size_t>(k)];
      // The beginnings of contacts: what follows in lasting contact slides on.
      if (node.friction_count == 0 || node.frictions[0].slip == 0 || chain.Lasts(k - 1)) continue;
      const int candidate = node.contacts[0].candidate;
      JointChain step;
      step.step = chain.step;
      step.nodes = {node, chain.nodes[static_cast<std::size_t>(k) + 1]};
      const double slip = program.Slip(step, 0, candidate);
      Eigen::VectorXd slope = Eigen::VectorXd::Zero(program.unknowns() + program.family().size());
      for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 4; ++i) {
          const int index = program.IndexOf(c, k + side, i);
          if (index < 0) continue;
          JointNode& moved = step.nodes[static_cast<std::size_t>(side)];
          double& value = i < 3 ? moved.q[i] : moved.time;
          const double kept = value, change = i < 3 ? 1e-7 : 1e-3 * (step.nodes[1].time - step.nodes[0].time);
          value = kept + change;
          const double more = program.Slip(step, 0, candidate);
          value = kept - change;
          slope[index] = (more - program.Slip(step, 0, candidate)) / (2 * change);
          value = kept;
        }
      largest = std::max(largest, std::abs(slip) / std::sqrt(std::max(slope.dot(system.Solve(slope)), 1e-300)));
    }
  }
  return largest;
}

}  // namespace

std::optional<double> PreferSticking(JointFit& fit, int index) {
  if (!AnySlides(*fit.program)) return FrictionNeeded(*fit.program);
  if (LargestSlip(*fit.program) > kSurelySlides) return std::nullopt;
  JointFit stuck = HoldFriction(fit, index, 1.5 * fit.program->params()[index] + 0.1);
  if (stuck.chi2 - fit.chi2 > kChi2OneSided) return std::nullopt;
  DescribeFit(stuck);
  stuck.iterations += fit.iterations;
  stuck.start = fit.start;
  fit = std::move(stuck);
  return FrictionNeeded(*fit.program);
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
