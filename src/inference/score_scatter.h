// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Covariance of a fit from the scatter of its data, for models that do not explain them down to independent noise.
//
// With rows behind the local unknowns, H = J'J and g_k = J_k' r_k the pull of cluster k on the parameters (they sum to
// 0 at the fit), the covariance is n / (n - 1) H^-1 (sum_k g_k g_k') H^-1 whatever the errors within a cluster are
// (Huber, White; Liang and Zeger). Clusters are the recordings where there are enough of them, otherwise stretches of
// time.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "inference/fit_problem.h"

namespace ricochet {

/// None when the method has no derivatives, or when there are too few rows. Parameters that the data do not identify
/// have no variance.
std::optional<Eigen::MatrixXd> ScatterCovariance(const FitProblem& problem, const Fit& fit);

}  // namespace ricochet
