// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/toss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataset/noise.h"
#include "math/manifold.h"

namespace ricochet {
namespace {

/// Jumps between neighboring stretches; those too short to have a velocity belong to the impact.
void FindJumps(const FlightBody& body, const TossOptions& options, Toss& toss) {
  constexpr int kLeast = 3;
  const FrameRange* before = nullptr;
  for (const FrameRange& after : toss.stretches) {
    if (after.frames() < kLeast) continue;
    if (before != nullptr) {
      // Long stretches give the velocity next to the impact best from their near part when they are no flight.
      const auto fit = [&](const FrameRange& range, bool end) {
        constexpr int kMost = 12;
        FrameRange part = range;
        if (range.frames() > kMost) (end ? part.first : part.last) = end ? range.last - kMost : range.first + kMost;
        FlightFitOptions fit_options;
        if (part.frames() < 5) fit_options.acceleration = options.gravity;
        return FitFlight(toss.track, FlightBody{body.p_BBcm, {}}, part.first, part.last, fit_options);
      };
      const FlightArc a = fit(*before, true), b = fit(after, false);
      VelocityJump jump;
      jump.last_before = before->last - 1;
      jump.first_after = after.first;
      const double t0 = toss.track.time[jump.last_before], t1 = toss.track.time[jump.first_after];
      // The parabolas come closest where their difference is orthogonal to the difference of the velocities.
      const double middle = 0.5 * (t0 + t1);
      const Eigen::Vector3d apart = b.PositionAt(middle) - a.PositionAt(middle),
                            relative = b.VelocityAt(middle) - a.VelocityAt(middle);
      const double shift = relative.squaredNorm() > 0 ? -apart.dot(relative) / relative.squaredNorm() : 0;
      jump.time = std::clamp(middle + shift, t0, t1);
      jump.before = a.VelocityAt(jump.time);
      jump.after = b.VelocityAt(jump.time);
      jump.angular_before = a.angular_velocity + a.angular_acceleration * (jump.time - a.reference);
      jump.angular_after = b.angular_velocity + b.angular_acceleration * (jump.time - b.reference);
      const auto variance = [&](const FlightArc& arc) {
        const double s = jump.time - arc.reference;
        const Eigen::Vector3d slope(0, 1, s);
        return slope.dot(arc.position_covariance * slope);
      };
      jump.deviation = std::sqrt(variance(a) + variance(b));
      if (jump.jump().norm() > std::max(options.least_jump, 5 * jump.deviation)) toss.impacts.push_back(jump);
    }
    before = &after;
  }
  if (!toss.impacts.empty() || toss.contact < 0 || toss.contact + 9 > toss.track.size()) return;
  // A first contact that no single cut shows: the mean velocity over the frames after it.
  const FlightArc& a = toss.flights.front();
  const FlightArc b = FitFlight(toss.track, FlightBody{body.p_BBcm, {}}, toss.contact + 1, toss.contact + 9);
  VelocityJump jump;
  jump.last_before = toss.contact - 1;
  jump.first_after = toss.contact + 1;
  jump.time = toss.track.time[toss.contact];
  jump.before = a.VelocityAt(jump.time);
  jump.after = b.velocity;
  jump.angular_before = a.angular_velocity;
  jump.angular_after = b.angular_velocity;
  jump.deviation = std::sqrt(b.position_covariance(1, 1));
  toss.impacts.push_back(jump);
}

/// First frame, in the last part of a stretch, from which on the poses no longer continue the flight in position or
/// rotation: a light touch turns the body long before it shows in the center of mass.
int EndOfFlight(const SpatialTrack& track, const FlightBody& body, const FrameRange& range) {
  constexpr double kDeparture = 4.5;
  const auto departs = [&](const FlightArc& arc, int k) {
    const Eigen::Vector3d turn = BoxMinusRotation<double>(track.rotation[k], arc.rotation);
    const double noise = track.noise_angle * std::max(1.0, arc.ScaleOfRotation());
    const Matrix6<double> scaled = arc.rotation_covariance * std::max(1.0, arc.ScaleOfRotation());
    return turn.norm() > kDeparture * std::sqrt(noise * noise + scaled(0, 0) + scaled(1, 1) + scaled(2, 2));
  };
  int run = 0;
  FlightArc arc;
  for (int k = std::max(range.first + 6, range.last - 12); k < range.last; ++k) {
    arc = FitFlight(track, body, range.first, k - run,
                    {.acceleration = {}, .reference = track.time[k], .near = arc.used > 0 ? &arc : nullptr});
    run = departs(arc, k) ? run + 1 : 0;
    if (run == 2) return k - 1;
  }
  return run == 1 ? range.last - 1 : range.last;
}

/// In contact two impulses may look like a fault that passes; in flight nothing does.
void KeepOutliersInFlights(Toss& toss) {
  for (int k = 0; k < toss.track.size(); ++k) {
    if (!toss.track.outlier[k]) continue;
    toss.track.outlier[k] = 0;
    for (const FlightArc& arc : toss.flights)
      if (k >= arc.first && k < arc.last) toss.track.outlier[k] = 1;
    if (toss.track.outlier[k])
      toss.log.push_back(
          fmt::format("row {} (t = {:.4f} s) does not fit the flight on both sides: an outlier, excluded",
                      toss.track.row[k] + 1, toss.track.time[k]));
  }
}

}  // namespace

FlightResiduals ResidualsOfFlights(const Toss& toss) {
  FlightResiduals sum;
  for (const FlightArc& arc : toss.flights) {
    sum.position += arc.chi2_position;
    sum.position_dof += arc.dof_position;
    sum.rotation += arc.chi2_rotation;
    sum.rotation_dof += arc.dof_rotation;
  }
  return sum;
}

namespace {

/// The noise that the flights' own residuals show, when it is larger than what third differences gave.
bool RefineNoise(const Toss& toss, SpatialTrack& track) {
  const auto [position, rotation, position_dof, rotation_dof] = ResidualsOfFlights(toss);
  if (position_dof < 12 || position <= 1.2 * position_dof) return false;
  track.noise_position *= std::sqrt(position / position_dof);
  if (rotation > rotation_dof && rotation_dof >= 12) track.noise_angle *= std::sqrt(rotation / rotation_dof);
  return true;
}

}  // namespace

FlightNoise NoiseOfFlights(const Toss& toss) {
  // Third differences that share rows: var(mean of squares) = 2 (1 + 2 (0.75^2 + 0.3^2 + 0.05^2)) / count.
  constexpr double kShared = 2.31, kFastestTurn = 0.1;
  const SpatialTrack& track = toss.track;
  FlightNoise out;
  for (const FlightArc& arc : toss.flights)
    for (int k = arc.first; k + 3 < arc.last; ++k) {
      bool usable = true;
      for (int i = k; i < k + 4; ++i) usable = usable && !track.outlier[i] && (i == k || track.Adjacent(i - 1, i));
      if (!usable) continue;
      const auto& p = track.position;
      out.position += ThirdDifference(p[k], p[k + 1], p[k + 2], p[k + 3]).squaredNorm();
      out.position_freedom += 3 / kShared;
      if (arc.angular_velocity.norm() * track.interval > kFastestTurn) continue;
      const auto& q = track.rotation;
      out.angle += ThirdDifferenceOfRotations(q[k], q[k + 1], q[k + 2], q[k + 3]).squaredNorm();
      out.angle_freedom += 3 / kShared;
    }
  out.position /= kShared;
  out.angle /= kShared;
  return out;
}

bool IsFlight(const FlightArc& arc, const Eigen::Vector3d& gravity) {
  const double deviation = arc.AccelerationDeviation() * std::max(1.0, arc.ScaleOfPosition());
  return deviation < 0.25 * gravity.norm() &&
         (arc.acceleration - gravity).norm() <= 0.12 * gravity.norm() + 4 * deviation;
}

Toss MakeToss(SpatialTrack track, const FlightBody& body, std::vector<FrameRange> stretches,
              const TossOptions& options) {
  Toss toss;
  toss.track = std::move(track);
  toss.stretches = std::move(stretches);
  toss.log = toss.track.log;
  for (FrameRange range : toss.stretches) {
    if (range.frames() < options.least_flight) continue;
    if (toss.flights.empty() &&
        IsFlight(FitFlight(toss.track, FlightBody{body.p_BBcm, {}}, range.first, range.last), options.gravity))
      range.last = EndOfFlight(toss.track, body, range);
    if (range.frames() < options.least_flight) continue;
    FlightArc arc = FitFlight(toss.track, body, range.first, range.last);
    if (!IsFlight(arc, options.gravity)) continue;
    if (options.fix_gravity)
      arc = FitFlight(toss.track, body, range.first, range.last, {.acceleration = options.gravity});
    toss.flights.push_back(arc);
  }
  KeepOutliersInFlights(toss);
  if (!toss.flights.empty()) {
    const FlightArc& flight = toss.flights.front();
    toss.release = toss.peak = flight.first;
    const Eigen::Vector3d up = -options.gravity.normalized();
    for (int k = flight.first; k < flight.last; ++k)
      if (up.dot(toss.track.position[k]) > up.dot(toss.track.position[toss.peak])) toss.peak = k;
    if (flight.last < toss.track.size()) toss.contact = flight.last;
    toss.log.push_back(fmt::format("released by row {} (t = {:.4f} s), peak at row {}, flight of {} frames",
                                   toss.track.row[toss.release] + 1, toss.track.time[toss.release],
                                   toss.track.row[toss.peak] + 1, flight.frames()));
    if (toss.contact >= 0)
      toss.log.push_back(fmt::format("first contact by row {} (t = {:.4f} s)", toss.track.row[toss.contact] + 1,
                                     toss.track.time[toss.contact]));
  }
  toss.rest = FindStandstill(toss.track, std::max(toss.contact, 0), options.standstill);
  if (toss.rest >= 0)
    toss.log.push_back(
        fmt::format("at rest from row {} (t = {:.4f} s)", toss.track.row[toss.rest] + 1, toss.track.time[toss.rest]));
  FindJumps(body, options, toss);
  return toss;
}

Toss MakeToss(SpatialTrack track, const FlightBody& body, const TossOptions& options) {
  std::vector<FrameRange> stretches = CutIntoParabolas(track, body);
  Toss toss = MakeToss(track, body, stretches, options);
  if (!RefineNoise(toss, track)) return toss;
  track.outlier.assign(track.time.size(), 0);
  stretches = CutIntoParabolas(track, body);
  return MakeToss(std::move(track), body, std::move(stretches), options);
}

}  // namespace ricochet
