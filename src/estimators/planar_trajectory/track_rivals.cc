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

std::vector<TrackRival> FindRivals(TrackFitter& fitter, const Eigen::VectorXd& best) {
  const PlanarTrack& track = fitter.track();
  TrackResiduals& residuals = fitter.residuals();
  const int n = track.size();
  residuals.SetWindow(n);
  double least = INFINITY;
  const ContactSequence own = SequenceOf(residuals, best, &least);
  std::map<ContactSequence, std::pair<double, Eigen::VectorXd>> others;
  for (const Eigen::VectorXd& z : fitter.remembered()) {
    double score = INFINITY;
    const ContactSequence sequence = SequenceOf(residuals, z, &score);
    if (sequence.empty() || sequence == own || score > least + 2 * kRivalLoss) continue;
    auto& entry = others.try_emplace(sequence, INFINITY, z).first->second;
    if (score < entry.first) entry = {score, z};
  }
  std::vector<std::pair<double, Eigen::VectorXd>> ranked;
  for (auto& [sequence, entry] : others) ranked.push_back(std::move(entry));
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (ranked.size() > kMost) ranked.resize(kMost);

  const TrackFitter::KeptNoise kept = fitter.KeepNoise();
  const auto score_of = [&](const TrackPath& path) { return track.noise_given ? 2 * path.cost : LogNoise(track); };
  TrackPath fitted{best, INFINITY, n, INFINITY, {}};
  fitter.Solve(fitted, n, 0, 1e-6, 0);
  const double reference = score_of(fitted);
  std::vector<TrackRival> rivals;
  for (const auto& [score, z] : ranked) {
    TrackPath path{z, INFINITY, n, INFINITY, {}};
    for (int round = 0; round < 4; ++round) {
      fitter.UpdateNoise(path);
      fitter.Solve(path, n, 12, 1e-5, 0);
    }
    fitter.UpdateNoise(path);
    Eigen::VectorXd r;
    Eigen::MatrixXd j;
    if (std::isfinite(path.cost) && score_of(path) < reference + kRivalLoss && SequenceOf(residuals, path.z) != own &&
        residuals.Evaluate(path.z, r, &j)) {
      const ParameterInformation information = AnalyzeInformation(j, fitter.scale(), 1e-7);
      rivals.push_back({path.z, score_of(path) - reference,
                        information.covariance.unaryExpr([](double x) { return std::isfinite(x) ? x : 0.0; })});
    }
    fitter.RestoreNoise(kept);
  }
  std::sort(rivals.begin(), rivals.end(), [](const TrackRival& a, const TrackRival& b) { return a.loss < b.loss; });
  return rivals;
}

}  // namespace ricochet
