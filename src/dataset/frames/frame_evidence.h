// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What tosses say about where the tracked frame F is on a body and where the surface is, in the axes of F, before
// either is known.
//
//   arm       b, from the center of mass C to F in the axes of F, from all flights (flight_arm.h), with covariance
//   turns     flights whose rotation shows the principal axes of inertia
//   rests     mean pose of F while the body stands on a face at the end of a toss
//   touches   poses of F at impacts between two flights: some corner touches the surface. The path of C before and
//             after the impact cross there, which fixes the instant better than the frames do.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "dataset/flight_arc.h"
#include "dataset/spatial_track.h"
#include "dataset/toss.h"
#include "math/vector.h"

namespace ricochet {

struct FrameRest {
  int toss = 0;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  // p_WF [m]
  Quaternion<double> rotation = {1, 0, 0, 0};          // R_WF
  double noise_position = 0, noise_angle = 0;          // of the means, per axis [m], [rad]
};

struct FrameTouch {
  int toss = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // p_WC, with the arm below [m]
  Quaternion<double> rotation = {1, 0, 0, 0};        // R_WF
  double noise = 0;                                  // of the height of the lowest corner [m]
};

struct FrameEvidence {
  std::vector<Toss> tosses;                                  // in the axes of F: the center of mass is at -b
  Eigen::Vector3d arm = Eigen::Vector3d::Zero();             // b [m]
  Eigen::Matrix3d arm_covariance = Eigen::Matrix3d::Zero();  // [m^2]
  int flights = 0;
  std::vector<FrameRest> rests;
  std::vector<FrameTouch> touches;
};

/// None when the flights leave the arm open: no flights, or turns about one axis only. `size` is the largest distance
/// of a corner from the center of mass [m].
std::optional<FrameEvidence> GatherFrameEvidence(const std::vector<SpatialTrack>& tracks,
                                                 const Eigen::Vector3d& gravity, double size);

}  // namespace ricochet
