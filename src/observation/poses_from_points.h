// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recordings of points of a body (`observe.points`) as recordings of its pose, so that every method can use them.
//
// In each row the pose of the body is the one nearest to the recorded points y_i of known places a_i in the body, with
// what length_scale and offsets did to them undone:
//
//   minimize over (p, R)   sum_i |p + R a_i - y_i|^2
//
// p follows from the means of both; R is the turn of the centered vectors onto each other: in the plane
// atan2(sum a x y, sum a . y), in space the eigenvector to the largest eigenvalue of a symmetric 4 x 4 matrix (Horn
// 1987, "Closed-form solution of absolute orientation using unit quaternions"). Two points fix a pose in the plane,
// three that are not on a line in space; rows with fewer have no pose. What is written is the pose that the tracked
// frame would record (sensor.h), as for every other recording.
//
// The coordinates of the points are not estimated: errors in them move the poses. A common displacement of all points
// is an error of the frame, which `observe.frame` estimates.
#pragma once

#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The recording with pose columns for every body that has points and no pose in it. Throws InputError when there is
/// nothing but points and they are too few for a pose.
Recording AddPosesFromPoints(const Scene& scene, Recording recording);

}  // namespace ricochet
