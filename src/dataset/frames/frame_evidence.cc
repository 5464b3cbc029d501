// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/frames/frame_evidence.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dataset/takes/flight_arm.h"
#include "dataset/takes/flight_run.h"
#include "dataset/takes/take_flights.h"
#include "math/manifold.h"
#include "math/so3.h"

namespace ricochet {
namespace {

using flight::FlightRun;

constexpr double kRestFloor = 0.2;     // of the noise: errors of a mean that more rows do not remove
constexpr double kLeastImpulse = 0.3;  // jump of the velocity at a touch [m/s]
constexpr double kInstant = 1.5;       // a crossing may be this many intervals outside of the frames between flights
constexpr double kFastTurn = 1e-4;  // error of the rotation at a touch from the instant, over the size, per rad/s [s]

/// The arm and its covariance from the flights that the tosses have.
void RefineArm(FrameEvidence& evidence, const Eigen::Vector3d& gravity) {
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  double squares = 0;
  int freedom = -3;
  evidence.flights = 0;
  for (const Toss& toss : evidence.tosses) {
    const flight::Recordings<3> frames = {FramesOf(toss.track, 0, toss.track.size())};
    for (const FlightArc& arc : toss.flights) {
      const FlightRun<3> run(frames, 0, {arc.first, arc.last}, gravity);
      information += run.information;
      right += run.right;
      squares += run.squares;
      freedom += run.freedom();
      ++evidence.flights;
    }
  }
  if (freedom < 1 || !(information.determinant() > 0)) return;
  evidence.arm = information.inverse() * right;
  const double variance = std::max(0.0, squares - evidence.arm.dot(right)) / freedom;
  evidence.arm_covariance = variance * information.inverse();
}

void AddRest(const Toss& toss, int index, FrameEvidence& evidence) {
  const SpatialTrack& track = toss.track;
  const int first = StandstillAtEnd(track);
  if (first >= track.size() || toss.contact < 0 || first < toss.contact) return;
  const MeanPose mean = AveragePose(track, first, track.size());
  const double share = std::max(kRestFloor, 1 / std::sqrt(static_cast<double>(track.size() - first)));
  evidence.rests.push_back(
      {index, mean.position, mean.rotation, share * track.noise_position, share * track.noise_angle});
}

/// Rotation of an arc without inertia at time t.
Quaternion<double> RotationAt(const FlightArc& arc, double t) {
  const double s = t - arc.reference;
  return BoxPlusRotation<double>(arc.rotation, arc.angular_velocity * s + arc.angular_acceleration * (0.5 * s * s));
}

/// Touches between neighboring flights.
void AddTouches(const Toss& toss, int index, const Eigen::Vector3d& gravity, double size, FrameEvidence& evidence) {
  const FlightBody body{-evidence.arm, {}};
  const Eigen::Vector3d up = -gravity.normalized();
  for (std::size_t i = 0; i + 1 < toss.flights.size(); ++i) {
    const FlightArc &before = toss.flights[i], &after = toss.flights[i + 1];
    const double t0 = toss.track.time[before.last - 1], t1 = toss.track.time[after.first];
    if (t1 - t0 > 4 * toss.track.interval) continue;  // more than one impact, or a contact that lasts
    const auto near = [&](const FlightArc& arc, bool end) {
      constexpr int kMost = 16;
      const int first = end ? std::max(arc.first, arc.last - kMost) : arc.first;
      const int last = end ? arc.last : std::min(arc.last, arc.first + kMost);
      return FitFlight(toss.track, body, first, last, {.acceleration = gravity, .reference = end ? t0 : t1});
    };
    const FlightArc a = near(before, true), b = near(after, false);
    const double middle = 0.5 * (t0 + t1);
    const double apart = up.dot(b.PositionAt(middle) - a.PositionAt(middle)),
                 jump = up.dot(b.VelocityAt(middle) - a.VelocityAt(middle));
    if (!(jump > kLeastImpulse)) continue;
    const double t = middle - apart / jump;
    const double margin = kInstant * toss.track.interval;
    if (t < t0 - margin || t > t1 + margin) continue;
    const auto deviation = [&](const FlightArc& arc) {
      const Eigen::Vector3d slope(1, t - arc.reference, 0);
      return std::sqrt(slope.dot(arc.position_covariance * slope)) * std::max(1.0, arc.ScaleOfPosition());
    };
    // The crossing of two lines: each moves it along the other.
    const double va = up.dot(a.VelocityAt(t)), vb = up.dot(b.VelocityAt(t));
    const double height = std::hypot(deviation(a) * vb, deviation(b) * va) / jump;
    const double rotation = std::sqrt(a.rotation_covariance(0, 0)) * std::max(1.0, a.ScaleOfRotation());
    const double instant = std::hypot(deviation(a), deviation(b)) / jump;
    evidence.touches.push_back({index, a.PositionAt(t), RotationAt(a, t),
                                std::hypot(height, size * rotation, size * instant * a.angular_velocity.norm()) +
                                    kFastTurn * size * a.angular_velocity.norm()});
  }
}

}  // namespace

std::optional<FrameEvidence> GatherFrameEvidence(const std::vector<SpatialTrack>& tracks,
                                                 const Eigen::Vector3d& gravity, double size) {
  std::vector<TurningFrames<3>> frames;
  for (const SpatialTrack& track : tracks) frames.push_back(FramesOf(track, 0, StandstillAtEnd(track)));
  const std::optional<Eigen::Vector3d> arm = ArmFromFlight<3>(frames, gravity);
  if (!arm) return std::nullopt;
  FrameEvidence evidence;
  evidence.arm = *arm;
  // Flights by the arm, the arm by the flights.
  for (int round = 0; round < 2; ++round) {
    evidence.tosses.clear();
    TossOptions options;
    options.gravity = gravity;
    for (const SpatialTrack& track : tracks)
      evidence.tosses.push_back(MakeToss(track, FlightBody{-evidence.arm, {}}, options));
    RefineArm(evidence, gravity);
  }
  for (std::size_t i = 0; i < evidence.tosses.size(); ++i) {
    AddRest(evidence.tosses[i], static_cast<int>(i), evidence);
    AddTouches(evidence.tosses[i], static_cast<int>(i), gravity, size, evidence);
  }
  return evidence;
}

}  // namespace ricochet
