// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which column of a recording is what in a scene.
//
//   body, planar     x y theta | vx vy omega
//   body, spatial    x y z qw qx qy qz | vx vy vz wx wy wz
//   joint            NAME.angle | NAME.rate
//   observed point   NAME.x NAME.y (NAME.z)
//   motor            the column named by `motor.input`
//
// A body's column is `body.x`; without a prefix it belongs to the first body that is not fixed. Poses are those of the
// tracked frame (the body frame, unless `observe.frame` says otherwise) and must be complete, as must points;
// velocities (of the center of mass) may be absent but not in part. Other columns without a prefix (a gap, an impulse)
// are allowed and listed; a prefix must name a body, a joint or an observed point, because a slip there would silently
// leave out what was measured.
#pragma once

#include <string>
#include <vector>

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// Columns (indices into Recording::values) of one body; empty when the recording does not have them.
struct BodyChannels {
  std::vector<int> pose;      // 3 or 7, in the order above
  std::vector<int> velocity;  // 3 or 6
};

/// Columns of one joint; -1 when the recording does not have them.
struct JointChannels {
  int angle = -1;
  int rate = -1;
};

struct Channels {
  std::vector<BodyChannels> bodies;      // one per body of the scene
  std::vector<JointChannels> joints;     // one per joint of the scene
  std::vector<std::vector<int>> points;  // one per observed point of the scene: 2 or 3 columns, or none
  std::vector<int> motor_inputs;         // one per joint of the scene; -1: no motor, or not recorded
  std::vector<int> others;               // columns that belong to none of these

  bool HasPoses() const;
  bool HasPoints() const;
  bool HasJoints() const;
};

/// Throws InputError for columns with an unknown prefix or quantity, for incomplete poses, points and velocities, and
/// when no column at all belongs to the scene.
Channels ResolveChannels(const Recording& recording, const Scene& scene);

/// Names of a body's columns without prefix.
const std::vector<std::string>& PoseColumns(Space space);
const std::vector<std::string>& VelocityColumns(Space space);

/// Names of the columns that a recording of this scene has: poses of all bodies that are not fixed, with velocities if
/// requested; no prefix when there is only one.
std::vector<std::string> BodyColumns(const Scene& scene, bool velocities);

}  // namespace ricochet
