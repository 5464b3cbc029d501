// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/planar_trajectory/track_moves.h"

#include <algorithm>
#include <cmath>

#include "estimators/planar_trajectory/track_start.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr int kSamples = 250;               // of the gap over a track
constexpr double kOpen = 4;                 // standard deviations of the gap that are crossed
constexpr double kSlight[] = {0.01, 0.04};  // approach speeds that are tried, of the fastest
constexpr double kSlightest = 1e-3;         // impacts slower than this part of the fastest end a row of bounces

/// An instant at which the sequence of contacts may be another.
struct Crossing {
  double time = 0;
  int candidate = 0;
  double gap = 0;        // of a pass [m]
  double approach = 0;   // of an impact, 0 for a pass [m/s]
  double curvature = 0;  // phi'' [m/s^2]
};

/// Motion from z in the scalar T, derivatives with respect to the first elements of z where T has room for them.
template <class T>
EventMotion<T> Begin(const TrackResiduals& residuals, const Eigen::VectorXd& z) {
  const PlanarFamily& family = residuals.family();
  std::vector<T> seeded;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    if constexpr (kIsJet<T>)
      seeded.push_back(i < T::kSize ? T::Variable(z[i], static_cast<int>(i)) : T(z[i]));
    else
      seeded.push_back(z[i]);
  }
  const std::span<const T> all(seeded);
  const std::size_t p = static_cast<std::size_t>(family.size());
  EventMotion<T> motion = family.Motion<T>(all.subspan(kTrackState, p));
  const std::span<const T> own = all.subspan(kTrackState + p);
  if (!own.empty()) motion.SetRestitutions(std::vector<T>(own.begin(), own.end()), kCountedImpact);
  motion.Start(residuals.track().time[0], EventVector<T>(seeded[0], seeded[1], seeded[2]),
               EventVector<T>(seeded[3], seeded[4], seeded[5]));
  return motion;
}

std::vector<Crossing> FindCrossings(const TrackResiduals& residuals, const Eigen::VectorXd& z) {
  std::vector<Crossing> out;
  EventMotion<double> motion = Begin<double>(residuals, z);
  std::vector<EventRecord> records;
  motion.RecordInto(&records);
  const EventBody<double>& body = motion.body();
  const double first = residuals.track().time[0], last = residuals.track().time.back(), dt = (last - first) / kSamples;
  struct Sample {
    double gap = INFINITY;
    int candidate = -1;
    std::size_t records = 0;
    Eigen::Vector3d v = Eigen::Vector3d::Zero();
  };
  Sample before, here;
  double fastest = 0;
  for (int i = 0; i <= kSamples; ++i) {
    const std::size_t known = records.size();
    const Eigen::Vector3d flying = motion.v(), pose = motion.q();
    const double since = motion.time();
    motion.AdvanceTo(first + i * dt);
    if (motion.summary().failed) break;
    // The first impact since the last sample: its speed before is that of the flight.
    for (std::size_t k = known; k < records.size(); ++k) {
      const EventRecord& record = records[k];
      if (record.kind != EventKind::kImpact) continue;
      fastest = std::max(fastest, -record.approach);
      if (k > known || record.approach >= 0) continue;
      const double s = record.time - since;
      const Eigen::Vector3d a(body.gx, body.gy, 0);
      const EventGap<double> gap = body.Gap(record.candidate, pose + flying * s + a * (0.5 * s * s));
      const EventSurface<double>& surface =
          body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(record.candidate)].group)];
      out.push_back({record.time, record.candidate, 0, -record.approach,
                     surface.nx * a[0] + surface.ny * a[1] + gap.c * flying[2] * flying[2]});
    }
    Sample next;
    if (motion.closed().empty()) next.gap = LeastGap(body, motion.q(), &next.candidate);
    next.records = records.size();
    next.v = motion.v();
    if (std::isfinite(before.gap) && std::isfinite(here.gap) && std::isfinite(next.gap) &&
        before.candidate == here.candidate && next.candidate == here.candidate && before.records == next.records &&
        here.gap <= before.gap && here.gap < next.gap) {
      const double slope = (next.gap - before.gap) / (2 * dt),
                   bend = (next.gap + before.gap - 2 * here.gap) / (dt * dt);
      if (bend > 0)
        out.push_back(
            {first + (i - 1) * dt - slope / bend, here.candidate, here.gap - 0.5 * slope * slope / bend, 0, bend});
    }
    before = here;
    here = next;
  }
  std::erase_if(out, [&](const Crossing& c) {
    return !(c.curvature > 0) || (c.approach > 0 && (c.approach < kSlightest * fastest || c.approach > 0.2 * fastest));
  });
  for (Crossing& crossing : out)
    if (crossing.approach == 0) crossing.approach = -fastest;  // of a pass: the scale of what may have been
  return out;
}

/// Covariance of z from the frames before `time` and the priors; directions without information are held.
Eigen::MatrixXd CovarianceBefore(const TrackResiduals& residuals, const Eigen::MatrixXd& jacobian,
                                 const Eigen::VectorXd& scale, double time) {
  const PlanarTrack& track = residuals.track();
  const Eigen::Index frames = std::lower_bound(track.time.begin(), track.time.end(), time) - track.time.begin();
  const Eigen::Index width = track.width(), priors = jacobian.rows() - width * track.size();
  Eigen::MatrixXd rows(width * frames + priors, jacobian.cols());
  rows << jacobian.topRows(width * frames), jacobian.bottomRows(priors);
  const SymmetricEigen eigen = EigenOfSymmetric(scale.asDiagonal() * (rows.transpose() * rows) * scale.asDiagonal());
  Eigen::MatrixXd root = scale.asDiagonal() * eigen.vectors;
  const double largest = eigen.values.maxCoeff();
  for (Eigen::Index i = 0; i < root.cols(); ++i)
    root.col(i) *= eigen.values[i] > 1e-13 * largest ? 1 / std::sqrt(eigen.values[i]) : 0.0;
  return root * root.transpose();
}

}  // namespace

std::vector<GrazeMove> GrazeMoves(const TrackResiduals& residuals, const Eigen::VectorXd& z,
                                  const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& scale, int most) {
  std::vector<std::pair<double, GrazeMove>> moves;
  for (const Crossing& crossing : FindCrossings(residuals, z)) {
    EventMotion<EventJet> motion = Begin<EventJet>(residuals, z);
    motion.AdvanceTo(crossing.time - (crossing.approach > 0 ? 1e-9 : 0));
    if (motion.summary().failed) continue;
    const EventVector<EventJet>& q = motion.q();
    const EventBody<double>& body = motion.body();
    const EventGap<double> gap = body.Gap(crossing.candidate, {q[0].a, q[1].a, q[2].a});
    const EventSurface<double>& s =
        body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(crossing.candidate)].group)];
    Eigen::VectorXd slope = Eigen::VectorXd::Zero(z.size());
    const Eigen::Index known = std::min<Eigen::Index>(z.size(), EventJet::kSize);
    slope.head(known) = (s.nx * q[0].v + s.ny * q[1].v + gap.r_t * q[2].v).head(known);
    const Eigen::VectorXd along = CovarianceBefore(residuals, jacobian, scale, crossing.time) * slope;
    const double variance = slope.dot(along);
    if (!(variance > 0) || !std::isfinite(variance)) continue;
    const double std = std::sqrt(variance);
    const auto offer = [&](double change) {
      if (std::abs(change) > kOpen * std) return;
      moves.push_back({std::abs(change) / std, {z + along * (change / variance), crossing.time}});
    };
    if (crossing.approach > 0)
      offer(crossing.approach * crossing.approach / (2 * crossing.curvature) + 0.5 * std);
    else
      for (const double part : kSlight)
        offer(-crossing.gap - std::pow(part * crossing.approach, 2) / (2 * crossing.curvature));
  }
  std::sort(moves.begin(), moves.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<GrazeMove> out;
  for (const auto& [distance, move] : moves) {
    if (static_cast<int>(out.size()) == most) break;
    out.push_back(move);
  }
  return out;
}

}  // namespace ricochet
