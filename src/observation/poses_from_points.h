// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Poses of a body from recorded points of it (`observe.points`): the start of a fit to the points themselves, and what
// methods that need poses work with.
//
// In each row the pose of the body is the one nearest to the recorded points y_i of known places a_i in the body, with
// what length_scale and offsets did to them undone:
//
//   minimize over (p, R)   sum_i |p + R a_i - y_i|^2
//
// p follows from the means of both; R is the turn of the centered vectors onto each other: in the plane
// atan2(sum a x y, sum a . y), in space the eigenvector to the largest eigenvalue of a symmetric 4 x 4 matrix (Horn
// 1987, "Closed-form solution of absolute orientation using unit quaternions"). Two points fix a pose in the plane,
// three that are not on a line in space. Of a disc or a ball the center alone is enough: nothing that it does depends
// on its rotation, which is set to none. What is written is the pose that the tracked frame would record (sensor.h), as
// for every other recording.
#pragma once

#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Planar rows that show some points, but too few for a pose.
enum class PartialRows {
  kLeftOut,       // have no pose
  kInterpolated,  // have the angle between those of their neighbors, and are placed by the points that they show
};

/// The recording with pose columns for every body that has points and no pose in it; NaN where a row does not fix the
/// pose. Throws InputError when there is nothing but points and they are too few for a pose.
Recording AddPosesFromPoints(const Scene& scene, Recording recording, PartialRows partial = PartialRows::kLeftOut);

}  // namespace ricochet
