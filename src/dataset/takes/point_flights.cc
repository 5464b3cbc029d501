// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/point_flights.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dataset/takes/take_flights.h"

namespace ricochet {
namespace {

constexpr double kWindow = 0.1;         // [s]: shortest flight
constexpr int kLeastFrames = 8;         // of it
constexpr double kWobble = 1.5e-3;      // allowed departure of a marker from the center of mass, at 9.81 m/s^2 [m]
constexpr double kNoises = 4;           // allowed departure beside it
constexpr double kShortGap = 3.5;       // intervals without a frame within a flight
constexpr double kAnyDrag = 0.25;       // of gravity: by how much drag may change the acceleration of a short window
constexpr double kSameGravity = 0.12;   // of gravity, of a whole flight
constexpr double kWellKnown = 0.05;     // of gravity: standard deviation of a whole flight
constexpr double kMostDrag = 3;         // [1/s]
constexpr double kClearDrag = 16;       // drop of the squares over their variance that drag must bring
constexpr double kCertainFlight = 0.3;  // [s]
constexpr double kGrowth = 1.1;         // of a flight between two fits
constexpr int kRounds = 10;             // of fits that find its ends

/// f(u) and (u - f(u)) / k of the header.
Eigen::Vector2d DragBasis(double k, double u) {
  const double x = k * u;
  if (x < 1e-3) return {u * (1 - x / 2 + x * x / 6), u * u * (0.5 - x / 6 + x * x / 24)};
  const double f = -std::expm1(-x) / k;
  return {f, (u - f) / k};
}

struct Fit {
  double drag = 0, squares = 0;
  Eigen::Matrix3d coefficients = Eigen::Matrix3d::Zero();  // columns p0, v0, g
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();       // of the normal matrix

  Eigen::Vector3d At(double u) const {
    const Eigen::Vector2d basis = DragBasis(drag, u);
    return coefficients * Eigen::Vector3d(1, basis[0], basis[1]);
  }
  Eigen::Vector3d VelocityAt(double u) const {
    const double decay = std::exp(-drag * u), f = DragBasis(drag, u)[0];
    return coefficients * Eigen::Vector3d(0, decay, f);
  }
};

/// Least squares of frames [first, last) at this drag; times count from `first`.
Fit FitAt(const SpatialTrack& track, const FrameRange& range, double drag) {
  Fit fit;
  fit.drag = drag;
  const double span = std::max(track.time[range.last - 1] - track.time[range.first], 1e-9);
  const Eigen::Vector3d unit(1, span, span * span);  // keeps the normal matrix well conditioned
  const auto basis = [&](int i) {
    const Eigen::Vector2d b = DragBasis(drag, track.time[i] - track.time[range.first]);
    return Eigen::Vector3d(1, b[0] / unit[1], b[1] / unit[2]);
  };
  const Eigen::Vector3d& origin = track.position[range.first];
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero(), right = Eigen::Matrix3d::Zero();
  for (int i = range.first; i < range.last; ++i) {
    const Eigen::Vector3d b = basis(i);
    normal += b * b.transpose();
    right += (track.position[i] - origin) * b.transpose();
  }
  const Eigen::Matrix3d inverse = normal.inverse(), scaled = right * inverse;
  for (int i = range.first; i < range.last; ++i)
    fit.squares += (track.position[i] - origin - scaled * basis(i)).squaredNorm();
  const Eigen::Vector3d back = unit.cwiseInverse();
  fit.coefficients = scaled * back.asDiagonal();
  fit.coefficients.col(0) += origin;
  fit.inverse = back.asDiagonal() * inverse * back.asDiagonal();
  return fit;
}

/// The drag with the least squares, by golden section.
Fit FitWithDrag(const SpatialTrack& track, const FrameRange& range) {
  constexpr double kGolden = 0.6180339887498949;
  double low = 0, high = kMostDrag;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = FitAt(track, range, a).squares, at_b = FitAt(track, range, b).squares;
  while (high - low > 1e-4) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = high - kGolden * (high - low);
      at_a = FitAt(track, range, a).squares;
    } else {
      low = a, a = b, at_a = at_b;
      b = low + kGolden * (high - low);
      at_b = FitAt(track, range, b).squares;
    }
  }
  return FitAt(track, range, 0.5 * (low + high));
}

class Search {
 public:
  Search(const SpatialTrack& track, const Eigen::Vector3d& gravity)
      : track_(track),
        gravity_(gravity),
        axes_(track.planar ? 2 : 3),
        allowed_(std::max(kWobble * gravity.norm() / 9.81, kNoises * track.noise_position)) {}

  std::vector<PointFlight> Run() const {
    std::vector<PointFlight> flights;
    int earliest = 0;  // after the last flight
    for (int first = 0; first < track_.size();) {
      const FrameRange window = WindowAt(first);
      if (window.frames() == 0 || !Falls(window)) {
        ++first;
        continue;
      }
      const FrameRange grown = Trimmed(Grown(window), earliest);
      const PointFlight flight = Describe(grown);
      if (IsFlight(flight)) {
        flights.push_back(flight);
        earliest = grown.last;
        first = std::max(first + 1, grown.last);
      } else {
        ++first;
      }
    }
    return flights;
  }

 private:
  /// The shortest flight from a frame on; none across a gap.
  FrameRange WindowAt(int first) const {
    int last = first + 1;
    while (last < track_.size() && IsNext(last) &&
           (last - first < kLeastFrames || track_.time[last - 1] - track_.time[first] < kWindow))
      ++last;
    const bool whole = last - first >= kLeastFrames && track_.time[last - 1] - track_.time[first] >= kWindow;
    return whole ? FrameRange{first, last} : FrameRange{first, first};
  }
  bool IsNext(int frame) const { return track_.time[frame] - track_.time[frame - 1] < kShortGap * track_.interval; }
  double Rms(const Fit& fit, const FrameRange& range) const {
    return std::sqrt(fit.squares / (axes_ * range.frames() - 3 * axes_));
  }

  bool Falls(const FrameRange& window) const {
    const Fit fit = FitAt(track_, window, 0);
    const double rms = Rms(fit, window), g = gravity_.norm();
    const double deviation = std::max(rms, track_.noise_position) * std::sqrt(fit.inverse(2, 2));
    return rms < allowed_ && deviation < kAnyDrag * g &&
           (fit.coefficients.col(2) - gravity_).norm() < kAnyDrag * g + 2 * deviation;
  }

  /// With the frames that follow, as long as they continue the flight.
  FrameRange Grown(FrameRange range) const {
    Fit fit = FitAt(track_, range, 0);
    int fitted = range.frames();
    while (range.last < track_.size() && IsNext(range.last)) {
      if (range.frames() > kGrowth * fitted) {
        fit = FitWithDrag(track_, range);
        fitted = range.frames();
      }
      if (Departure(fit, range, range.last) > 2 * allowed_ + 1.5 * allowed_ * Leverage(fit, range, range.last)) break;
      ++range.last;
    }
    return range;
  }

  /// From the middle outwards, as far as frames continue its motion: a hand and a landing push the body by less than
  /// what a marker may wobble, at first. Drag grows with the speed, so each end continues its own half.
  FrameRange Trimmed(FrameRange range, int earliest) const {
    for (int round = 0; round < kRounds; ++round) {
      const int margin = std::min(range.frames() / 8, (range.frames() - kLeastFrames) / 2);
      if (margin < 1) break;
      const int center = (range.first + range.last) / 2;
      FrameRange kept{range.first + margin, range.last - margin};
      const Continuation before(*this, {kept.first, std::max(center, kept.first + kLeastFrames)});
      const Continuation after(*this, {std::min(center, kept.last - kLeastFrames), kept.last});
      while (kept.first > earliest && IsNext(kept.first) && before.Holds(kept.first - 1)) --kept.first;
      while (kept.last < track_.size() && IsNext(kept.last) && after.Holds(kept.last)) ++kept.last;
      if (kept.first == range.first && kept.last == range.last) break;
      range = kept;
    }
    return range;
  }

  /// Whether frames beside a range continue its motion.
  class Continuation {
   public:
    Continuation(const Search& search, const FrameRange& range)
        : search_(search), range_(range), fit_(FitWithDrag(search.track_, range)) {
      limit_ = std::max(search.allowed_, kNoises * search.Rms(fit_, range));
      correlated_ = search.FramesPerIndependentOne(fit_, range);
    }
    bool Holds(int frame) const {
      const double leverage = search_.Leverage(fit_, range_, frame);
      return search_.Departure(fit_, range_, frame) < limit_ * std::sqrt(1 + correlated_ * leverage * leverage);
    }

   private:
    const Search& search_;
    FrameRange range_;
    Fit fit_;
    double limit_, correlated_;
  };

  /// Distance of a frame from the motion that was fitted to `range`.
  double Departure(const Fit& fit, const FrameRange& range, int frame) const {
    return (track_.position[frame] - fit.At(track_.time[frame] - track_.time[range.first])).norm();
  }
  /// Standard deviation of the motion at a frame over that of a row.
  double Leverage(const Fit& fit, const FrameRange& range, int frame) const {
    const Eigen::Vector2d basis = DragBasis(fit.drag, track_.time[frame] - track_.time[range.first]);
    const Eigen::Vector3d slope(1, basis[0], basis[1]);
    return std::sqrt(std::max(0.0, slope.dot(fit.inverse * slope)));
  }

  /// Without the frames at the ends in which a push would move the body by less than is allowed.
  FrameRange Free(const FrameRange& range) const {
    const double pushed = std::sqrt(2 * allowed_ / gravity_.norm());
    FrameRange free = range;
    while (track_.time[free.first] - track_.time[range.first] < pushed) ++free.first;
    while (track_.time[range.last - 1] - track_.time[free.last - 1] < pushed) --free.last;
    return free.frames() >= kLeastFrames ? free : range;
  }

  PointFlight Describe(const FrameRange& whole) const {
    const FrameRange range = Free(whole);
    PointFlight flight;
    flight.range = whole;
    const Fit without = FitAt(track_, range, 0);
    Fit fit = FitWithDrag(track_, range);
    // Departures of a marker change slowly from row to row: they count as fewer rows than there are.
    const double correlated = FramesPerIndependentOne(fit, range);
    const double freedom = std::max(1, axes_ * range.frames() - 3 * axes_ - 1);
    const double variance = std::max(fit.squares / freedom, track_.noise_position * track_.noise_position) * correlated;
    const bool drags = without.squares - fit.squares > kClearDrag * variance;
    if (!drags) fit = without;
    flight.gravity = fit.coefficients.col(2);
    flight.velocity = fit.VelocityAt(track_.time[whole.first] - track_.time[range.first]);
    flight.drag = fit.drag;
    flight.residual = std::sqrt(fit.squares / freedom);
    double spread = variance * fit.inverse(2, 2);
    if (drags) {
      // The curvature of the squares over the drag, and what the drag moves.
      const double step = 0.02;
      const Fit above = FitAt(track_, range, fit.drag + step);
      const double rise = std::max(above.squares - fit.squares, 1e-300);
      flight.drag_deviation = step * std::sqrt(variance / rise);
      const Eigen::Vector3d moved = (above.coefficients.col(2) - flight.gravity) * (flight.drag_deviation / step);
      spread += moved.squaredNorm() / axes_;
    }
    flight.gravity_deviation = std::sqrt(spread);
    flight.lands = EndsInContact(track_, whole, Eigen::Vector3d::Zero(), gravity_);
    return flight;
  }

  /// By the correlation of neighboring residuals.
  double FramesPerIndependentOne(const Fit& fit, const FrameRange& range) const {
    const auto residual = [&](int i) {
      return Eigen::Vector3d(track_.position[i] - fit.At(track_.time[i] - track_.time[range.first]));
    };
    double squares = 1e-300, products = 0;
    Eigen::Vector3d before = residual(range.first);
    for (int i = range.first + 1; i < range.last; ++i) {
      const Eigen::Vector3d now = residual(i);
      squares += 0.5 * (now.squaredNorm() + before.squaredNorm());
      products += now.dot(before);
      before = now;
    }
    const double r = std::clamp(products / squares, 0.0, 0.9);
    return (1 + r) / (1 - r);
  }

  bool IsFlight(const PointFlight& flight) const {
    const double g = gravity_.norm();
    return flight.range.frames() >= kLeastFrames && flight.residual < allowed_ &&
           flight.gravity_deviation < kWellKnown * g &&
           (flight.gravity - gravity_).norm() < kSameGravity * g + 2 * flight.gravity_deviation;
  }

  const SpatialTrack& track_;
  Eigen::Vector3d gravity_;
  int axes_;
  double allowed_;  // departure from a flight
};

}  // namespace

std::vector<PointFlight> FindPointFlights(const SpatialTrack& track, const Eigen::Vector3d& gravity) {
  if (!(gravity.norm() > 0) || track.size() < kLeastFrames || !(track.interval > 0)) return {};
  return Search(track, gravity).Run();
}

bool IsCertain(const SpatialTrack& track, const PointFlight& flight) {
  return flight.lands || track.time[flight.range.last - 1] - track.time[flight.range.first] >= kCertainFlight;
}

}  // namespace ricochet
