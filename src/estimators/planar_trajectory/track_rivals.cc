// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_rivals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "estimators/planar_trajectory/track_fitter.h"
#include "optimize/covariance.h"

namespace ricochet {
namespace {

constexpr double kCounted = 0.02;  // of the fastest impact
constexpr double kNear = 1e-2;     // points closer than this, in units of the scales, are one
constexpr double kFar = 25;        // of the cost: what is so much worse is no rival
constexpr std::size_t kMost = 4;   // rivals that are fitted to the end

}  // namespace

ContactSequence SequenceOf(const TrackResiduals& residuals, const Eigen::VectorXd& z, double* score) {
  const PlanarTrack& track = residuals.track();
  std::vector<Eigen::Vector3d> poses;
  std::vector<EventRecord> records;
  EventSummary summary;
  ContactSequence out;
  if (!residuals.Predict(z, poses, &summary, &records)) return out;
  double fastest = 0;
  for (const EventRecord& record : records) fastest = std::max(fastest, -record.approach);
  for (const EventRecord& record : records) {
    if (record.kind == EventKind::kContact) {
      const ContactMark step{-1, record.candidate, record.slip};
      if (out.empty() || out.back() != step) out.push_back(step);
      continue;
    }
    if (-record.approach < kCounted * fastest) continue;
    const auto after = std::upper_bound(track.time.begin(), track.time.end(), record.time);
    out.push_back({static_cast<int>(after - track.time.begin()), record.candidate, record.slip});
  }
  if (!score) return out;
  Eigen::VectorXd all;
  residuals.Compare(z, all);
  std::array<double, kShownKinds.size()> sum = {};
  std::array<int, kShownKinds.size()> count = {};
  for (int i = 0; i < track.size(); ++i) {
    if (residuals.rejected()[static_cast<std::size_t>(i)]) continue;
    for (int value = 0; value < track.width(); ++value) {
      const auto kind = static_cast<std::size_t>(track.KindOf(value));
      sum[kind] += std::pow(all[track.width() * i + value], 2);
      count[kind] += !std::isnan(track.Shown(i, value));
    }
  }
  *score = 0;
  for (std::size_t kind = 0; kind < sum.size(); ++kind)
    if (count[kind] > 0) *score += track.noise_given ? sum[kind] : count[kind] * std::log(sum[kind]);
  return out;
}

void TrackFitter::Remember(const TrackPath& path) {
  if (!std::isfinite(path.cost) || path.cost > least_cost_ + kFar || Rejected() > 0) return;
  least_cost_ = std::min(least_cost_, path.cost);
  for (const Eigen::VectorXd& z : remembered_)
    if ((z - path.z).cwiseQuotient(solver_.scale).cwiseAbs().maxCoeff() < kNear) return;
  remembered_.push_back(path.z);
}

std::vector<TrackRival> TrackFitter::Rivals(const Eigen::VectorXd& best) {
  const int n = track_.size();
  residuals_.SetWindow(n);
  double least = INFINITY;
  const ContactSequence own = SequenceOf(residuals_, best, &least);
  std::map<ContactSequence, std::pair<double, Eigen::VectorXd>> others;
  for (const Eigen::VectorXd& z : remembered_) {
    double score = INFINITY;
    const ContactSequence sequence = SequenceOf(residuals_, z, &score);
    if (sequence.empty() || sequence == own || score > least + 2 * kRivalLoss) continue;
    auto& entry = others.try_emplace(sequence, INFINITY, z).first->second;
    if (score < entry.first) entry = {score, z};
  }
  std::vector<std::pair<double, Eigen::VectorXd>> ranked;
  for (auto& [sequence, entry] : others) ranked.push_back(std::move(entry));
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (ranked.size() > kMost) ranked.resize(kMost);

  const KeptNoise kept = KeepNoise();
  const auto score_of = [&](const TrackPath& path) { return track_.noise_given ? 2 * path.cost : LogNoise(track_); };
  TrackPath fitted{best, INFINITY, n, INFINITY, {}};
  Solve(fitted, n, 0, 1e-6, 0);
  const double reference = score_of(fitted);
  std::vector<TrackRival> rivals;
  for (const auto& [score, z] : ranked) {
    TrackPath path{z, INFINITY, n, INFINITY, {}};
    for (int round = 0; round < 4; ++round) {
      UpdateNoise(path);
      Solve(path, n, 12, 1e-5, 0);
    }
    UpdateNoise(path);
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    if (std::isfinite(path.cost) && score_of(path) < reference + kRivalLoss && SequenceOf(residuals_, path.z) != own &&
        residuals_.Evaluate(path.z, r, &j)) {
      const ParameterInformation information = AnalyzeInformation(j, solver_.scale, 1e-7);
      rivals.push_back({path.z, score_of(path) - reference,
                        information.covariance.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; })});
    }
    RestoreNoise(kept);
  }
  std::sort(rivals.begin(), rivals.end(), [](const TrackRival& a, const TrackRival& b) { return a.loss < b.loss; });
  return rivals;
}

}  // namespace ricochet
