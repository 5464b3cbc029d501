// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Repetitions of a bootstrap: fits to data drawn anew, whose scatter is the uncertainty of the estimate.
//
// Repetition k depends on (seed, k) alone, so the covariance has the same bits for any number of threads and ranks
// (core/ranks.h), and after an interruption: with IdentifyOptions::store set, finished repetitions are kept in that
// file (core/slot_file.h) until all are there.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "ricochet/identify.h"

namespace ricochet {

struct BootstrapResult {
  Eigen::MatrixXd covariance;  // NaN with fewer than two repetitions that gave a fit
  int failed = 0;              // repetitions that gave none
};

/// `repeat(k, params)` fits repetition k and fills the `size` parameters; false when there is no fit. It is called by
/// several threads. All ranks call Bootstrap and get the result. Throws NumericsError when interrupted, InputError when
/// the store belongs to other work.
BootstrapResult Bootstrap(const IdentifyOptions& options, int size,
                          const std::function<bool(int k, Eigen::VectorXd& params)>& repeat);

/// Says in the estimate how many repetitions its standard deviations come from.
void TellBootstrap(const IdentifyOptions& options, const BootstrapResult& result, Estimate& estimate);

}  // namespace ricochet
