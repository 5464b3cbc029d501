// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Whether to believe a fit, from evidence that does not come from the fit alone:
//
//   residuals against noise   their size and their independence in time (residual_check.h)
//   what was held             parameters that would explain more if they were free (held_tests.h); the best few are
//                             fitted from here, because gross errors are not linear
//   rivals                    other solutions that the data do not exclude (rivals.h)
//
// `good` needs all of them. Otherwise the fit is `limited`, and its covariance is enlarged until it covers what was
// found: by the size of the residuals, by their correlation, by the scatter between recordings or stretches of time
// (score_scatter.h), and by how far a held parameter would move the estimates. It is `rejected` when the search failed,
// or when freeing a held parameter explains residuals that are far beyond the noise. A held parameter whose gain is
// suspicious but could be chance leaves the level, and still widens the intervals by what it would change.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "inference/fit_problem.h"
#include "ricochet/estimate.h"

namespace ricochet {

/// The verdict on a fit. `covariance`, of the problem's parameters, is enlarged where the fit is limited. With
/// `all_tests`, its explanations list every test.
Verdict JudgeFit(const FitProblem& problem, const Fit& fit, Eigen::MatrixXd& covariance, bool all_tests = false);

/// The reason of a verdict that names a held parameter: what estimating it too would change, and what to do about it.
/// `determined`: the data distinguish its value from the scene's. `misfit`: the residuals of the fit over the noise.
/// `equals`: paths of others that would explain the data as well.
std::string RemedyOf(const Explanation& explanation, bool determined, const std::optional<double>& misfit,
                     const std::vector<std::string>& equals = {});

}  // namespace ricochet
