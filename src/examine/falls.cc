// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/falls.h"

#include <algorithm>
#include <cmath>

#include "dataset/flight_arc.h"

namespace ricochet {
namespace {

constexpr double kKnown = 0.05;     // of the acceleration: its standard deviation
constexpr double kLongFall = 0.06;  // [s]
constexpr double kPushed = 0.1;     // of the velocity that the fall gained
constexpr double kSameUnit = 0.1;   // of gravity in that unit

}  // namespace

std::vector<Fall> FindFalls(SpatialTrack track, const Eigen::Vector3d& p_BBcm) {
  const FlightBody body{p_BBcm, {}};
  const std::vector<FrameRange> stretches = CutIntoParabolas(track, body);
  std::vector<Fall> falls;
  for (std::size_t i = 0; i + 1 < stretches.size(); ++i) {
    const FrameRange& range = stretches[i];
    if (range.frames() < 6) continue;
    const FlightArc arc = FitFlight(track, body, range.first, range.last);
    const double deviation = arc.AccelerationDeviation() * std::max(1.0, arc.ScaleOfPosition());
    const double size = arc.acceleration.norm();
    const double end = track.time[range.last - 1], duration = end - track.time[range.first];
    if (!(deviation < kKnown * size) || duration < kLongFall) continue;
    std::size_t next = i + 1;
    while (next < stretches.size() && stretches[next].frames() < 3) ++next;
    if (next == stretches.size()) continue;
    FrameRange after = stretches[next];
    after.last = std::min(after.last, after.first + 12);
    FlightFitOptions options;
    if (after.frames() < 5) options.acceleration = arc.acceleration;
    const FlightArc bounce = FitFlight(track, body, after.first, after.last, options);
    const double instant = 0.5 * (end + track.time[after.first]);
    const double pushed = -(bounce.VelocityAt(instant) - arc.VelocityAt(instant)).dot(arc.acceleration) / size;
    // A slope of the bounce is less certain than that of the fall.
    const double noise = std::sqrt(bounce.position_covariance(1, 1)) * std::max(1.0, bounce.ScaleOfPosition());
    if (pushed > std::max(kPushed * size * duration, 5 * noise))
      falls.push_back({arc.acceleration, deviation, duration, range.frames()});
  }
  return falls;
}

const LengthUnit* UnitOfFall(double acceleration, double gravity) {
  for (const LengthUnit& unit : kLengthUnits)
    if (std::abs(acceleration / (gravity * unit.per_meter) - 1) < kSameUnit) return &unit;
  return nullptr;
}

}  // namespace ricochet
