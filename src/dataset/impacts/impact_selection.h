// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Impacts fit for velocity-based identification (Jongeneel sec. IV-A1 and IV-A2), with b and c found automatically.
//
// An impact at frame k is a local minimum of a corner's height over the surface, in flight before and after.
// Conditions:
//   - the corner is lower than `contact_height`, and rises by `prominence` on both sides before the next minimum
//   - the window [k - 5, k + 5] lies within the recording, without gaps: k - 5 >= 2, k + 5 <= K - 1
//   - no other corner hits (has such a minimum) or comes below `other_height` in the window
//   - the corner's normal speed before the impact is at least 0.3 m/s
// Heights are from a surface shifted so that the lowest corner at the recording's first contact lies on it.
//
// b and c: the paper picks by hand the frames k - b and k + c next to the impact whose velocity is still that of free
// flight. A central difference uses the frames on both sides, so the last clean one before the impact is one before the
// last pose in flight. That pose is found by growing: gravity-bound arcs through the first frames of the window take in
// the next pose while its departure from their prediction is below `departure` standard deviations of noise and
// prediction, in position and in rotation. The same from the end of the window backwards gives c.
//
// Velocities before and after are given in two ways: as in the paper, means of the gravity-compensated central
// differences over [k - 5, k - b] and [k + c, k + 5], brought to k - b and k + c; and from the arcs, at the same times,
// with covariance. Beyond the paper, the flights are followed outside the window as far as they go, and the jump of the
// velocity is fitted to both of them together (impact_jump.h); that is what `velocity` compares with.
#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "dataset/flight_arc.h"
#include "dataset/impacts/impact_jump.h"
#include "dataset/spatial_track.h"
#include "math/vector.h"

namespace ricochet {

struct ImpactSelectionOptions {
  int window = 5;                // frames on each side
  double contact_height = 5e-3;  // [m]
  double prominence = 2e-3;      // [m]; at least six times the noise. The authors' script has 20 mm, for drops
  double other_height = 1e-3;    // above the surface, shifted or not, whichever is higher [m]
  double least_speed = 0.3;      // [m/s]
  double departure = 4;          // standard deviations
  int longest_flight = 40;       // frames on each side
};

/// A plane and the corners of the body that may touch it.
struct ImpactGeometry {
  Eigen::Vector3d point = Eigen::Vector3d::Zero();  // on the surface
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  // of the surface [m/s]
  std::vector<Eigen::Vector3d> corners;                // in the body frame
};

struct SelectedImpact {
  int frame = 0, corner = 0;  // k and the corner that touches
  int b = 0, c = 0;
  double normal_speed = 0;                           // of the corner before the impact, toward the surface [m/s]
  Vector6<double> before = Vector6<double>::Zero();  // hybrid velocity at frame k - b, as in the paper
  Vector6<double> after = Vector6<double>::Zero();   // at frame k + c
  FlightArc arc_before, arc_after;                   // references at frames k - b and k + c
  std::array<int, 4> flight{};                       // frames [0, 1) before and [2, 3) after, also outside the window
  ImpactJump jump;                                   // fitted to these
};

struct ImpactSelection {
  std::vector<SelectedImpact> impacts;
  double surface_shift = 0;      // along the normal [m]
  std::vector<std::string> log;  // every candidate and why it was taken or not
};

/// `contact`: first frame in contact (toss.h), which the surface is shifted to; -1 for no shift.
ImpactSelection SelectImpacts(const SpatialTrack& track, const FlightBody& body, const ImpactGeometry& geometry,
                              const Eigen::Vector3d& gravity, int contact, const ImpactSelectionOptions& options = {});

}  // namespace ricochet
