// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/take_flights.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "dataset/takes/flight_run.h"
#include "math/manifold.h"
#include "math/so3.h"

namespace ricochet {
namespace {

using flight::FlightRun;

constexpr double kWindow = 0.1;        // [s]
constexpr int kLeastWindow = 8;        // frames
constexpr double kLongestArm = 0.3;    // standard deviation of b before anything is known, at 9.81 m/s^2 [m]
constexpr double kLeastNoise = 4e-4;   // errors that change slowly from row to row, at 9.81 m/s^2 [m]
constexpr double kResiduals = 4;       // allowed mean square of residuals over that of the noise
constexpr std::size_t kSeeds = 60;     // windows from which a vote starts
constexpr int kRounds = 6;             // of votes
constexpr double kLeastFlight = 0.06;  // [s]
constexpr double kGravityError = 0.05, kGravityDeviation = 0.05;  // of a flight's acceleration, over gravity

class Vote {
 public:
  Vote(const SpatialTrack& track, const Eigen::Vector3d& gravity)
      : track_(track),
        gravity_(gravity),
        noise_(std::max(track.noise_position, kLeastNoise * gravity.norm() / 9.81)),
        frames_({FramesOf(track, 0, track.size())}) {
    width_ = std::max(kLeastWindow, static_cast<int>(std::lround(kWindow / std::max(track.interval, 1e-9))));
    prior_ = std::pow(noise_ / (kLongestArm * gravity.norm() / 9.81), 2);
  }

  /// The arm that explains most windows; none when no window falls.
  std::optional<Eigen::Vector3d> Arm() const {
    std::vector<FlightRun<3>> windows;
    for (int first = 0; first + width_ <= track_.size(); first += std::max(1, width_ / 4)) {
      if (!IsWhole(first)) continue;
      FlightRun<3> window = Window(first);
      if (Passes(window, Solve(window.information, window.right))) windows.push_back(std::move(window));
    }
    std::optional<Eigen::Vector3d> best;
    std::size_t most = 0;
    for (std::size_t k = 0; k < std::min(kSeeds, windows.size()); ++k) {
      const std::size_t seed = k * windows.size() / std::min(kSeeds, windows.size());
      const auto [arm, count] = FromSeed(windows, seed);
      if (count <= most) continue;
      best = arm;
      most = count;
    }
    return best;
  }

  std::vector<FrameRange> Flights(const Eigen::Vector3d& arm) const {
    std::vector<FrameRange> flights;
    for (int first = 0; first + width_ <= track_.size(); ++first) {
      if (!IsWhole(first) || !Passes(Window(first), arm)) continue;
      if (!flights.empty() && first <= flights.back().last - width_ / 2)
        flights.back().last = first + width_;
      else
        flights.push_back({first, first + width_});
    }
    std::vector<FrameRange> kept;
    for (FrameRange range : flights) {
      range = Trimmed(range, arm);
      if (!kept.empty()) range.first = std::max(range.first, kept.back().last);
      if (Falls(range, arm)) kept.push_back(range);
    }
    return kept;
  }

 private:
  bool IsWhole(int first) const {
    return track_.time[first + width_ - 1] - track_.time[first] < 1.2 * width_ * track_.interval;
  }
  FlightRun<3> Window(int first) const { return {frames_, 0, {first, first + width_}, gravity_}; }

  Eigen::Vector3d Solve(const Eigen::Matrix3d& information, const Eigen::Vector3d& right) const {
    return (information + prior_ * Eigen::Matrix3d::Identity()).ldlt().solve(right);
  }
  bool Passes(const FlightRun<3>& window, const Eigen::Vector3d& arm) const {
    return window.SquaresLeft(arm) <= kResiduals * noise_ * noise_ * window.freedom() &&
           window.Flies(arm, noise_, gravity_.norm());
  }

  struct Result {
    Eigen::Vector3d arm;
    std::size_t count;
  };
  Result FromSeed(const std::vector<FlightRun<3>>& windows, std::size_t seed) const {
    Eigen::Matrix3d information = windows[seed].information;
    Eigen::Vector3d right = windows[seed].right;
    // Windows of the same flight come first.
    for (std::size_t step = 1; step < windows.size(); ++step)
      for (const int side : {-1, 1}) {
        const auto at = static_cast<std::ptrdiff_t>(seed) + side * static_cast<std::ptrdiff_t>(step);
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(windows.size())) continue;
        const FlightRun<3>& window = windows[static_cast<std::size_t>(at)];
        const Eigen::Matrix3d both = information + window.information;
        const Eigen::Vector3d rights = right + window.right;
        const Eigen::Vector3d arm = Solve(both, rights);
        if (!Passes(window, arm) || !Passes(windows[seed], arm)) continue;
        information = both;
        right = rights;
      }
    Result result{Solve(information, right), 0};
    for (int round = 0; round < kRounds; ++round) {
      information.setZero();
      right.setZero();
      result.count = 0;
      for (const FlightRun<3>& window : windows)
        if (Passes(window, result.arm)) {
          information += window.information;
          right += window.right;
          ++result.count;
        }
      if (result.count == 0) return result;
      result.arm = Solve(information, right);
    }
    return result;
  }

  /// Without frames at the ends that leave the parabola of the middle.
  FrameRange Trimmed(FrameRange range, const Eigen::Vector3d& arm) const {
    constexpr double kDeparture = 4.5;
    const FlightBody body{-arm, {}};
    const int margin = std::min(width_ / 2, (range.frames() - kLeastWindow) / 3);
    if (margin < 1) return range;
    const FlightArc arc =
        FitFlight(track_, body, range.first + margin, range.last - margin, {.acceleration = gravity_});
    const auto departs = [&](int k) {
      const Eigen::Vector3d center = track_.position[k] - Rotate<double>(track_.rotation[k], arm);
      const double s = track_.time[k] - arc.reference;
      const Eigen::Vector3d slope(1, s, 0);
      const double variance = noise_ * noise_ + slope.dot(arc.position_covariance * slope);
      return (center - arc.PositionAt(track_.time[k])).norm() > kDeparture * std::sqrt(variance);
    };
    int first = range.first + margin, last = range.last - margin;
    while (first > range.first && !departs(first - 1)) --first;
    while (last < range.last && !departs(last)) ++last;
    return {first, last};
  }

  bool Falls(const FrameRange& range, const Eigen::Vector3d& arm) const {
    if (range.frames() < 6 || track_.time[range.last - 1] - track_.time[range.first] < kLeastFlight) return false;
    const FlightRun<3> run(frames_, 0, range, gravity_);
    const double scale = std::sqrt(run.SquaresLeft(arm) / (noise_ * noise_ * run.freedom()));
    const double deviation = run.AccelerationDeviation(noise_) * std::max(1.0, scale), g = gravity_.norm();
    return deviation < kGravityDeviation * g && run.OtherAcceleration(arm).norm() < kGravityError * g + 4 * deviation;
  }

  const SpatialTrack& track_;
  Eigen::Vector3d gravity_;
  double noise_ = 0, prior_ = 0;
  int width_ = 0;  // of a window, frames
  flight::Recordings<3> frames_;
};

}  // namespace

bool EndsInContact(const SpatialTrack& track, const FrameRange& flight, const Eigen::Vector3d& arm,
                   const Eigen::Vector3d& gravity) {
  constexpr int kSettling = 2, kAfter = 5;  // frames that an impact may take, frames that show the velocity after it
  constexpr double kPushed = 0.1, kDeviations = 5;
  const int first = std::min(flight.last + kSettling, track.size()), last = std::min(first + kAfter, track.size());
  if (last - first < 3 ||
      track.time[last - 1] - track.time[flight.last - 1] > 2 * (kSettling + kAfter) * track.interval)
    return false;
  const FlightBody body{-arm, {}};
  const double end = track.time[flight.last - 1];
  const FlightArc fall = FitFlight(track, body, flight.first, flight.last, {.acceleration = gravity, .reference = end});
  const FlightArc after =
      FitFlight(track, body, first, last, {.acceleration = gravity, .reference = track.time[first]});
  const double instant = 0.5 * (end + track.time[first]), g = gravity.norm();
  const double pushed = -(after.VelocityAt(instant) - fall.VelocityAt(instant)).dot(gravity) / g;
  const double noise = std::sqrt(fall.position_covariance(1, 1) + after.position_covariance(1, 1));
  return pushed > std::max(kPushed * g * (end - track.time[flight.first]), kDeviations * noise);
}

TurningFrames<3> FramesOf(const SpatialTrack& track, int first, int last) {
  TurningFrames<3> frames;
  for (int k = first; k < last; ++k) {
    frames.time.push_back(track.time[k]);
    frames.rotation.push_back(RotationMatrix<double>(track.rotation[k]));
    frames.position.push_back(track.position[k]);
  }
  return frames;
}

TakeFlights FindTakeFlights(const SpatialTrack& track, const Eigen::Vector3d& gravity) {
  TakeFlights result;
  if (!(gravity.norm() > 0) || !(track.noise_position > 0)) return result;
  const Vote vote(track, gravity);
  const std::optional<Eigen::Vector3d> arm = vote.Arm();
  if (!arm) return result;
  result.arm = *arm;
  result.flights = vote.Flights(*arm);
  return result;
}

}  // namespace ricochet
