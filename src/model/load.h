// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Known loads on bodies, compiled from the scene's actions.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// A load on a body at its centre of mass, world axes. Planar wrenches use entries 0, 1 (force) and 2 (torque);
/// spatial ones 0..2 and 3..5.
template <class T>
struct Load {
  int body = 0;
  Eigen::Matrix<T, 6, 1> force = Eigen::Matrix<T, 6, 1>::Zero();    // [N], [N m], between `from` and `until`
  Eigen::Matrix<T, 6, 1> impulse = Eigen::Matrix<T, 6, 1>::Zero();  // [N s], [N m s]
  double from = 0, until = 0;         // [s]; infinite where the scene leaves them out
  double at = 0;                      // [s]; NaN unless the impulse acts at a time
  int trigger = -1;                   // index of the event that fires the impulse, or -1
};

/// `when`: fires in the step after velocity component `component` of `body` (index into the body's velocity, linear
/// first) went from above to at or below `falls_to`; `position` true: the pose coordinate instead.
struct LoadTrigger {
  int body = 0;
  int component = 0;
  bool position = false;
  double falls_to = 0;
};

}  // namespace ricochet
