// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/information.h"

#include <algorithm>

#include "core/threads.h"

namespace ricochet {

std::optional<ParameterInformation> InformationOf(const FitProblem& problem, const FitPoint& at,
                                                  const HeldParameters& held, double tolerance) {
  if (!problem.HasDerivatives()) return std::nullopt;
  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>(problem.blocks()));
  std::vector<char> computed(parts.size(), 0);
  ParallelFor(problem.blocks(), [&](int k) {
    ResidualBlock block;
    if (!problem.Evaluate(k, at, true, block)) return;
    computed[static_cast<std::size_t>(k)] = 1;
    parts[static_cast<std::size_t>(k)] = EliminateLocal(block.by_local, block.by_values);
  });
  if (std::find(computed.begin(), computed.end(), 0) != computed.end()) return std::nullopt;
  const ParameterMap& parameters = problem.parameters();
  Eigen::MatrixXd reduced = StackRows(parts, parameters.size());
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i]) reduced.col(static_cast<Eigen::Index>(i)).setZero();
  return AnalyzeInformation(reduced, parameters.scale(), tolerance);
}

}  // namespace ricochet
