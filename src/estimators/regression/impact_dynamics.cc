// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/impact_dynamics.h"

#include <algorithm>
#include <cmath>

#include "estimators/regression/find_impacts.h"
#include "math/dense.h"

namespace ricochet {
namespace {

constexpr double kBeside = 1e-9;        // [s] before and after an impact
constexpr double kExact = 1e-6;         // relative agreement of exact impacts
constexpr double kDeviations = 4;       // agreement of measured impacts, in standard deviations
constexpr double kStillTurning = 1e-9;  // |dw| r / |a| below which an impact does not turn the body

}  // namespace

std::vector<ImpactSample> ImpactsOfMotion(const PlanarFamily& family, const PlanarTrack& track,
                                          const Eigen::VectorXd& z, const std::vector<EventRecord>& records,
                                          int* several) {
  const std::span<const double> params(z.data() + kTrackState, static_cast<std::size_t>(family.size()));
  const PlanarModel<double> model = family.Compile<double>(params);
  const std::vector<Load<double>> loads = LoadsOn(family.body(), model.loads);
  EventMotion<double> motion = family.Motion<double>(params);
  motion.Start(track.time[0], z.head<3>(), z.segment<3>(3));
  const EventBody<double>& body = motion.body();
  const double gravity = std::hypot(body.gx, body.gy);
  const double slow = 0.03 * std::sqrt((gravity > 0 ? gravity : 1.0) * body.size);
  if (several) *several = 0;
  std::vector<ImpactSample> impacts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const EventRecord& record = records[i];
    if (record.kind != EventKind::kImpact || -record.approach < slow) continue;
    const auto same_instant = [&](const EventRecord& other) {
      return other.kind == EventKind::kImpact && std::abs(other.time - record.time) < 2 * kBeside;
    };
    if ((i > 0 && same_instant(records[i - 1])) || (i + 1 < records.size() && same_instant(records[i + 1]))) {
      if (several && (i == 0 || !same_instant(records[i - 1]))) ++*several;
      continue;
    }
    if (record.time - kBeside <= motion.time()) continue;
    motion.AdvanceTo(record.time - kBeside);
    const Eigen::Vector3d before = motion.v(), q = motion.q() + kBeside * before;  // at the impact
    motion.AdvanceTo(record.time + kBeside);
    impacts.push_back(MakeImpactSample(body, loads, q, record.candidate, before, motion.v(), record.time, 2 * kBeside));
  }
  return impacts;
}

Eigen::MatrixXd DynamicsMatrix(const std::vector<ImpactSample>& impacts, double length) {
  const Eigen::Index n = static_cast<Eigen::Index>(impacts.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3 * n, 2 + 2 * n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const ImpactSample& impact = impacts[static_cast<std::size_t>(k)];
    const Eigen::Vector3d jump = impact.Jump();
    const double unit = std::max(jump.head<2>().norm(), 1e-300);
    // Contact frame: t = (1, 0) with arm Jx, n = (0, 1) with arm Jy.
    a.block<2, 1>(3 * k, 0) = jump.head<2>() / unit;
    a(3 * k + 2, 1) = jump[2] * length / unit;
    a.block<3, 1>(3 * k, 2 + 2 * k) << 0, -1, -impact.jy / length;
    a.block<3, 1>(3 * k, 3 + 2 * k) << -1, 0, -impact.jx / length;
  }
  return a;
}

int DynamicsRank(const Eigen::MatrixXd& matrix, double tolerance) {
  if (matrix.size() == 0) return 0;
  const Eigen::VectorXd values = DecomposeSingular(matrix).values;
  int rank = 0;
  for (const double value : values) rank += value > tolerance * values[0];
  return rank;
}

Consistency CheckConsistency(const std::vector<ImpactSample>& impacts) {
  Consistency out;
  const RatioEstimate all = CorrectedRatio(impacts);
  const bool exact = std::all_of(impacts.begin(), impacts.end(),
                                 [](const ImpactSample& i) { return i.jump_variance.maxCoeff() <= 0; });
  if (all.found && all.value > 0) {
    out.common = 1 / all.value;
    if (!exact) out.common_std = all.std / (all.value * all.value);
  }
  double sum = 0;
  for (const ImpactSample& impact : impacts) {
    ImpactRatio entry;
    entry.time = impact.time;
    const Eigen::Vector3d jump = impact.Jump();
    const double moment = impact.Moment(), arm = std::hypot(impact.jx, impact.jy);
    if (std::abs(jump[2]) * arm > kStillTurning * jump.head<2>().norm()) entry.ratio = moment / jump[2];
    const double variance = impact.MomentVariance();
    if (!exact && entry.ratio)
      entry.std = std::sqrt(variance + *entry.ratio * *entry.ratio * impact.jump_variance[2]) / std::abs(jump[2]);
    if (out.common) {
      const double rest = moment - *out.common * jump[2];
      // Exact motions: in units of the terms that cancel in the moment.
      const double unit = exact ? arm * jump.head<2>().norm()
                                : std::sqrt(variance + *out.common * *out.common * impact.jump_variance[2]);
      entry.deviation = rest / unit;
      entry.consistent = std::abs(*entry.deviation) <= (exact ? kExact : kDeviations);
    }
    out.consistent = out.consistent && entry.consistent;
    if (entry.deviation) sum += *entry.deviation * *entry.deviation;
    out.impacts.push_back(entry);
  }
  // All of them together: the sum of squares, one freedom less for the common value (Wilson, Hilferty).
  const double freedom = static_cast<double>(impacts.size()) - 1;
  if (!exact && out.common && freedom >= 1) {
    const double v = 2 / (9 * freedom);
    out.consistent = out.consistent && sum <= freedom * std::pow(1 - v + kDeviations * std::sqrt(v), 3);
  }
  return out;
}

}  // namespace ricochet
