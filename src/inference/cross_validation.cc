// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/cross_validation.h"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/error.h"

namespace ricochet {

std::vector<Fold> SplitIntoFolds(int recordings, int folds) {
  if (folds < 2 || recordings < folds)
    throw InputError({}, "folds",
                     fmt::format("{} recording{} cannot be split into {} folds.", recordings,
                                 recordings == 1 ? "" : "s", folds),
                     "Give at least 2 folds and a recording for each.");
  std::vector<Fold> out(static_cast<std::size_t>(folds));
  for (int fold = 0; fold < folds; ++fold)
    for (int i = 0; i < recordings; ++i)
      (i % folds == fold ? out[static_cast<std::size_t>(fold)].left_out : out[static_cast<std::size_t>(fold)].others)
          .push_back(i);
  return out;
}

Fit FitHeld(FitProblem& problem, const Eigen::VectorXd& values) {
  const FitPoint from{values, {}};
  return problem.Search(HeldParameters(static_cast<std::size_t>(values.size()), 1), &from);
}

FoldFit FitFold(const FitProblem& problem, const Fold& fold) {
  FoldFit out{problem.Subset(fold.others)->Search(), problem.Subset(fold.left_out), {}};
  if (out.fit.found) out.rest = FitHeld(*out.left_out, out.fit.point.values);
  return out;
}

EstimatedCrossValidation CrossValidateFit(const FitProblem& problem, int folds) {
  const std::vector<Fold> split = SplitIntoFolds(problem.blocks(), folds);
  EstimatedCrossValidation out;
  out.folds = folds;
  out.paths = problem.parameters().paths();
  double squares = 0;
  long count = 0;
  for (int fold = 0; fold < folds; ++fold) {
    const std::vector<int>& own = split[static_cast<std::size_t>(fold)].left_out;
    const auto [fit, left_out, rest] = FitFold(problem, split[static_cast<std::size_t>(fold)]);
    out.values.emplace_back();
    if (!fit.found) continue;
    out.values.back().assign(fit.point.values.begin(), fit.point.values.end());
    for (std::size_t k = 0; k < own.size(); ++k) {
      ResidualBlock block;
      HeldOutRecording entry{problem.recording(own[k]), fold, std::nullopt};
      if (rest.found && left_out->Evaluate(static_cast<int>(k), rest.point, false, block) &&
          block.residuals.size() > 0) {
        squares += block.residuals.squaredNorm();
        count += block.residuals.size();
        entry.residual_over_noise =
            std::sqrt(block.residuals.squaredNorm() / static_cast<double>(block.residuals.size()));
      }
      out.recordings.push_back(entry);
    }
  }
  if (count > 0) out.residual_over_noise = std::sqrt(squares / static_cast<double>(count));
  return out;
}

}  // namespace ricochet
