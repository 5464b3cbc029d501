// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_friction.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "estimators/program/joint_slip.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kSurelySlides = 6;  // standard deviations of a slip that no sticking fit can explain

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
  if (!FactorAtSolution(program, system)) return 0;
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

}  // namespace ricochet
