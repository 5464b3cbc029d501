// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Normal equations of frames that may fly (flight_arm.h): for the arm b, with position and velocity of the
// center of mass C eliminated, and for an acceleration of C beside that of flight.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "dataset/cut_frames.h"
#include "dataset/takes/turning_frames.h"

namespace ricochet::flight {

template <int N>
using Vector = Eigen::Matrix<double, N, 1>;
template <int N>
using Matrix = Eigen::Matrix<double, N, N>;
template <int N>
using Recordings = std::vector<TurningFrames<N>>;

/// Takes the best line in time away from values of frames.
template <class Value>
void RemoveLine(const std::vector<double>& time, std::vector<Value>& values) {
  double mean_time = 0, spread = 0;
  Value mean = 0 * values[0], slope = mean;
  const auto count = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    mean_time += time[i] / count;
    mean += values[i] / count;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double dt = time[i] - mean_time;
    spread += dt * dt;
    slope += dt * (values[i] - mean);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mean + slope * ((time[i] - mean_time) / spread);
}

/// Normal equations of a run for b, position and velocity of C eliminated, and for an acceleration of C beside that of
/// flight.
template <int N>
struct FlightRun {
  int recording = 0;
  FrameRange range;
  Matrix<N> information = Matrix<N>::Zero();  // sum of R^T R
  Vector<N> right = Vector<N>::Zero();        // sum of R^T p
  double squares = 0;                         // sum of p^T p
  double accelerations = 0;                   // the same of q = t^2 / 2
  Vector<N> places = Vector<N>::Zero();       // sum of q p
  Matrix<N> rotations = Matrix<N>::Zero();    // sum of q R

  FlightRun(const Recordings<N>& recordings, int index, const FrameRange& frames, const Vector<N>& fall)
      : recording(index), range(frames) {
    const TurningFrames<N>& from = recordings[static_cast<std::size_t>(index)];
    std::vector<double> time, q;
    std::vector<Vector<N>> p;
    std::vector<Matrix<N>> R;
    for (int i = frames.first; i < frames.last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double t = from.time[at] - from.time[static_cast<std::size_t>(frames.first)];
      time.push_back(t);
      q.push_back(0.5 * t * t);
      p.emplace_back(from.position[at] - fall * q.back());
      R.push_back(from.rotation[at]);
    }
    RemoveLine(time, q);
    RemoveLine(time, p);
    RemoveLine(time, R);
    for (std::size_t i = 0; i < time.size(); ++i) {
      information += R[i].transpose() * R[i];
      right += R[i].transpose() * p[i];
      squares += p[i].squaredNorm();
      accelerations += q[i] * q[i];
      places += q[i] * p[i];
      rotations += q[i] * R[i];
    }
  }

  /// Whether C falls freely, for this arm: no other acceleration shows, and it would. Without gravity all runs fly.
  bool Flies(const Vector<N>& b, double noise, double fall) const {
    constexpr double kWellKnown = 0.2;  // standard deviation of the acceleration over that of flight
    constexpr double kOwnError = 0.12;  // allowed error of the acceleration over that of flight, from an inexact arm
    constexpr double kDeviations = 4;   // allowed beside it, in standard deviations
    if (fall == 0) return true;
    const double deviation = AccelerationDeviation(noise);
    return deviation <= kWellKnown * fall && OtherAcceleration(b).norm() <= kOwnError * fall + kDeviations * deviation;
  }

  /// Acceleration of C beside that of flight, for this arm, and its standard deviation per axis for this noise.
  Vector<N> OtherAcceleration(const Vector<N>& b) const { return (places - rotations * b) / accelerations; }
  double AccelerationDeviation(double noise) const { return noise / std::sqrt(accelerations); }

  /// Sum of squares that this arm leaves.
  double SquaresLeft(const Vector<N>& b) const {
    return std::max(0.0, squares - 2 * b.dot(right) + b.dot(information * b));
  }
  /// Degrees of freedom of that sum.
  int freedom() const { return N * (range.frames() - 2); }
};

}  // namespace ricochet::flight
