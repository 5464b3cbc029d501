// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/toss_alone.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/optimizer_trace.h"
#include "inference/bootstrap.h"
#include "math/statistics.h"
#include "optimize/least_squares.h"

namespace ricochet {
namespace {

constexpr int kFewest = kFewestRecordings;  // tosses for a covariance from their scatter
constexpr int kDraws = 6;                   // starts beside the proposed one, per toss and round
constexpr double kLeastWidth = 0.005;       // of a parameter's size: secants stay wider than the jumps
constexpr double kApart = 3;                // factor on the scatter between tosses, by which the next pass starts away
constexpr double kNearest = 0.3, kFarthest = 2;  // of the first spread, of the next

/// Sum over the fits of their stages, each fitted `runs` times: half of the cost and the mean step, round by round; a
/// fit that ended early stays where it is.
std::vector<LeastSquaresStep> SumOfRounds(const std::vector<TossLikelihoodResult>& fits, int runs) {
  std::vector<LeastSquaresStep> out;
  std::vector<LeastSquaresStep> one;
  for (const bool adds : {false, true})
    for (const TossLikelihoodResult& fit : fits) {
      one.clear();
      for (const OptimizerStage& stage : fit.trace)
        for (std::size_t i = 0; i < stage.cost.size(); ++i) one.push_back({stage.cost[i], stage.step[i]});
      if (!adds) out.resize(std::max(out.size(), one.size()));
      for (std::size_t i = 0; adds && i < out.size() && !one.empty(); ++i) {
        const bool over = i >= one.size();
        out[i].cost += (over ? one.back() : one[i]).cost / runs;
        out[i].step += over ? 0 : one[i].step / static_cast<double>(fits.size());
      }
    }
  return out;
}

}  // namespace

TossLikelihoodResult FitAlone(const SpatialFamily& family, const TossSet& set, const Eigen::VectorXd& start,
                              const FitAloneOptions& options) {
  const int p = family.size(), count = static_cast<int>(set.used().size());
  const int runs = count >= kFewest ? 1 : (kFewest + count - 1) / count;
  TossLikelihoodResult out;
  out.params = start;
  Eigen::VectorXd spread = options.spread;
  std::vector<TossLikelihoodResult> fits(static_cast<std::size_t>(count * runs));
  for (int pass = 0; pass < options.passes; ++pass) {
    ParallelFor(count * runs, [&](int i) {
      Random random = Random(options.seed, 0x5eed).Split(static_cast<std::uint64_t>(1000 * pass + i));
      Eigen::VectorXd change = Eigen::VectorXd::Zero(p);
      for (int j = 0; j < p; ++j)
        if (spread[j] > 0) change[j] = spread[j] * random.Normal();
      const Eigen::VectorXd from = family.parameters().Clamp(family.parameters().Move(out.params, change));
      fits[static_cast<std::size_t>(i)] =
          FitTogether(family, set.Subset({i / runs}), from,
                      {.spread = spread,
                       .least_width = kLeastWidth,
                       .draws = kDraws,
                       .seed = options.seed + static_cast<std::uint64_t>(7919 * (pass + 1) + i)});
    });
    AddStage(fmt::format("likelihood, pass {}", pass + 1), SumOfRounds(fits, runs), out.trace);
    out.statements.clear();
    for (const TossLikelihoodResult& fit : fits) out.statements.push_back(fit.statements.front());
    const std::vector<CombinedNumber> combined = CombineNumbers(out.statements);
    for (int j = 0; j < p; ++j) {
      if (!(options.spread[j] > 0)) continue;
      const CombinedNumber& number = combined[static_cast<std::size_t>(j)];
      out.params[j] = number.value;
      // The next pass starts farther away than the tosses are apart.
      spread[j] = std::clamp(kApart * number.between, kNearest * options.spread[j], kFarthest * options.spread[j]);
    }
    // Runs of one toss share its noise.
    const bool enough = count >= kFewest;
    const double student = StudentFactor(enough ? count - 1 : count * runs - 1);
    out.least_variance = LeastVariances(out.statements, combined) * (enough ? 1 : runs);
    out.covariance = CovarianceOfScatter(out.statements, combined) * (student * student * (enough ? 1 : runs));
    for (int j = 0; j < p; ++j) out.covariance(j, j) = std::max(out.covariance(j, j), out.least_variance[j]);
  }
  for (int k = 0; k < count; ++k) {
    const auto first = fits.begin() + k * runs;
    const auto best = std::min_element(first, first + runs, [](const auto& a, const auto& b) {
      return a.ratio.front() / a.followed.front() < b.ratio.front() / b.followed.front();
    });
    out.ratio.push_back(best->ratio.front());
    out.freedom.push_back(best->freedom.front());
    out.frames.push_back(best->frames.front());
    out.followed.push_back(best->followed.front());
    out.moved.push_back(best->moved.front());
    out.alone.push_back(best->alone.front());
    out.chi2 += std::isfinite(best->chi2) ? best->chi2 : 0;
  }
  return out;
}

}  // namespace ricochet
