// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/tosses/located_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/threads.h"
#include "math/statistics.h"
#include "optimize/evolution.h"

namespace ricochet {
namespace {

constexpr int kTrialTosses = 8;    // that show whether the model explains tosses
constexpr double kExplains = 6;    // chi^2 / dof of a toss up to which it does
constexpr double kFollowed = 0.4;  // of the frames after the first contact, from which on that counts
constexpr int kJudges = 8;         // tosses by which starts are ranked
constexpr int kMostStarts = 3;
constexpr int kMostWithout = 2;  // starts that explain no toss
constexpr double kApart = 0.08;  // between two starts, of the box of the search

/// Tosses that the model explains, far enough after the first contact.
int CountExplained(const LocatedResult& fit) {
  int count = 0;
  for (std::size_t k = 0; k < fit.ratio.size(); ++k)
    count += fit.ratio[k] < kExplains && fit.followed[k] >= kFollowed ? 1 : 0;
  return count;
}

/// Which of two fits of the same tosses is the better one: more of them explained, more of them followed, chi^2.
bool IsBetter(const LocatedResult& a, const LocatedResult& b) {
  if (CountExplained(a) != CountExplained(b)) return CountExplained(a) > CountExplained(b);
  const long frames_a = std::accumulate(a.frames.begin(), a.frames.end(), 0L);
  const long frames_b = std::accumulate(b.frames.begin(), b.frames.end(), 0L);
  return frames_a != frames_b ? frames_a > frames_b : a.chi2 < b.chi2;
}

/// `count` of the tosses, evenly spread.
std::vector<int> Part(const TossSet& set, int count) {
  std::vector<int> part;
  const int used = static_cast<int>(set.used().size());
  count = std::min(count, used);
  for (int i = 0; i < count; ++i) part.push_back(i * used / count);
  return part;
}

/// Whether a parameter belongs to a contact law: starts differ in those. The others are near where the scene has them.
bool IsOfLaw(const SpatialFamily& family, int i) {
  const Quantity quantity = family.quantity(i);
  return quantity == Quantity::kFriction || quantity == Quantity::kRestitution;
}

/// Values to start from, best first: the scene's own are always among them.
std::vector<Eigen::VectorXd> RankStarts(const SpatialFamily& family, const TossSet& set) {
  const SearchBox box = MakeSearchBox(family);
  std::vector<int> laws;
  for (int i = 0; i < family.size(); ++i)
    if (IsOfLaw(family, i)) laws.push_back(i);
  std::vector<Eigen::VectorXd> points = {family.start()};
  if (!laws.empty()) {
    const int n = static_cast<int>(laws.size());
    for (const Eigen::VectorXd& unit : EvenPoints(n, 12 + 12 * n)) {
      Eigen::VectorXd whole = box.ToUnit(family.start());
      for (int i = 0; i < n; ++i) whole[laws[static_cast<std::size_t>(i)]] = unit[i];
      const Eigen::VectorXd params = box.FromUnit(whole);
      points.push_back(family.start());
      for (const int i : laws) points.back()[i] = params[i];
    }
  }
  const std::vector<int> judges = Part(set, kJudges);
  std::vector<double> misfit(points.size());
  ParallelFor(static_cast<int>(points.size()), [&](int i) {
    misfit[static_cast<std::size_t>(i)] = EarlyMisfit(family, set, judges, points[static_cast<std::size_t>(i)]);
  });
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return misfit[a] < misfit[b]; });
  std::vector<Eigen::VectorXd> starts;
  const auto add = [&](const Eigen::VectorXd& point) {
    for (const Eigen::VectorXd& other : starts)
      if ((box.ToUnit(point) - box.ToUnit(other)).cwiseAbs().maxCoeff() < kApart) return;
    starts.push_back(point);
  };
  for (const std::size_t i : order)
    if (static_cast<int>(starts.size()) < kMostStarts - 1) add(points[i]);
  add(family.start());
  return starts;
}

}  // namespace

bool ExplainsTosses(const LocatedResult& fit) {
  return !fit.ratio.empty() && 2 * CountExplained(fit) > static_cast<int>(fit.ratio.size());
}

double MedianRatio(const LocatedResult& fit) { return fit.ratio.empty() ? INFINITY : Median(fit.ratio); }

LocatedResult FitTosses(const SpatialFamily& family, const TossSet& set, std::uint64_t seed,
                        std::vector<std::string>& log) {
  const int count = static_cast<int>(set.used().size());
  const TossSet trial = count > kTrialTosses + kTrialTosses / 2 ? set.Subset(Part(set, kTrialTosses)) : set;
  LocatedResult best;
  int without = 0;
  for (const Eigen::VectorXd& start : RankStarts(family, trial)) {
    LocatedResult fit = MaximizeLocatedLikelihood(family, trial, start, {.seed = seed});
    log.push_back(fmt::format("likelihood: {} of {} tosses explained after {} iterations", CountExplained(fit),
                              fit.ratio.size(), fit.iterations));
    if (best.ratio.empty() || IsBetter(fit, best)) best = std::move(fit);
    const int explained = CountExplained(best);
    if (explained == static_cast<int>(best.ratio.size())) break;
    if (explained == 0 && ++without == kMostWithout) break;
  }
  if (trial.used().size() == set.used().size() || !ExplainsTosses(best)) return best;
  return MaximizeLocatedLikelihood(family, set, best.params, {.seed = seed});
}

}  // namespace ricochet
