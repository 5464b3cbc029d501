// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_solve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/optimizer_trace.h"
#include "optimize/least_squares.h"

namespace ricochet {
namespace {

/// Squares of the steps that count as 1 under the damping, inverted.
Eigen::VectorXd DampingScale(const JointProgram& program) {
  Eigen::VectorXd scale = Eigen::VectorXd::Zero(program.unknowns() + program.family().size());
  const EventBody<double>& body = program.body();
  for (std::size_t c = 0; c < program.chains().size(); ++c) {
    const JointChain& chain = program.chains()[c];
    const double speed = program.weights().speed;
    for (int k = 0; k < static_cast<int>(chain.nodes.size()); ++k)
      for (int i = 0; i < 4 + kJointContacts + kJointGroups; ++i) {
        const int index = program.IndexOf(static_cast<int>(c), k, i);
        if (index < 0) continue;
        const double unit = i < 3    ? chain.track.Noise(i)
                            : i == 3 ? chain.track.noise_position / speed
                                     : speed / body.inverse_mass;
        scale[index] = 1 / (unit * unit);
      }
  }
  scale.tail(program.family().size()) = program.family().scale().array().square().inverse();
  return scale;
}

}  // namespace

JointSummary SolveJoint(JointProgram& program, const JointSolveOptions& options) {
  JointSummary out;
  BorderedBand system;
  const Eigen::VectorXd scale = DampingScale(program);
  double damping = 1e-3, growth = 2;
  for (int round = 0; round < options.rounds; ++round) {
    out.stationary = false;
    JointProgram::Value value = program.Linearize(system);
    std::vector<LeastSquaresStep> steps = {{0.5 * value.merit, 0}};
    while (out.iterations < options.iterations) {
      ++out.iterations;
      const Eigen::VectorXd x = program.State();
      if (!system.Factor(damping, scale)) {
        damping = std::max(10 * damping, 1e-12);
        if (damping > 1e8) break;
        continue;
      }
      const Eigen::VectorXd step = system.Solve();
      const double predicted = -system.gradient().dot(step);  // of the merit, at least
      // What is left of the equalities is small in the merit, so it does not end a solve.
      const double least = value.violation < options.feasibility ? options.tolerance : 1e-6 * options.tolerance;
      if (!(predicted > 0) || predicted < least) {
        out.stationary = true;
        break;
      }
      program.SetState(program.Advance(x, step));
      const JointProgram::Value trial = program.Evaluate();
      const double gain = (value.merit - trial.merit) / predicted;
      if (std::isfinite(trial.merit) && trial.merit < value.merit) {
        damping *= std::max(0.1, 1 - std::pow(2 * gain - 1, 3));
        growth = 2;
        value = program.Linearize(system);
        steps.push_back({0.5 * value.merit, std::sqrt(step.cwiseAbs2().dot(scale))});
      } else {
        program.SetState(x);
        damping *= growth;
        growth *= 2;
        if (damping > 1e8) break;
      }
    }
    AddStage(fmt::format("{} free numbers, multipliers {}", program.unknowns(), round + 1), steps, program.trace);
    out.chi2 = value.chi2;
    out.violation = value.violation;
    out.data = value.data;
    out.feasible = value.violation < options.feasibility;
    if ((out.feasible && out.stationary) || out.iterations >= options.iterations) break;
    program.UpdateMultipliers();
  }
  return out;
}

}  // namespace ricochet
