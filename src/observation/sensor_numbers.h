// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which numbers of a scene decide what its recordings show: `observe` (docs/scene.md), and the centers of mass, because
// states hold the pose at the center of mass while trackers see a frame or a point of the body.
//
//   a frame F of a body    X_WF = X_WB X_BF            observe.frame, or observe.frames.BODY
//   a point P of a body    p_WP = X_WB p_BP            observe.points.NAME
//   a joint                coordinate and rate         of the scene, by joint_sensor.h
//
// A recorded length is length_scale times the true one plus the offset of its column, and everything is seen `delay`
// late. sensor.h has the equations.
#pragma once

#include <array>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// A frame or a point of a body. Numbers that do not exist are none and count as 0; planar ones leave [2] none.
struct SensorNumbers {
  int body = -1;                           // index into the scene's bodies
  NumberId length_scale;                   // none counts as 1
  std::array<NumberId, 3> center_of_mass;  // p_BBcm
  std::array<NumberId, 3> place;           // p_BF, p_BP
  std::array<NumberId, 3> rotation;        // R_BF: spatial a rotation vector, planar an angle in [0]; none for points
  std::array<NumberId, 3> offset;          // of x, y, z
  NumberId angle_offset;                   // planar frames, of theta
};

/// A hinge or slider (joint_sensor.h). No scale counts as 1, other numbers that are none as 0.
struct JointSensorNumbers {
  NumberId angle_offset, rate_offset;
  NumberId angle_scale, rate_scale;
  std::array<NumberId, 2> eccentricity;  // of the angle, by its sine and cosine
};

struct ObservationNumbers {
  NumberId delay;
  std::vector<SensorNumbers> frames;       // one per body of the scene
  std::vector<SensorNumbers> points;       // one per observed point of the scene
  std::vector<JointSensorNumbers> joints;  // one per joint of the scene
};

ObservationNumbers FindObservationNumbers(const Scene& scene);

}  // namespace ricochet
