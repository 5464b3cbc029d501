// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/fit_bootstrap.h"

#include <memory>

namespace ricochet {
namespace {

constexpr std::uint64_t kFirstStream = 1000;

bool Simulates(const FitProblem& problem, const Fit& fit) {
  Random random(0);
  return problem.Draw(fit, random) != nullptr;
}

/// Searches from the fit, whose parameters that are not identified stay where they are.
bool Refit(FitProblem& problem, const Fit& fit, const std::vector<int>& blocks, Eigen::VectorXd& values) {
  FitPoint from{fit.point.values, {}};
  for (const int block : blocks) from.local.push_back(fit.point.local[static_cast<std::size_t>(block)]);
  const Fit again = problem.Search(fit.held, &from);
  values = again.point.values;
  return again.found && again.converged;
}

}  // namespace

std::string_view BootstrapKind(const FitProblem& problem, const Fit& fit) {
  return Simulates(problem, fit) ? "a parametric bootstrap" : "a bootstrap over recordings";
}

BootstrapResult BootstrapFit(const FitProblem& problem, const Fit& fit, const BootstrapOptions& options) {
  const int size = problem.parameters().size();
  std::vector<int> all;
  for (int block = 0; block < problem.blocks(); ++block) all.push_back(block);
  if (Simulates(problem, fit))
    return Bootstrap(options, size, [&](int k, Eigen::VectorXd& values) {
      Random random(options.seed, kFirstStream + static_cast<std::uint64_t>(k));
      const std::unique_ptr<FitProblem> drawn = problem.Draw(fit, random);
      return drawn != nullptr && Refit(*drawn, fit, all, values);
    });
  RefuseFewRecordings("bootstrap", problem.blocks(), size);
  return BootstrapRecordings(options, size, problem.blocks(), problem.FreedomOfRecordings(),
                             [&](int, const std::vector<int>& drawn, Eigen::VectorXd& values) {
                               return Refit(*problem.Subset(drawn), fit, drawn, values);
                             });
}

}  // namespace ricochet
