// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/takes/flight_arm.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dataset/cut_frames.h"
#include "dataset/noise.h"
#include "dataset/takes/flight_run.h"
#include "math/dense.h"
#include "math/statistics.h"

namespace ricochet {

using flight::FlightRun;
using flight::Matrix;
using flight::Recordings;
using flight::Vector;

namespace {

constexpr int kWidest = 8;            // differences reach over a quarter of the frames at most
constexpr int kReweighted = 15;       // rounds of weights
constexpr int kRounds = 20;           // of cutting and solving
constexpr int kShortest = 4;          // frames of a run
constexpr double kHopeless = 20;      // penalties beyond which a run is not extended
constexpr double kLastDigits = 1e-7;  // least noise over the extent of the motion
constexpr double kSettled = 0.01;     // last change of the arm, in standard deviations
constexpr double kArmNoise = 10;      // standard deviation, over the noise, of an arm that may also be 0

template <int N>
struct Arm {
  Vector<N> b = Vector<N>::Zero();
  Matrix<N> information = Matrix<N>::Zero();  // of b, for noise 1
  double noise = 0;                           // of a coordinate [m]

  bool Solve(const Vector<N>& right) {
    if (!(information.determinant() > 0)) return false;
    b = information.inverse() * right;
    return true;
  }
};

/// Noise of the last digits, of recordings without noise.
template <int N>
double LeastNoise(const Recordings<N>& recordings) {
  double extent = 0;
  for (const TurningFrames<N>& frames : recordings)
    for (const Vector<N>& p : frames.position) extent = std::max(extent, (p - frames.position[0]).norm());
  return kLastDigits * extent;
}

/// Start value: differences of three frames as if they were independent, with weights that fall off beyond the lower
/// quartile of the residuals.
template <int N>
std::optional<Arm<N>> FromDifferences(const Recordings<N>& recordings, const Vector<N>& fall, double least_noise) {
  struct Equation {
    Matrix<N> D;
    Vector<N> d;
  };
  std::vector<Equation> equations;
  for (const TurningFrames<N>& frames : recordings) {
    const int n = static_cast<int>(frames.time.size());
    // Wider differences see more of the turn under the same noise, narrow ones find more room between impacts.
    for (int k = 1; k * kWidest <= n; k *= 2)
      for (int i = k; i + k < n; ++i) {
        const auto before = static_cast<std::size_t>(i - k), at = static_cast<std::size_t>(i),
                   after = static_cast<std::size_t>(i + k);
        const double since = frames.time[at] - frames.time[before], until = frames.time[after] - frames.time[at];
        equations.push_back({FlightDifference(frames.rotation[before], frames.rotation[at], frames.rotation[after],
                                              since, until, Matrix<N>(Matrix<N>::Zero())),
                             FlightDifference(frames.position[before], frames.position[at], frames.position[after],
                                              since, until, fall)});
      }
  }
  Arm<N> arm;
  std::vector<double> weight(equations.size(), 1.0);
  for (int round = 0; round < kReweighted; ++round) {
    arm.information.setZero();
    Vector<N> right = Vector<N>::Zero();
    for (std::size_t i = 0; i < equations.size(); ++i) {
      arm.information += weight[i] * equations[i].D.transpose() * equations[i].D;
      right += weight[i] * equations[i].D.transpose() * equations[i].d;
    }
    if (!arm.Solve(right)) return std::nullopt;
    std::vector<double> sizes;
    for (const Equation& equation : equations)
      for (const double rest : Vector<N>(equation.d - equation.D * arm.b)) sizes.push_back(std::abs(rest));
    arm.noise = std::max(QuartileDeviation(std::move(sizes)), least_noise);
    for (std::size_t i = 0; i < equations.size(); ++i)
      weight[i] = 1 / (1 + (equations[i].d - equations[i].D * arm.b).squaredNorm() / (4 * arm.noise * arm.noise));
  }
  return arm;
}

/// What a further run must gain in chi^2: its position, its velocity and the place of the cut are free.
template <int N>
double RunPenalty(const TurningFrames<N>& frames) {
  return N * (4 + 2 * std::log(static_cast<double>(frames.time.size() + 2)));
}

/// Cuts the frames into runs in which C moves on one parabola each, as far as the noise shows, for this arm.
template <int N>
std::vector<FrameRange> CutIntoRuns(const TurningFrames<N>& frames, const Arm<N>& arm, const Vector<N>& fall) {
  std::vector<Vector<N>> center;
  for (std::size_t i = 0; i < frames.time.size(); ++i)
    center.emplace_back(frames.position[i] - frames.rotation[i] * arm.b);
  return CutFrames(static_cast<int>(frames.time.size()), RunPenalty(frames), kHopeless, [&](int first) {
    double s0 = 0, s1 = 0, s2 = 0, zz = 0;
    Vector<N> z = Vector<N>::Zero(), zt = Vector<N>::Zero();
    return [=, &frames, &center, &fall, &arm](int last) mutable -> std::optional<double> {
      const auto at = static_cast<std::size_t>(last - 1), start = static_cast<std::size_t>(first);
      const double t = frames.time[at] - frames.time[start];
      const Vector<N> value = center[at] - center[start] - fall * (0.5 * t * t);
      s0 += 1, s1 += t, s2 += t * t;
      z += value, zt += value * t, zz += value.squaredNorm();
      const double spread = s2 - s1 * s1 / s0;
      double squares = zz - z.squaredNorm() / s0;
      if (spread > 0) squares -= (zt - z * (s1 / s0)).squaredNorm() / spread;
      return std::max(squares, 0.0) / (arm.noise * arm.noise);
    };
  });
}

/// Least squares over runs in flight; none when they leave b open. `squares` gets the sum of squares that is left.
template <int N>
std::optional<Arm<N>> FromRuns(const std::vector<FlightRun<N>>& runs, double least_noise, double& squares) {
  Arm<N> arm;
  Vector<N> right = Vector<N>::Zero();
  double freedom = -N;
  squares = 0;
  for (const FlightRun<N>& run : runs) {
    arm.information += run.information;
    right += run.right;
    squares += run.squares;
    freedom += N * (run.range.frames() - 2);
  }
  if (!arm.Solve(right)) return std::nullopt;
  squares = std::max(0.0, squares - arm.b.dot(right));
  arm.noise = std::max(std::sqrt(squares / std::max(freedom, 1.0)), least_noise);
  return arm;
}

}  // namespace

template <int N>
std::optional<Vector<N>> ArmFromFlight(const Recordings<N>& recordings, const Vector<N>& acceleration) {
  const double least_noise = LeastNoise<N>(recordings);
  std::optional<Arm<N>> arm = FromDifferences<N>(recordings, acceleration, least_noise);
  for (int round = 0; arm && round < kRounds; ++round) {
    const Arm<N> before = *arm;
    std::vector<FlightRun<N>> runs;
    for (std::size_t i = 0; i < recordings.size(); ++i)
      for (const FrameRange& range : CutIntoRuns<N>(recordings[i], before, acceleration)) {
        if (range.frames() < kShortest) continue;
        FlightRun<N> run(recordings, static_cast<int>(i), range, acceleration);
        if (run.Flies(before.b, before.noise, acceleration.norm())) runs.push_back(std::move(run));
      }
    double squares = 0;
    arm = FromRuns(runs, least_noise, squares);
    // An inexact arm cuts a long flight in two, and neither half shows the error: join where another arm explains both.
    for (std::size_t i = 0; arm && i + 1 < runs.size();) {
      std::vector<FlightRun<N>> joined = runs;
      if (runs[i].recording == runs[i + 1].recording && runs[i].range.last == runs[i + 1].range.first) {
        joined[i] = {recordings, runs[i].recording, {runs[i].range.first, runs[i + 1].range.last}, acceleration};
        joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        double more = 0;
        const std::optional<Arm<N>> other = FromRuns(joined, least_noise, more);
        const double penalty = RunPenalty(recordings[static_cast<std::size_t>(runs[i].recording)]);
        if (other && more - squares < penalty * arm->noise * arm->noise) {
          runs = std::move(joined), arm = other, squares = more;
          continue;
        }
      }
      ++i;
    }
    if (!arm) break;
    const Vector<N> change = arm->b - before.b;
    if (change.dot(arm->information * change) <= std::pow(kSettled * arm->noise, 2)) break;
  }
  if (!arm) return std::nullopt;
  // An arm that could as well be 0 is not known, unless it is known to be close to 0.
  const double deviation = arm->noise / std::sqrt(EigenOfSymmetric(arm->information).values[0]);
  if (!(deviation <= std::max(0.5 * arm->b.norm(), kArmNoise * arm->noise))) return std::nullopt;
  return arm->b;
}

template std::optional<Eigen::Vector2d> ArmFromFlight<2>(const std::vector<TurningFrames<2>>&, const Eigen::Vector2d&);
template std::optional<Eigen::Vector3d> ArmFromFlight<3>(const std::vector<TurningFrames<3>>&, const Eigen::Vector3d&);

}  // namespace ricochet
