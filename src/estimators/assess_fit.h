// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What an estimate says about a fit beyond its values, for every method and as the request has it:
//
//   covariance          the fit's own with its rivals (inference/rivals.h), or that of the bootstrap
//                       (inference/fit_bootstrap.h)
//   profiles            inference/parameter_profile.h
//   rank, null space    inference/information.h
//   cross-validation    inference/cross_validation.h
//   verdict             inference/verdict.h
//
// An estimator poses its problem, searches, reports what is its own (motion, impulses, warnings) and calls AssessFit.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "estimators/estimator.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// Indices among `parameters` of those whose profile is requested. Throws InputError for one that is not there, so that
/// an estimator calls it before its search.
std::vector<int> ProfiledParameters(const IdentifyRequest& request, const std::vector<SelectedParameter>& parameters);

/// Adds the verdict, the requested profiles, information and cross-validation, and what was done, to the estimate.
/// Returns the covariance to report, in the order of the problem's parameters; where the verdict is limited, it is
/// enlarged.
Eigen::MatrixXd AssessFit(FitProblem& problem, const Fit& fit, const IdentifyRequest& request, Estimate& estimate);

}  // namespace ricochet
