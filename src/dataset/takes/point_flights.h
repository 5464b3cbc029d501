// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Free flights of balls and markers, recorded by position only. Such points are light, and a marker does not sit at the
// center of mass: parabolas fit them to a millimeter at best, and the air slows them. A flight is therefore
//
//     p'' = g - k v,    p(t) = p0 + v0 f(t) + g (t - f(t)) / k,    f(t) = (1 - exp(-k t)) / k,
//
// with g and k found by least squares (g is linear, k is searched). For drag that grows with the square of the speed, k
// is its mean over the flight.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/cut_frames.h"
#include "dataset/spatial_track.h"

namespace ricochet {

/// A flight of a point.
struct PointFlight {
  FrameRange range;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();   // acceleration at no speed [m/s^2]
  double gravity_deviation = 0;                        // its standard deviation, per axis [m/s^2]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  // at the first frame [m/s]
  double drag = 0;                                     // k; 0 where the flight does not show any [1/s]
  double drag_deviation = 0;                           // its standard deviation [1/s]
  double residual = 0;                                 // root mean square per axis [m]
  bool lands = false;                                  // its end shows a push against gravity
};

/// The flights of a track whose g is `gravity` to within 12 %, in order.
std::vector<PointFlight> FindPointFlights(const SpatialTrack& track, const Eigen::Vector3d& gravity);

/// Whether a flight can be nothing else: it ends on something, or lasts for 0.3 s.
bool IsCertain(const SpatialTrack& track, const PointFlight& flight);

}  // namespace ricochet
