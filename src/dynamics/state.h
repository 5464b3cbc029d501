// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The state that steppers advance.
#pragma once

#include <Eigen/Core>

#include "ricochet/scene.h"

namespace ricochet {

/// Configuration and velocity of all bodies, in scene order.
///
/// Per body, planar: q = (x, y, theta) of the frame at the center of mass with B's axes, v = (vx, vy, omega).
/// Spatial: q = (p_WBcm, quaternion w, x, y, z of R_WB), v = (v_WBcm, w_WB), all in world axes.
/// Recordings and scenes hold poses of the body frame B; dynamics/kinematics.h converts at the boundary.
struct State {
  double time = 0;  // [s]
  Eigen::VectorXd q, v;
};

/// Numbers per body in State::q and State::v.
constexpr int PoseSize(Space space) { return space == Space::kPlanar ? 3 : 7; }
constexpr int VelocitySize(Space space) { return space == Space::kPlanar ? 3 : 6; }

}  // namespace ricochet
