// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/program/joint_solve.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "estimators/optimizer_trace.h"
#include "optimize/marquardt.h"

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

/// The inner problem: the merit of the program with its present multipliers.
class MeritProblem final : public MarquardtProblem, public StoppingRule {
 public:
  MeritProblem(JointProgram& program, const JointSolveOptions& options)
      : program_(program), options_(options), scale_(DampingScale(program)) {}

  bool Linearize() override {
    value_ = program_.Linearize(system_);
    cost = 0.5 * value_.merit;
    return true;
  }

  MarquardtStep Propose(double lambda) override {
    ++steps_;
    if (!system_.Factor(lambda, scale_)) return {.solved = false};
    step_ = system_.Solve();
    return {.predicted = -0.5 * system_.gradient().dot(step_)};  // at least
  }

  double TrialCost() override {
    from_ = program_.State();
    program_.SetState(program_.Advance(from_, step_));
    const double merit = program_.Evaluate().merit;
    return std::isfinite(merit) ? 0.5 * merit : INFINITY;
  }

  double Take() override { return std::sqrt(step_.cwiseAbs2().dot(scale_)); }
  void Reject() override { program_.SetState(from_); }

  /// What is left of the equalities is small in the merit, so it does not end a solve.
  std::optional<LeastSquaresEnd> BeforeTrial(const MarquardtStep& step, const MarquardtProgress&) override {
    const double least = value_.violation < options_.feasibility ? options_.tolerance : 1e-6 * options_.tolerance;
    if (step.predicted > 0 && step.predicted >= 0.5 * least) return std::nullopt;
    return LeastSquaresEnd::kConverged;
  }

  const JointProgram::Value& value() const { return value_; }
  int steps() const { return steps_; }  // computed, in all rounds

 private:
  JointProgram& program_;
  const JointSolveOptions& options_;
  const Eigen::VectorXd scale_;
  BorderedBand system_;
  JointProgram::Value value_;
  Eigen::VectorXd from_, step_;
  int steps_ = 0;
};

}  // namespace

JointSummary SolveJoint(JointProgram& program, const JointSolveOptions& options) {
  JointSummary out;
  MeritProblem problem(program, options);
  NielsenDamping damping(1e-3, 0.1, 0, 1e8);
  constexpr int kUnlimited = std::numeric_limits<int>::max();
  for (int round = 0; round < options.rounds; ++round) {
    const LeastSquaresSummary inner = RunMarquardt(
        problem, damping, problem,
        {.max_iterations = kUnlimited, .max_attempts = kUnlimited, .max_trials = options.iterations - problem.steps()});
    AddStage(fmt::format("{} free parameters, multipliers {}", program.unknowns(), round + 1), inner.trace,
             program.trace);
    out.iterations = problem.steps();
    out.stationary = inner.converged();
    out.chi2 = problem.value().chi2;
    out.violation = problem.value().violation;
    out.data = problem.value().data;
    out.feasible = out.violation < options.feasibility;
    if ((out.feasible && out.stationary) || out.iterations >= options.iterations) break;
    program.UpdateMultipliers();
  }
  return out;
}

}  // namespace ricochet
