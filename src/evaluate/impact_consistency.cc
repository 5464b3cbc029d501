// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "evaluate/impact_consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/regression/find_impacts.h"
#include "estimators/regression/impact_dynamics.h"

namespace ricochet {
namespace {

constexpr double kNoTurn = 1e-6;  // of the jump of the velocity

/// Appends (31) and (32) for the impacts of one recording or motion.
void AppendConsistency(const std::vector<ImpactSample>& impacts, int recording, Identifiability& out) {
  const Consistency consistency = CheckConsistency(impacts);
  for (const ImpactRatio& impact : consistency.impacts)
    out.consistency.push_back({recording, impact.time, impact.ratio, impact.std, impact.deviation, impact.consistent});
  out.consistent = out.consistent && consistency.consistent;
}

}  // namespace

void AddImpactConsistency(const TrackProblem& problem, const FitPoint& point, bool planned, Identifiability& out) {
  const PlanarFamily& family = problem.family();
  const double size =
      family.Motion<double>({family.start().data(), static_cast<std::size_t>(family.size())}).body().size;
  int impacts = 0;  // of one contact
  int several = 0;  // of several contacts at once
  double turn = 0;  // largest jump of the rate, at the body's rim, over that of the velocity
  for (int k = 0; k < problem.blocks(); ++k) {
    const TrackBlock& block = problem.track(k);
    const Eigen::VectorXd z = problem.Unknowns(k, point);
    std::vector<Eigen::Vector3d> poses;
    std::vector<EventRecord> records;
    TrackResiduals(family, block.fit.track).Predict(z, poses, nullptr, &records);
    int together = 0;
    const std::vector<ImpactSample> strong = ImpactsOfMotion(family, block.fit.track, z, records, &together);
    for (const ImpactSample& impact : strong)
      turn = std::max(turn, std::abs(impact.Jump()[2]) * size / impact.Jump().head<2>().norm());
    impacts += static_cast<int>(strong.size());
    several += together;
    const Eigen::MatrixXd dynamics = DynamicsMatrix(strong, size);
    if (!strong.empty() && dynamics.cols() > out.dynamics_columns) {
      out.dynamics_columns = static_cast<int>(dynamics.cols());
      out.dynamics_rank = DynamicsRank(dynamics);
    }
    std::vector<ImpactSample> seen;
    if (!planned) seen = FindImpacts(family, block.recorded).impacts;
    out.measured = out.measured || !seen.empty();
    AppendConsistency(seen.empty() ? strong : seen, block.recording, out);
  }
  if (impacts > 0 && turn < kNoTurn)
    out.notes.emplace_back(
        "no impact changes the rotation, so the inertia has no effect. Throw the body tilted, so that it lands off its "
        "center.");
  if (several > 0)
    out.notes.push_back(
        fmt::format("{} impacts have several contacts at once (the body lands on an edge): they take part in the "
                    "parameters, but not in (29) to (32), which are for one contact.",
                    several));
  if (!out.consistent)
    out.notes.emplace_back(
        "the impacts disagree on inertia over mass (Gabiccini eq. 32): the motion is not that of one rigid body with "
        "these surfaces. Check shape, center of mass, surfaces and the noise.");
}

}  // namespace ricochet
