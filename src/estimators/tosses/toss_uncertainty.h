// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// How well tosses tell the numbers, on request: drawn anew (bootstrap.h), and profiles (profile.h).
#pragma once

#include <Eigen/Core>
#include <string_view>

#include "estimators/estimator.h"
#include "estimators/tosses/toss_likelihood.h"
#include "estimators/tosses/toss_search.h"
#include "inference/bootstrap.h"
#include "inference/profile.h"

namespace ricochet {

/// Whether tosses tell number `i` at all, better than the box of the search does.
bool IsToldByTosses(const SpatialFamily& family, const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance,
                    int i);

/// Gives numbers that change no cost, wherever they are in the box of the search, an infinite variance.
void MarkThoseWithoutEffect(const SpatialFamily& family, const TossCosts& costs, int tosses,
                            const Eigen::VectorXd& params, Eigen::MatrixXd& covariance);

/// Takes the covariance of a bootstrap for what is told; what is not stays so: fits that begin at the estimate leave it
/// where it is, and would seem sure of it.
void TakeTossBootstrap(const IdentifyRequest& request, const SpatialFamily& family, const Eigen::VectorXd& params,
                       const BootstrapResult& repeated, std::string_view kind, Eigen::MatrixXd& covariance,
                       Estimate& estimate);

/// Tosses drawn anew: the velocities behind their impacts fitted again from the estimate;
BootstrapResult RepeatImpacts(const IdentifyRequest& request, const SpatialFamily& family, const TossSet& set,
                              const Eigen::VectorXd& params);
/// the fits of each toss are what they were, and are combined again;
BootstrapResult RepeatLikelihood(const IdentifyRequest& request, const TossLikelihoodResult& fit);
/// the cost (18) minimised again from its minimum.
BootstrapResult RepeatSearch(const IdentifyRequest& request, const SpatialFamily& family, const TossSet& set,
                             const TossMinimum& found);

/// A task with names and range of a number of tosses; its fits are the caller's.
ProfileTask BeginTossProfile(const SpatialFamily& family, const Eigen::VectorXd& params,
                             const Eigen::MatrixXd& covariance, int i);

/// Profile of a cost per toss, judged by the scatter between tosses.
EstimatedProfile ProfileOfCost(const SpatialFamily& family, const TossCosts& costs, int tosses,
                               const Eigen::VectorXd& params, const Eigen::MatrixXd& covariance, int i,
                               std::uint64_t seed);

}  // namespace ricochet
