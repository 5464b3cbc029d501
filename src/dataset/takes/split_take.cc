// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/split_take.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset/noise.h"
#include "dataset/takes/point_flights.h"
#include "dataset/takes/take_flights.h"
#include "math/manifold.h"
#include "math/statistics.h"

namespace ricochet {
namespace {

constexpr double kStandstill = 0.2;   // least duration of a rest between motions [s]
constexpr double kFarBelow = 0.3;     // a rest this far below the end of a flight is not its own [m]
constexpr double kHigher = 0.02;      // a rise above the peak of the flight that only a hand makes [m]
constexpr double kLongContact = 2.5;  // between two flights of one toss [s]
constexpr double kLevel = 0.004;      // allowed rise and fall of a slide [m]
constexpr double kShortSlide = 0.01;  // [m]
constexpr double kLean = 0.05;        // allowed lean of a slide [rad]

/// Standstills of at least `kStandstill`, or up to the end of the recording.
std::vector<FrameRange> FindRests(const SpatialTrack& track, const SplitLimits& limits) {
  StandstillOptions options;
  options.duration = kStandstill;
  options.surface_velocity = limits.surface_velocity;
  std::vector<FrameRange> rests;
  for (int from = 0; from < track.size();) {
    const int first = FindStandstill(track, from, options);
    if (first < 0) break;
    // As long as frames stay where the first ones are.
    int last = first;
    const Eigen::Vector3d place = track.position[first];
    const double far = std::max(2 * options.position, 7 * track.noise_position),
                 turned = std::max(2 * options.angle, 7 * track.noise_angle);
    while (last < track.size() &&
           (track.position[last] - place - limits.surface_velocity * (track.time[last] - track.time[first])).norm() <=
               far &&
           BoxMinusRotation<double>(track.rotation[last], track.rotation[first]).norm() <= turned)
      ++last;
    last = std::max(last, first + 1);
    if (track.time[last - 1] - track.time[first] >= 0.8 * kStandstill || last == track.size())
      rests.push_back({first, last});
    from = last;
  }
  return rests;
}

std::string Rows(const SpatialTrack& track, int first, int last) {
  return fmt::format("rows {} to {} (t = {:.3f} s)", track.row[first] + 1, track.row[last - 1] + 1, track.time[first]);
}

/// Rows of frames [first, last): missing rows between them belong to it.
TakeSection RowsOf(const SpatialTrack& track, int first, int last) {
  return {track.row[first], track.row[last - 1] + 1};
}

/// The frame `seconds` after `from`, or `end`.
int After(const SpatialTrack& track, int from, double seconds, int end) {
  int k = from;
  while (k < end && track.time[k] - track.time[from] < seconds) ++k;
  return k;
}

TakeSections SplitTosses(const SpatialTrack& track, const TakeFlights& found, const std::vector<FrameRange>& rests,
                         const SplitLimits& limits) {
  TakeSections result{"toss", {}, {}};
  const Eigen::Vector3d up = -limits.gravity.normalized();
  const double unit = limits.gravity.norm() / 9.81;
  std::vector<double> height;  // of the center of mass
  for (int k = 0; k < track.size(); ++k)
    height.push_back(up.dot(track.position[k] - Rotate<double>(track.rotation[k], found.arm)));
  const auto highest = [&](int first, int last) { return *std::max_element(&height[first], &height[last]); };

  for (std::size_t i = 0; i < found.flights.size();) {
    const FrameRange& flight = found.flights[i];
    const auto rest =
        std::find_if(rests.begin(), rests.end(), [&](const FrameRange& r) { return r.last > flight.last; });
    const int settled = rest == rests.end() ? track.size() : std::max(rest->first, flight.last);
    const double peak = highest(flight.first, flight.last);
    // Further flights before the body rests are bounces, as long as no hand takes part.
    std::size_t next = i + 1;
    int before = flight.last;
    bool thrown_again = false;
    while (next < found.flights.size() && found.flights[next].first < settled && !thrown_again) {
      const FrameRange& other = found.flights[next];
      thrown_again = track.time[other.first] - track.time[before - 1] > kLongContact ||
                     highest(before, other.last) > peak + kHigher * unit;
      if (thrown_again) break;
      before = other.last;
      ++next;
    }
    const int end = thrown_again ? found.flights[next].first : settled;
    const std::string rows = Rows(track, flight.first, flight.last);
    const bool rested = rest != rests.end();
    std::string why;
    if (thrown_again)
      why = "no rest after the flight; the body is thrown again";
    else if (flight.last == track.size())
      why = "it is not recorded to the end of the flight";
    else if (end > flight.last && highest(flight.last, end) > peak + kHigher * unit)
      why = "the body is carried after the flight";
    else if (rested && height[flight.last - 1] - height[settled] > kFarBelow * unit)
      why = fmt::format("the flight ends {:.2f} m above the place where the body rests next: it was caught",
                        (height[flight.last - 1] - height[settled]) / unit);
    if (why.empty()) {
      result.sections.push_back(
          RowsOf(track, flight.first, rested ? After(track, settled, limits.rest, rest->last) : track.size()));
      i = next;
      continue;
    }
    // A hand that swings the body down may look like a short flight; the toss comes after it.
    result.left_out.push_back(fmt::format("{}: {}", rows, why));
    ++i;
  }
  return result;
}

TakeSections SplitSlides(const SpatialTrack& track, const std::vector<FrameRange>& rests, const SplitLimits& limits) {
  TakeSections result{"slide", {}, {}};
  const Eigen::Vector3d up =
      limits.gravity.norm() > 0 ? Eigen::Vector3d(-limits.gravity.normalized()) : Eigen::Vector3d::UnitZ();
  const double unit = limits.gravity.norm() > 0 ? limits.gravity.norm() / 9.81 : 1;
  for (std::size_t i = 0; i < rests.size(); ++i) {
    const int begin = i == 0 ? 0 : rests[i - 1].last, end = rests[i].first;
    if (end - begin < 8) continue;
    // The highest speed, over a few frames.
    constexpr int kHalf = 3;
    double fastest = 0;
    int start = begin;
    for (int k = begin + kHalf; k + kHalf < end; ++k) {
      const double speed = (track.position[k + kHalf] - track.position[k - kHalf]).norm() /
                           (track.time[k + kHalf] - track.time[k - kHalf]);
      if (speed <= fastest) continue;
      fastest = speed;
      start = k;
    }
    const Eigen::Vector3d way = track.position[end] - track.position[start];
    if (way.norm() < kShortSlide * unit) continue;
    double lowest = 0, highest = 0, lean = 0;
    for (int k = start; k <= end; ++k) {
      const double level = up.dot(track.position[k] - track.position[end]);
      lowest = std::min(lowest, level);
      highest = std::max(highest, level);
      const Eigen::Vector3d turn = BoxMinusRotation<double>(track.rotation[k], track.rotation[end]);
      lean = std::max(lean, (turn - up * up.dot(turn)).norm());
    }
    const double noise = 6 * track.noise_position;
    if (highest - lowest > kLevel * unit + noise || lean > kLean + 6 * track.noise_angle) {
      result.left_out.push_back(
          fmt::format("{}: the body is lifted or turned over: it does not slide", Rows(track, begin, end)));
      continue;
    }
    result.sections.push_back(RowsOf(track, start, After(track, end, limits.rest, rests[i].last)));
  }
  return result;
}

TakeSections SplitFlights(const SpatialTrack& track, const TakeFlights& found, const SplitLimits& limits) {
  const std::vector<FrameRange> rests = FindRests(track, limits);
  if (!found.flights.empty()) return SplitTosses(track, found, rests, limits);
  TakeSections slides = SplitSlides(track, rests, limits);
  if (slides.sections.empty()) slides.kind.clear();
  return slides;
}

}  // namespace

TakeSections SplitPoses(const SpatialTrack& track, const SplitLimits& limits) {
  return SplitFlights(track, FindTakeFlights(track, limits.gravity), limits);
}

TakeSections SplitPoint(const SpatialTrack& track, const SplitLimits& limits) {
  TakeFlights found;
  for (const PointFlight& flight : FindPointFlights(track, limits.gravity))
    if (IsCertain(track, flight)) found.flights.push_back(flight.range);
  return SplitFlights(track, found, limits);
}

TakeSections SplitAngles(const std::vector<double>& time, const std::vector<std::vector<double>>& angles,
                         const SplitLimits& limits) {
  TakeSections result{"swing", {}, {}};
  const int n = static_cast<int>(time.size());
  // Still: over `kStandstill`, every joint stays within its noise or a thousandth of its range, and encoder counts.
  std::vector<double> limit;
  for (const std::vector<double>& angle : angles) {
    const auto [low, high] = std::minmax_element(angle.begin(), angle.end());
    std::vector<double> steps;
    for (int k = 1; k < n; ++k)
      if (const double step = std::abs(angle[static_cast<std::size_t>(k)] - angle[static_cast<std::size_t>(k - 1)]);
          step > 0)
        steps.push_back(step);
    const double count = steps.empty() ? 0 : *std::min_element(steps.begin(), steps.end());
    limit.push_back(std::max({6 * NoiseFromSixthDifferences(angle), 2e-3 * (*high - *low), 2.5 * count}));
  }
  const auto still = [&](int k) {
    for (std::size_t j = 0; j < angles.size(); ++j) {
      double low = angles[j][static_cast<std::size_t>(k)], high = low;
      for (int i = k; i < n && time[static_cast<std::size_t>(i)] - time[static_cast<std::size_t>(k)] <= kStandstill;
           ++i) {
        low = std::min(low, angles[j][static_cast<std::size_t>(i)]);
        high = std::max(high, angles[j][static_cast<std::size_t>(i)]);
      }
      if (!(high - low <= limit[j])) return false;
    }
    return true;
  };
  // Motion between standstills; the frames of a standstill are those from which on it lasts.
  const auto reversals = [&](int first, int last) {
    int most = 0;
    for (std::size_t j = 0; j < angles.size(); ++j) {
      // Turns back by more than the limit count.
      int count = 0, side = 0;
      double extreme = angles[j][static_cast<std::size_t>(first)];
      for (int k = first; k < last; ++k) {
        const double value = angles[j][static_cast<std::size_t>(k)];
        if (side == 0 && std::abs(value - extreme) > 3 * limit[j]) side = value > extreme ? 1 : -1;
        if (side * (value - extreme) > 0) extreme = value;
        if (side != 0 && side * (extreme - value) > 3 * limit[j]) {
          side = -side;
          extreme = value;
          ++count;
        }
      }
      most = std::max(most, count);
    }
    return most;
  };
  int begin = -1;  // of a motion
  for (int k = 0; k <= n; ++k) {
    const bool rests =
        k < n && time[static_cast<std::size_t>(n - 1)] - time[static_cast<std::size_t>(k)] >= kStandstill && still(k);
    if (k < n && !rests) {
      if (begin < 0) begin = k;
      continue;
    }
    if (begin >= 0) {
      // Standstill is seen up to `kStandstill` before it ends.
      const int first = begin;
      int last = k;
      while (last < n &&
             time[static_cast<std::size_t>(last)] - time[static_cast<std::size_t>(std::min(k, n - 1))] < limits.rest)
        ++last;
      const double duration =
          time[static_cast<std::size_t>(std::min(k, n - 1))] - time[static_cast<std::size_t>(begin)];
      if (duration > 2 * kStandstill) {
        if (reversals(first, std::min(k + 1, n)) >= 2)
          result.sections.push_back({first, last});
        else
          result.left_out.push_back(fmt::format("rows {} to {} (t = {:.3f} s): the joints are moved and do not swing",
                                                first + 1, last, time[static_cast<std::size_t>(first)]));
      }
      begin = -1;
    }
  }
  if (result.sections.empty()) result.kind.clear();
  return result;
}

}  // namespace ricochet
