// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// k-fold cross-validation of a method: recording i is left out in fold i mod k, the parameters are searched on the
// others, and with them held the local unknowns of the recordings left out are fitted. What the residuals of those are,
// over the noise, says how well the model predicts what it has not seen; how the parameters of the folds scatter says
// how well they are known.
#pragma once

#include <memory>
#include <vector>

#include "inference/fit_problem.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// Recordings of one fold, left out, and those of all others.
struct Fold {
  std::vector<int> left_out, others;
};

/// Recording i is left out in fold i mod `folds`. Throws InputError for fewer than two folds or more folds than
/// recordings.
std::vector<Fold> SplitIntoFolds(int recordings, int folds);

/// What one fold says.
struct FoldFit {
  Fit fit;                               // of the others
  std::unique_ptr<FitProblem> left_out;  // the problem on the recordings left out,
  Fit rest;                              // and its fit with the parameters held; not found where `fit` is not
};
FoldFit FitFold(const FitProblem& problem, const Fold& fold);

/// The fit of a problem whose parameters are held at these values.
Fit FitHeld(FitProblem& problem, const Eigen::VectorXd& values);

/// Throws InputError as SplitIntoFolds does.
EstimatedCrossValidation CrossValidateFit(const FitProblem& problem, int folds);

}  // namespace ricochet
