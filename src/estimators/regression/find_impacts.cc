// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "estimators/regression/find_impacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimators/planar/planar_family.h"

namespace ricochet {
namespace {

constexpr double kExactNoise = 2e-7;  // relative scatter at which a recording counts as exact

}  // namespace

ImpactSample MakeImpactSample(const EventBody<double>& body, const std::vector<Load<double>>& loads,
                              const Eigen::Vector3d& q, int candidate, const Eigen::Vector3d& before,
                              const Eigen::Vector3d& after, double time, double h) {
  ImpactSample sample;
  const EventGap<double> gap = body.Gap(candidate, q);
  const EventSurface<double>& s =
      body.surfaces[static_cast<std::size_t>(body.candidates[static_cast<std::size_t>(candidate)].group)];
  const auto turn = [&](const Eigen::Vector3d& v) {
    return Eigen::Vector3d(s.tx * v[0] + s.ty * v[1], s.nx * v[0] + s.ny * v[1], v[2]);
  };
  sample.time = time;
  sample.step = h;
  sample.candidate = candidate;
  sample.jx = -gap.r_n;
  sample.jy = gap.r_t;
  sample.jx_rate = -gap.r_t;
  sample.jy_rate = gap.c;
  sample.before = turn(before);
  sample.after = turn(after);
  sample.gravity = turn(Eigen::Vector3d(body.gx, body.gy, 0)).head<2>();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  for (const Load<double>& load : loads)
    if (time >= load.from - 1e-12 && time < load.until - 1e-12) force += load.force.head<3>();
  sample.force = turn(force);
  return sample;
}

ImpactSample ImpactBetweenRows(const PlanarFamily& family, const PlanarTrack& recorded, int row) {
  const PlanarModel<double> model =
      family.Compile<double>({family.start().data(), static_cast<std::size_t>(family.size())});
  const EventBody<double> body = MakeEventBody(model, family.body());
  const PlanarTrack track = CenterTrack(family, family.start(), recorded);
  int candidate = 0;
  LeastGap(body, track.pose[row], &candidate);
  return MakeImpactSample(body, LoadsOn(family.body(), model.loads), track.pose[row], candidate, track.velocity[row],
                          track.velocity[row + 1], track.time[row], track.time[row + 1] - track.time[row]);
}

FoundImpacts FindImpacts(const PlanarFamily& family, const PlanarTrack& recorded, int most) {
  FoundImpacts out;
  const PlanarModel<double> model =
      family.Compile<double>({family.start().data(), static_cast<std::size_t>(family.size())});
  const EventBody<double> body = MakeEventBody(model, family.body());
  const std::vector<Load<double>> loads = LoadsOn(family.body(), model.loads);
  const Eigen::Vector3d acceleration = FreeAcceleration(family);
  PlanarTrack track = CenterTrack(family, family.start(), recorded);
  EstimateNoise(acceleration, track);
  out.log = track.log;
  out.noise_position = track.noise_position;
  out.noise_angle = track.noise_angle;

  // Exact steps of a simulation. Euler's rule leaves a scatter of about g h^2 in the positions, not in the velocities.
  if (!track.velocity.empty() && track.noise_velocity <= kExactNoise && track.noise_rate <= kExactNoise) {
    for (int i = 0; i + 1 < track.size() && static_cast<int>(out.impacts.size()) < most; ++i) {
      int candidate = 0, closed = 0;
      for (int k = 0; k < body.candidate_count; ++k) closed += body.Gap(k, track.pose[i]).phi <= 1e-9;
      if (closed != 1 || LeastGap(body, track.pose[i], &candidate) > 1e-9) continue;
      const double h = track.time[i + 1] - track.time[i];
      ImpactSample sample = MakeImpactSample(body, loads, track.pose[i], candidate, track.velocity[i],
                                             track.velocity[i + 1], track.time[i], h);
      if (sample.Jump().head<2>().norm() * h < 1e-14) continue;
      sample.jump_variance.setConstant(1e-24);
      sample.angle_variance = 1e-24;
      out.impacts.push_back(sample);
    }
    out.log.push_back(fmt::format("{}: exact velocities: {} steps with one closed contact are samples", track.name,
                                  out.impacts.size()));
    return out;
  }

  const std::vector<BallisticArc> arcs = CutIntoArcs(track, acceleration);
  const int shortest = track.velocity.empty() ? 4 : 3;
  const BallisticArc* before = nullptr;
  for (const BallisticArc& arc : arcs) {
    if (static_cast<int>(out.impacts.size()) >= most) break;
    if (arc.frames() < shortest) continue;
    if (before && arc.first - before->last <= 1) {
      // The flights meet the surface between their frames; the mean of what both say.
      const double lo = track.time[before->last - 1], hi = track.time[arc.first];
      double time = 0.5 * (lo + hi), least = INFINITY;
      for (int k = 0; k <= 40; ++k) {
        const double t = lo + (hi - lo) * k / 40;
        const double gap = std::abs(LeastGap(body, before->PoseAt(t, acceleration))) +
                           std::abs(LeastGap(body, arc.PoseAt(t, acceleration)));
        if (gap < least) {
          least = gap;
          time = t;
        }
      }
      Eigen::Vector3d q;
      double angle_variance = 0;
      for (int k = 0; k < 3; ++k) {
        const auto variance = [&](const BallisticArc& side) {
          const double dt = time - side.reference;
          return side.pose_variance[k] + dt * dt * side.velocity_variance[k];
        };
        const double wa = 1 / variance(*before), wb = 1 / variance(arc);
        q[k] = (wa * before->PoseAt(time, acceleration)[k] + wb * arc.PoseAt(time, acceleration)[k]) / (wa + wb);
        if (k == 2) angle_variance = 1 / (wa + wb);
      }
      int candidate = 0;
      const double gap = LeastGap(body, q, &candidate);
      const double reach =
          6 * track.noise_position + 0.5 * (hi - lo) * std::abs(before->velocity[1]) + 0.05 * body.size;
      // A second point that touches within the same interval (a landing on an edge) shares the impulse in a way that
      // no velocity determines: (25) does not hold.
      const double speed = before->VelocityAt(time, acceleration).head<2>().norm();
      const double together = speed * (hi - lo) + 4 * std::sqrt(angle_variance) * body.size;
      bool single = true;
      for (int k = 0; k < body.candidate_count; ++k)
        single = single && (k == candidate || body.Gap(k, q).phi > gap + together);
      if (gap < reach && !single) ++out.several;
      if (gap < reach && single) {
        ImpactSample sample = MakeImpactSample(body, loads, q, candidate, before->VelocityAt(time, acceleration),
                                               arc.VelocityAt(time, acceleration), time, 0.0);
        sample.jump_variance = before->velocity_variance + arc.velocity_variance;
        sample.angle_variance = angle_variance;
        out.impacts.push_back(sample);
      }
    }
    before = &arc;
  }
  out.log.push_back(fmt::format(
      "{}: {} stretches, {} impacts between flights{}", track.name, arcs.size(), out.impacts.size(),
      out.several > 0 ? fmt::format("; {} more with several contacts at once are excluded", out.several) : ""));
  return out;
}

}  // namespace ricochet
