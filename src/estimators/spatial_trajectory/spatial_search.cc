// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Where the fit of recordings in space looks for its maximum: start values, the growing window, starts beside the best.
#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "core/threads.h"
#include "estimators/spatial_trajectory/spatial_fit.h"
#include "estimators/spatial_trajectory/spatial_residuals.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kFollows = 8;           // sigma within which a prediction follows the data
constexpr std::size_t kMostStarts = 36;  // combinations of start values
constexpr double kGoodNoise = 1.7;       // residuals over scatter up to which a path counts as right
constexpr double kPoorFit = 1.6;         // mean square of the residuals from which starts beside are tried
constexpr int kHops = 96;                // such starts, and how many of them are fitted
constexpr std::size_t kHopFits = 3;
constexpr int kHopRounds = 4;
constexpr double kLeastKnown = 20;  // singular value, in typical sizes, below which directions count as this open

}  // namespace

std::vector<Eigen::VectorXd> SpatialFit::StartValues() const {
  std::vector<Eigen::VectorXd> values = {family_.start()};
  for (int i = 0; i < family_.size(); ++i) {
    const double own = family_.start()[i];
    std::vector<double> others;
    const SelectedParameter& selected = family_.selected()[static_cast<std::size_t>(i)];
    if (selected.denominator) continue;
    const std::string& path = selected.path;
    if (family_.quantity(i) == Quantity::kFriction) others = {0.1, 0.3, 0.6};
    if (family_.quantity(i) == Quantity::kRestitution) others = {0.1, 0.5};
    if (family_.quantity(i) == Quantity::kLength && path.find("patch") != std::string::npos)
      others = {0.3 * own, 3 * own};
    const std::size_t before = values.size();
    for (const double other : others) {
      if (before * 2 > kMostStarts) break;
      for (std::size_t k = 0; k < before && values.size() < kMostStarts; ++k) {
        values.push_back(values[k]);
        values.back()[i] = other;
      }
    }
  }
  return values;
}

double SpatialFit::Plausibility(const Eigen::VectorXd& common) const {
  const std::optional<SpatialInstance> instance = family_.Compile(common);
  if (!instance) return INFINITY;
  const int count = std::min<int>(options_.search_recordings, static_cast<int>(used.size()));
  std::vector<double> sums(static_cast<std::size_t>(count), INFINITY);
  ParallelFor(count, [&](int k) {
    const SpatialRollout& rollout = *Of(k).rollout;
    SpatialRollout whole = rollout;
    whole.window = rollout.track().rows();
    Eigen::VectorXd residuals;
    if (!whole.Evaluate(*instance, Eigen::VectorXd::Zero(whole.local_size()), residuals, nullptr)) return;
    double sum = 0;
    for (const double r : residuals) sum += std::log1p(r * r / 100);
    sums[static_cast<std::size_t>(k)] = sum;
  });
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum;
}

/// Tries starts beside those of recordings that do not fit; true when one of them improved.
///
/// Whether a contact closes in one step or the next makes the motion jump, so the likelihood has a maximum on each of
/// many pieces. The rows that were fitted before the window grew leave the start uncertain by its covariance there;
/// starts drawn from it, rolled out over the new window, are judged by their cost, and the best are fitted.
/// `before`: rows whose covariance is meant, per used recording.
bool SpatialFit::Hop(BlockPoint& at, const std::vector<int>& before, int stage, bool only_poor) {
  const std::optional<SpatialInstance> instance = family_.Compile(at.common);
  if (!instance) return false;
  std::vector<char> improved(used.size(), 0);
  Eigen::VectorXd common = at.common;  // of a better start, when there is one recording
  ParallelFor(static_cast<int>(used.size()), [&](int k) {
    const SpatialRollout& rollout = *Of(k).rollout;
    Eigen::VectorXd& xi = at.local[static_cast<std::size_t>(k)];
    Eigen::VectorXd r;
    if (!rollout.Evaluate(*instance, xi, r, nullptr)) return;
    const double now = LeastSquaresCost(r, options_.search_huber);
    if (only_poor && 2 * now < kPoorFit * static_cast<double>(r.size())) return;
    SpatialRollout earlier = rollout;
    earlier.window = before[static_cast<std::size_t>(k)];
    Eigen::MatrixXd jacobian;
    if (!earlier.Evaluate(*instance, xi, r, &jacobian)) return;
    // In typical sizes, so that what the rows leave open moves by a few percent at most.
    const Eigen::MatrixXd scaled_basis = rollout.TypicalSizes().cwiseInverse().asDiagonal() * rollout.reference.basis;
    const Eigen::VectorXd scale = scaled_basis.colwise().norm().cwiseInverse().transpose();
    const SingularDecomposition svd = DecomposeSingular(jacobian.leftCols(rollout.local_size()) * scale.asDiagonal());
    const Eigen::VectorXd& s = svd.values;
    Random random(static_cast<std::uint64_t>(stage), static_cast<std::uint64_t>(used[static_cast<std::size_t>(k)]));
    std::vector<std::pair<double, Eigen::VectorXd>> trials;
    for (int trial = 0; trial < kHops; ++trial) {
      const double spread = 0.5 * (1 + trial % 6);
      Eigen::VectorXd step(s.size());
      for (Eigen::Index i = 0; i < s.size(); ++i) step[i] = random.Normal() * spread / std::max(s[i], kLeastKnown);
      const Eigen::VectorXd other = xi + scale.cwiseProduct(svd.V.leftCols(s.size()) * step);
      if (rollout.Evaluate(*instance, other, r, nullptr))
        trials.emplace_back(LeastSquaresCost(r, options_.search_huber), other);
    }
    std::stable_sort(trials.begin(), trials.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double least = now - std::min(1.0, 1e-2 * now);
    for (std::size_t trial = 0; trial < std::min<std::size_t>(kHopFits, trials.size()); ++trial) {
      SpatialResiduals residuals(family_, {&rollout});
      BlockPoint one{at.common, {trials[trial].second}};
      BlockLeastSquaresOptions solver;
      solver.max_iterations = 6;
      solver.cost_tolerance = 1e-2;
      solver.huber = options_.search_huber;
      // Common numbers follow when no other recording has a say in them.
      solver.held.assign(static_cast<std::size_t>(family_.size()), used.size() > 1);
      solver.lower = family_.lower();
      solver.upper = family_.upper();
      const LeastSquaresSummary end = MinimizeBlocks(residuals, solver, one);
      if (end.end == LeastSquaresEnd::kFailed || end.cost >= least) continue;
      least = end.cost;
      improved[static_cast<std::size_t>(k)] = 1;
      xi = one.local[0];
      if (used.size() == 1) common = one.common;
    }
  });
  const bool any = std::any_of(improved.begin(), improved.end(), [](char each) { return each; });
  if (any) at.common = common;
  return any;
}

double SpatialFit::Grow(BlockPoint& at) {
  const Eigen::VectorXd began = at.common;
  for (const int index : used) {
    SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
    recording.rollout->window = recording.start_rows;
  }
  std::vector<int> before(used.size());
  for (int stage = 0;; ++stage) {
    // Add rows where the prediction follows the data, or a quarter more.
    const std::optional<SpatialInstance> instance = family_.Compile(at.common);
    if (!instance) return INFINITY;
    for (std::size_t k = 0; k < used.size(); ++k)
      before[k] = recordings[static_cast<std::size_t>(used[k])]->rollout->window;
    ParallelFor(static_cast<int>(used.size()), [&](int k) {
      SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(used[static_cast<std::size_t>(k)])];
      SpatialRollout& rollout = *recording.rollout;
      const int rows = recording.track.rows();
      if (rollout.window == rows) return;
      int next = std::min(rows, rollout.window + std::max(3, rollout.window / 4));
      SpatialRollout whole = rollout;
      whole.window = rows;
      Eigen::VectorXd residuals;
      if (whole.Evaluate(*instance, at.local[static_cast<std::size_t>(k)], residuals, nullptr)) {
        const int width = static_cast<int>(residuals.size()) / rows;
        while (next < rows && residuals.segment(width * next, width).lpNorm<Eigen::Infinity>() < kFollows) ++next;
      }
      rollout.window = next;
    });
    bool whole = true;
    for (const int index : used) {
      const SpatialRecordingFit& recording = *recordings[static_cast<std::size_t>(index)];
      whole = whole && recording.rollout->window == recording.track.rows();
    }
    const std::optional<Eigen::VectorXd> prior = whole ? std::nullopt : std::optional(began);
    LeastSquaresSummary end = Solve(at, 12, whole ? 1e-4 : 1e-2, options_.search_huber, prior);
    for (int round = 0; round < kHopRounds && end.end != LeastSquaresEnd::kFailed; ++round) {
      if (!Hop(at, before, kHopRounds * stage + round, true)) break;
      end = Solve(at, 12, whole ? 1e-4 : 1e-2, options_.search_huber, prior);
    }
    if (end.end == LeastSquaresEnd::kFailed) return INFINITY;
    if (whole) return end.cost;
  }
}

bool SpatialFit::FollowPaths() {
  std::vector<std::pair<double, Eigen::VectorXd>> ranked;
  for (const Eigen::VectorXd& values : StartValues()) {
    const Eigen::VectorXd inside = values.cwiseMax(family_.lower()).cwiseMin(family_.upper());
    ranked.emplace_back(Plausibility(inside), inside);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  double least = INFINITY;
  std::vector<OptimizerStage> way;
  for (int k = 0; k < std::min<int>(options_.paths, static_cast<int>(ranked.size())); ++k) {
    if (!std::isfinite(ranked[static_cast<std::size_t>(k)].first)) break;
    BlockPoint at{ranked[static_cast<std::size_t>(k)].second, {}};
    for (const int index : used)
      at.local.push_back(Eigen::VectorXd::Zero(recordings[static_cast<std::size_t>(index)]->rollout->local_size()));
    trace.clear();
    const double end = Grow(at);
    if (end < least) {
      least = end;
      point = at;
      way = trace;
    }
    // With this many residuals noise alone leaves a cost of half their number.
    double rows = 0;
    for (const int index : used) rows += recordings[static_cast<std::size_t>(index)]->rollout->residual_size();
    if (2 * least < kGoodNoise * kGoodNoise * rows) break;
  }
  trace = std::move(way);
  return std::isfinite(least);
}

}  // namespace ricochet
