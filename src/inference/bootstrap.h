// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Repetitions of a bootstrap: fits to resampled data, whose scatter is the uncertainty of the estimate.
//
// Repetition k depends on (seed, k) alone, so the covariance has the same bits for any number of threads and ranks
// (core/work/ranks.h), and after an interruption: with a `store`, finished repetitions are kept in that file
// (core/work/slot_file.h) until all are there.
//
// Two ways to draw: recordings simulated at the estimate with its noise (parametric; the caller's `repeat` makes them),
// or the recordings themselves with replacement, which holds whether or not the model is right. K recordings drawn
// again scatter by (K - p) / K too little in the variance of p parameters, and a standard deviation from few has
// Student's tails: both factors are corrected, so that +- 1.96 standard deviations is a 95 % interval.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/estimate.h"

namespace ricochet {

struct BootstrapOptions {
  int repetitions = 0;
  std::uint64_t seed = 0;
  std::string store{};        // file that keeps finished repetitions; empty: none
  std::string fingerprint{};  // of everything the repetitions depend on; a store with a different one is rejected
};

struct BootstrapResult {
  Eigen::MatrixXd covariance;             // NaN with fewer than two repetitions that gave a fit
  std::vector<std::vector<double>> fits;  // parameters of each repetition that gave one
  int failed = 0;                         // repetitions that gave none

  bool enough() const { return covariance.allFinite(); }
};

/// `repeat(k, params)` fits repetition k and fills the `size` parameters; false when there is no fit. It is called by
/// several threads. All ranks call Bootstrap and get the result. Throws Cancelled, and InputError when
/// the store belongs to other work.
BootstrapResult Bootstrap(const BootstrapOptions& options, int size,
                          const std::function<bool(int k, Eigen::VectorXd& params)>& repeat);

/// Fewest recordings whose scatter is usable.
inline constexpr int kFewestRecordings = 5;

/// Throws InputError when `option` needs the scatter between recordings and there are too few that can be used for
/// `size` numbers.
void RefuseFewRecordings(std::string_view option, int usable, int size);

/// Bootstrap over recordings: `repeat(k, drawn, params)` fits the recordings `drawn` (ascending, as many as there are,
/// some several times). `fitted`: the p above, degrees of freedom that a fit takes from the recordings.
BootstrapResult BootstrapRecordings(
    const BootstrapOptions& options, int size, int recordings, int fitted,
    const std::function<bool(int k, const std::vector<int>& drawn, Eigen::VectorXd& params)>& repeat);

/// Takes the covariance where enough repetitions gave a fit, and records in the estimate where standard deviations come
/// from: `kind` and the fits themselves. `paths` of their parameters.
void TakeBootstrap(int repetitions, const BootstrapResult& result, std::string_view kind,
                   const std::vector<std::string>& paths, Eigen::MatrixXd& covariance, Estimate& estimate);

}  // namespace ricochet
