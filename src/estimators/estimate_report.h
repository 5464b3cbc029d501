// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What all estimators say in the same way: which recordings are used, what each number is worth, and all of it in the
// order of the request.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "estimators/mass_observability.h"
#include "inference/fit_problem.h"

namespace ricochet {

/// Calls `use` for every recording with its place and its entry of `estimate.recordings`, which it marks as used or
/// gives a reason. One that throws InputError is excluded with its name, unless it is the only one. When none is used,
/// `otherwise` may use some; throws InputError with `remedy` when it does not.
void UseRecordings(const IdentifyRequest& request, std::string_view remedy,
                   const std::function<void(int, RecordingUse&)>& use, Estimate& estimate,
                   const std::function<void()>& otherwise = {});

/// A parameter with path, unit and start value, not yet identified.
EstimatedParameter UnidentifiedParameter(const Scene& scene, const SelectedParameter& selected, double start);

/// Gives a number its value and standard deviation (none where it is not known), and warns when it is at its bound.
void GiveValue(double value, std::optional<double> deviation, double lower, double upper, EstimatedParameter& number,
               Estimate& estimate);

/// The parameters of a fit with their values and standard deviations, those of `covariance`. One that the fit held, or
/// that has no finite standard deviation, is not identifiable: `no_effect` says why.
std::vector<EstimatedParameter> FoundParameters(const ParameterMap& parameters, const Fit& fit,
                                                const Eigen::MatrixXd& covariance, std::string_view no_effect,
                                                Estimate& estimate);

/// Puts what was found for the parameters of `refusal.parameters`, with their covariance, in the order of the request.
/// Where mass or inertia is not identifiable the ratio that is identifiable is named; ratios that were not requested
/// are appended.
void PlaceEstimates(const MassRefusal& refusal, const std::vector<EstimatedParameter>& found,
                    const Eigen::MatrixXd& covariance, Estimate& estimate);

/// Makes the calibrated scene have exactly the estimated values where it has others; warns where no scene can have
/// them.
void KeepEstimates(const Scene& scene, Identification& result);

/// Covariance of `estimate.parameters` from that of the numbers they come from (`source`, -1: none), where both of a
/// pair have a value.
void PlaceCovariance(const std::vector<int>& source, const Eigen::MatrixXd& covariance, Estimate& estimate);

}  // namespace ricochet
