// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "examine/gravity_mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "examine/contact_evidence.h"
#include "recording/recording_health.h"

namespace ricochet {
namespace {

constexpr double kSlowest = 0.2;        // [s] between rows of a motion with impacts
constexpr double kSameGravity = 0.12;   // of gravity, as for flights (toss.h)
constexpr double kLongFall = 0.1;       // [s]; of a fall that speaks against the scene by itself
constexpr double kWellKnown = 0.03;     // of its acceleration: standard deviation
constexpr double kOtherGravity = 0.2;   // of gravity: a scale or a clock that is wrong
constexpr double kOtherByEarth = 0.05;  // the same, where Earth's gravity fits
constexpr double kEarth = 0.03;

struct TimeUnit {
  const char* plural;
  double seconds;
};
constexpr std::array<TimeUnit, 3> kTimeUnits = {
    {{"milliseconds", 1e-3}, {"microseconds", 1e-6}, {"nanoseconds", 1e-9}}};

}  // namespace

GravityFinding ReadFalls(const Subject& subject, const std::vector<Fall>& falls) {
  GravityFinding out;
  const double g = subject.gravity.norm();
  for (const Fall& fall : falls)
    out.right = out.right || (fall.acceleration - subject.gravity).norm() < kSameGravity * g + 4 * fall.deviation;
  if (out.right || falls.empty()) return out;
  // The longest that some unit explains, otherwise the longest.
  const Fall& fall = *std::max_element(falls.begin(), falls.end(), [g](const Fall& a, const Fall& b) {
    const auto known = [g](const Fall& each) { return UnitOfFall(each.acceleration.norm(), g) != nullptr; };
    return known(a) != known(b) ? known(b) : a.duration < b.duration;
  });
  const double size = fall.acceleration.norm(), along_gravity = fall.acceleration.dot(subject.gravity) / (size * g);
  const bool down = -subject.gravity[2] > std::cos(kNearAxis) * g, as_scene = along_gravity > std::cos(kNearAxis);
  int axis = 0;
  fall.acceleration.cwiseAbs().maxCoeff(&axis);
  const bool along = std::abs(fall.acceleration[axis]) > std::cos(kNearAxis) * size;
  const bool negative = fall.acceleration[axis] > 0;  // the negative axis points up

  const LengthUnit* const unit = UnitOfFall(size, g);
  const bool meters = unit == &kLengthUnits[0];
  if (unit != nullptr && !meters && as_scene) {
    RecordingChange change;
    change.length = 1 / unit->per_meter;
    out.suspicions.push_back({"unit", subject.Column("x"),
                              fmt::format("positions are in {}: free flight accelerates by {:.4g} per s^2, where the "
                                          "scene has {:.4g} m/s^2.",
                                          unit->plural, size, g),
                              change});
  } else if (unit != nullptr && along && down) {
    for (Suspicion& each : AxisSuspicions(subject, axis, negative)) {
      each.problem += fmt::format(": free flight accelerates by {:.3g} m/s^2 along {}.{}", size / unit->per_meter,
                                  AxisName(axis, !negative, subject.planar),
                                  !meters ? fmt::format(" Positions are in {}.", unit->plural) : "");
      each.change.length = 1 / unit->per_meter;
      out.suspicions.push_back(std::move(each));
    }
  } else if (as_scene) {
    const bool earth = std::abs(size / kStandardGravity - 1) < kEarth;
    const double off = std::abs(size / g - 1);
    if (off > (earth ? kOtherByEarth : kOtherGravity) && off * g > 5 * fall.deviation && fall.duration > kLongFall &&
        fall.deviation < kWellKnown * size)
      out.unexplained = fmt::format(
          "free flight does not accelerate by the scene's gravity but by about {:.4g} +- {:.2g} m/s^2, where the scene "
          "has {:.4g}.",
          size, fall.deviation, g);
  } else if (meters && along_gravity < -std::cos(kNearAxis)) {
    out.unexplained =
        fmt::format("gravity seems to point the wrong way: free flight accelerates by {:.4g} m/s^2 against it.", size);
  }
  return out;
}

std::optional<Suspicion> FindTimes(const Subject& subject, GravityFinding& gravity) {
  const std::vector<double>& time = subject.recording.time;
  const double interval = CheckClock(time).interval;
  if (!(interval > kSlowest)) return std::nullopt;
  const std::string rows = fmt::format("rows are {:.4g} apart", interval);
  for (const TimeUnit& unit : kTimeUnits) {
    if (interval * unit.seconds > kSlowest || interval * unit.seconds < 1e-6) continue;
    RecordingChange change;
    change.time = unit.seconds;
    GravityFinding found = ReadFalls(subject, FindFalls(subject.Track(change), subject.body.flight.p_BBcm));
    if (!found.right && subject.touches) {
      const ContactEvidence then = WeighContacts(subject.Track(change), subject.body, subject.gravity);
      found.right = then.Sound() && then.flight_frames > 0 && !then.contacts.empty();
    }
    if (!found.right && found.suspicions.empty()) continue;
    gravity = std::move(found);
    return Suspicion{
        "times", "t",
        fmt::format("times are in {}: {}; taken as seconds, a body would fall {:.3g} m between two of them.",
                    unit.plural, rows, 0.5 * subject.gravity.norm() * interval * interval),
        change};
  }
  const bool whole = std::all_of(time.begin(), time.end(), [](double t) { return t == std::round(t); });
  if (!whole) return std::nullopt;
  constexpr double kGuess = 100;  // frames per second
  RecordingChange change;
  change.time = 1 / kGuess;
  for (const Fall& fall : FindFalls(subject.Track(change), subject.body.flight.p_BBcm)) {
    const double rate = kGuess * std::sqrt(subject.gravity.norm() / fall.acceleration.norm());
    if (fall.acceleration.dot(subject.gravity) <
        std::cos(kNearAxis) * fall.acceleration.norm() * subject.gravity.norm())
      continue;
    change.time = 1 / rate;
    gravity = {.right = true, .suspicions = {}, .unexplained = {}};
    return Suspicion{
        "times", "t",
        fmt::format("times are frame numbers: {}; by gravity the recorder made {:.4g} frames per second.", rows, rate),
        change};
  }
  return std::nullopt;
}

}  // namespace ricochet
