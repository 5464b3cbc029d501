// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One recorded toss, taken apart: where the body was let go, flew, hit and came to rest. Found automatically; every
// choice is in the log.
//
//   stretches   the frames cut into parabolas of the center of mass (flight_arc.h)
//   flights     those whose acceleration is gravity: |a - g| <= 12 % of g + 4 standard deviations, which must
//               themselves be below a quarter of g
//   release     first frame of the first flight that is long enough (least_flight)
//   peak        highest frame of that flight; release again when it only falls (Jongeneel's k_rel)
//   contact     first frame after that flight: where the center of mass or the rotation leaves it
//   rest        first frame of the first standstill after it (spatial_track.h), or none
//   impacts     jumps of the velocity between stretches, of at least `least_jump` and five standard deviations
//
// Flights are fitted again with the gravity given when `fix_gravity` is set; without it, each keeps its own fitted
// acceleration, which is right as long as scale and tilt of the recording are not known.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/flight_arc.h"
#include "dataset/spatial_track.h"

namespace ricochet {

struct TossOptions {
  Eigen::Vector3d gravity = {0, 0, -9.81};  // in the recording's units and axes
  bool fix_gravity = false;
  int least_flight = 6;      // frames
  double least_jump = 0.15;  // [m/s]
  StandstillOptions standstill{};
};

/// A jump of the velocity of the center of mass between two stretches.
struct VelocityJump {
  int last_before = 0, first_after = 0;              // frames
  double time = 0;                                   // where the two parabolas come closest [s]
  Eigen::Vector3d before = Eigen::Vector3d::Zero();  // velocities at `time` [m/s]
  Eigen::Vector3d after = Eigen::Vector3d::Zero();
  Eigen::Vector3d angular_before = Eigen::Vector3d::Zero();  // [rad/s]
  Eigen::Vector3d angular_after = Eigen::Vector3d::Zero();
  double deviation = 0;  // of each component of the jump [m/s]

  Eigen::Vector3d jump() const { return after - before; }
};

struct Toss {
  SpatialTrack track;
  std::vector<FrameRange> stretches;
  std::vector<FlightArc> flights;
  std::vector<VelocityJump> impacts;
  int release = -1, peak = -1, contact = -1, rest = -1;  // frames; -1: not found
  std::vector<std::string> log;

  /// The flight before the first contact, or null.
  const FlightArc* first_flight() const { return flights.empty() || release < 0 ? nullptr : &flights.front(); }
};

/// Squares of residuals over the noise, and degrees of freedom, of all flights of a toss.
struct FlightResiduals {
  double position = 0, rotation = 0;
  int position_dof = 0, rotation_dof = 0;
};
FlightResiduals ResidualsOfFlights(const Toss& toss);

/// `stretches` as CutIntoParabolas gave them for this track.
Toss MakeToss(SpatialTrack track, const FlightBody& body, std::vector<FrameRange> stretches,
              const TossOptions& options);

/// Cuts and takes apart; a second time with the noise that the flights show, when that is larger.
Toss MakeToss(SpatialTrack track, const FlightBody& body, const TossOptions& options);

/// Sums of squares of third differences (noise.h) of neighboring rows in flight, and degrees of freedom behind them.
/// They hold whatever the scene says about gravity, center of mass and tracked frame. Angles of flights that turn by
/// more than a tenth of a radian per row are left out: their differences show the motion.
struct FlightNoise {
  double position = 0, angle = 0;  // [m^2], [rad^2]
  double position_freedom = 0, angle_freedom = 0;
};
FlightNoise NoiseOfFlights(const Toss& toss);

/// Whether a fitted acceleration can be this gravity.
bool IsFlight(const FlightArc& arc, const Eigen::Vector3d& gravity);

}  // namespace ricochet
