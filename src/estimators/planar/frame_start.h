// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Start values of the pose of the tracked frame F in the body, where it is to be estimated.
//
// Position. From flight (dataset/takes/flight_arm.h).
//
// Rotation. With b known so is the path of C, whatever the angle of F in the body. That angle decides how the outline
// lies about C: a wrong one sinks into a surface or turns around in the air. Angles all around are scored by how far
// the body overlaps in any frame and how far it stays clear where the path of C breaks; the least ones are offered.
//
// A body that hardly turns in flight leaves b unknown: then the values of the scene are kept.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dataset/planar_track.h"
#include "estimators/planar/planar_family.h"

namespace ricochet {

/// Values of all parameters to start from, best first: the scene's own, but for the pose of the tracked frame in the
/// body, which flight and contacts of the recording show. One where no parameter is a number of it.
std::vector<Eigen::VectorXd> GuessFrames(const PlanarFamily& family, const PlanarTrack& recorded,
                                         const Eigen::Vector3d& acceleration);

}  // namespace ricochet
