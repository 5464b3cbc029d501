// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// First points of the joint program, from the recording alone.
//
//   soft      nodes on a uniform grid through the interpolated frames, contacts soft at every node that comes near a
//             surface, nothing scheduled. The homotopy tightens: tau falls by a factor 3 per level from a fifth of the
//             body's size to the size of the noise or of what the grid can resolve, whichever is larger. Where impulses
//             remain, contacts are closed: short groups become impacts at the center of their impulse, long ones
//             lasting contact. Numbers are free from the second level on.
//   rollout   a motion of the event-exact model fitted to the frames (track_fit.h), with restitution free: for
//             recordings whose frames are too sparse to show the contacts between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimators/program/joint_program.h"

namespace ricochet {

struct JointStart {
  JointChain chain;        // closed contacts
  Eigen::VectorXd params;  // of the family
  double speed = 1;        // typical [m/s]
  int iterations = 0;
  // Of the exact motion that was laid out, where it is one: noise of its residuals [m], [rad], and their chi^2.
  std::optional<Eigen::Vector3d> exact{};
};

/// Step of lasting contact for a track: 0.05 rad of its fastest turn, 0.014 sqrt(size / g), at least 1/4000 of its
/// length.
double ContactStep(const PlanarFamily& family, const PlanarTrack& track);

std::optional<JointStart> SoftStart(const PlanarFamily& family, const PlanarTrack& track);
std::optional<JointStart> RolloutStart(const PlanarFamily& family, const PlanarTrack& track, std::uint64_t seed);

/// Rollouts of several recordings with common numbers: a sequence of contacts that fits one of them best by chance does
/// not fit the numbers of the others. Empty when one of them cannot be fitted.
std::vector<JointStart> RolloutStarts(const PlanarFamily& family, const std::vector<PlanarTrack>& tracks,
                                      std::uint64_t seed);

}  // namespace ricochet
