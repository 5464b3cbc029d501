// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Start values for a fit, from the recording alone.
//
// The first long arc of free flight is taken as known. If frames come before it, the arc is followed back to the
// instant at which the body touches a surface: there it bounced. Flight from the frames before to that pose gives the
// motion before the bounce, even when only one frame was taken: 3 velocities from 3 coordinates. The jump of the
// velocity (dv, dw) at the contact point r then gives all the information of one impact:
//
//   J/m = (r x dv) / dw            (Gabiccini 31)
//   e   = -vn+ / vn-
//   mu >= |dvt| / dvn, with equality when the contact slides.
//
// Since each of these may be poor (a slow impact, little rotation), several guesses around them are offered; fits
// decide.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/planar/planar_family.h"

namespace ricochet {

struct TrackStart {
  Eigen::VectorXd z;  // as TrackResiduals takes it
  int window = 0;     // frames up to the end of the arc after the first bounce
};

struct TrackStarts {
  std::vector<TrackStart> guesses;  // best first
  int flying_frames = 0;            // frames of the first arc, when it flies: how well the start is seen
  int window = 0;                   // frames up to the end of the first long flight after a bounce
  int impacts = 0;                  // breaks between arcs at which the body is near a surface
  double least_gap = 0;             // over all frames, by the recorded poses [m]
  std::vector<BallisticArc> arcs;
  // Scatter of the frames about the fitted flights of 4 frames and more: what the noise should turn out to be.
  double scatter_position = 0, scatter_angle = 0;  // [m], [rad]
  int scatter_freedom = 0;                         // degrees of freedom per coordinate
  std::vector<std::string> log;
};

TrackStarts FindTrackStarts(const PlanarFamily& family, const PlanarTrack& track);

}  // namespace ricochet
