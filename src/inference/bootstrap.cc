// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "inference/bootstrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "core/work/chunked_work.h"
#include "core/work/slot_file.h"
#include "math/statistics.h"
#include "ricochet/error.h"

namespace ricochet {

BootstrapResult Bootstrap(const BootstrapOptions& options, int size,
                          const std::function<bool(int k, Eigen::VectorXd& params)>& repeat) {
  // Per repetition: whether it gave a fit, and its parameters.
  Eigen::MatrixXd samples = Eigen::MatrixXd::Zero(1 + size, options.repetitions);
  const auto column = [&](std::int64_t k) {
    return std::span<double>(samples.data() + k * (1 + size), static_cast<std::size_t>(1 + size));
  };
  std::optional<SlotFile> store;
  if (!options.store.empty() && IsRoot())
    store.emplace(options.store, fmt::format("{}\nbootstrap {} of {}", options.fingerprint, options.repetitions, size),
                  options.repetitions, 1 + size);
  ChunkedWork work{.task = "bootstrap", .store = options.store, .chunks = options.repetitions, .doubles = 1 + size};
  work.compute = [&](std::int64_t k, std::span<double> result) {
    Eigen::VectorXd params = Eigen::VectorXd::Zero(size);
    result[0] = repeat(static_cast<int>(k), params);
    Eigen::Map<Eigen::VectorXd>(result.data() + 1, size) = params;
  };
  if (store) work.done = [&](std::int64_t k) { return store->Read(k, column(k)); };
  work.keep = [&](std::int64_t k, std::span<const double> result) {
    std::copy(result.begin(), result.end(), column(k).begin());
    if (store) store->Write(k, result);
  };
  RunChunks(work);
  if (store) store->Remove();
  if (Ranks()) Ranks()->Broadcast({samples.data(), static_cast<std::size_t>(samples.size())});

  BootstrapResult out;
  std::vector<Eigen::VectorXd> fits;
  for (Eigen::Index k = 0; k < samples.cols(); ++k) {
    if (samples(0, k) == 0) continue;
    fits.push_back(samples.col(k).tail(size));
    out.fits.emplace_back(fits.back().begin(), fits.back().end());
  }
  out.failed = options.repetitions - static_cast<int>(fits.size());
  out.covariance = Eigen::MatrixXd::Constant(size, size, NAN);
  if (fits.size() < 2) return out;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(size);
  for (const Eigen::VectorXd& fit : fits) mean += fit / static_cast<double>(fits.size());
  out.covariance.setZero();
  for (const Eigen::VectorXd& fit : fits)
    out.covariance += (fit - mean) * (fit - mean).transpose() / static_cast<double>(fits.size() - 1);
  return out;
}

void RefuseFewRecordings(std::string_view option, int usable, int size) {
  const int fewest = std::max(kFewestRecordings, size + 2);
  if (usable >= fewest) return;
  throw InputError(
      {}, std::string(option),
      fmt::format("it needs the scatter between at least {} recordings, and {} can be used.", fewest, usable),
      "Give more recordings, or leave it out.");
}

BootstrapResult BootstrapRecordings(
    const BootstrapOptions& options, int size, int recordings, int fitted,
    const std::function<bool(int k, const std::vector<int>& drawn, Eigen::VectorXd& params)>& repeat) {
  BootstrapResult out = Bootstrap(options, size, [&](int k, Eigen::VectorXd& params) {
    Random random(options.seed, 3000 + static_cast<std::uint64_t>(k));
    std::vector<int> drawn;
    drawn.reserve(static_cast<std::size_t>(recordings));
    for (int i = 0; i < recordings; ++i)
      drawn.push_back(static_cast<int>(random.Below(static_cast<std::uint64_t>(recordings))));
    std::sort(drawn.begin(), drawn.end());
    return repeat(k, drawn, params);
  });
  const double student = StudentFactor(recordings - fitted);
  out.covariance *= student * student * recordings / (recordings - fitted);
  return out;
}

void TakeBootstrap(int repetitions, const BootstrapResult& result, std::string_view kind,
                   const std::vector<std::string>& paths, Eigen::MatrixXd& covariance, Estimate& estimate) {
  estimate.bootstrap = EstimatedBootstrap{std::string(kind), paths, result.fits};
  if (!result.enough()) {
    estimate.warnings.push_back(
        fmt::format("{} of {} repetitions of the bootstrap gave a fit, which is too few: the standard deviations are "
                    "those without the bootstrap",
                    repetitions - result.failed, repetitions));
    return;
  }
  covariance = result.covariance;
  estimate.log.push_back(
      fmt::format("standard deviations from {} repetitions of {}", repetitions - result.failed, kind));
  if (result.failed > 0)
    estimate.warnings.push_back(
        fmt::format("{} of {} repetitions of the bootstrap gave no fit and are excluded", result.failed, repetitions));
}

}  // namespace ricochet
