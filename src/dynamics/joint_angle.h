// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Joint coordinates as an encoder sees them: angles that count turns, displacements, and their rates.
//
//     hinge    atan2(third_P . zero_C, zero_P . zero_C) + 2 pi turns,   rate e . (w_C - w_P)
//     slider   displacement along the parent's axis and its rate
//
// Turns are counted from sample to sample by the shortest way, so samples must be closer than half a turn. The count
// starts so that the first angle is the one nearest to the scene's initial angle.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dynamics/joints/joint.h"
#include "dynamics/state.h"
#include "math/so3.h"
#include "model/model.h"

namespace ricochet {

template <class T>
struct JointReading {
  T coordinate;  // [rad], without turns, or [m]
  T rate;        // [rad/s] or [m/s]
};

/// Of a hinge or slider. Poses of -1 (the world) are the identity; velocities zero.
template <class T>
JointReading<T> ReadJoint(const SpatialModel<T>& model, const SpatialJoint<T>& joint, const MassPose<T>& parent,
                          const MassPose<T>& child, const Vector6<T>& v_parent, const Vector6<T>& v_child) {
  const auto motion = MotionsOf<T>(joint, FramesOf<T>(model, joint, parent, child)).motion[0];
  return {motion.coordinate, T(motion.J_parent.dot(v_parent) + motion.J_child.dot(v_child))};
}

/// The same of a state.
JointReading<double> ReadJoint(const Model& model, const State& state, int joint);

/// Continuous coordinates of all hinges and sliders along a motion.
class TurnCounter {
 public:
  /// Starts at the scene's initial angles (0 where it gives none).
  explicit TurnCounter(const Model& model);

  /// Coordinate of a joint, turns included. Call for every state in the order of time.
  double Count(int joint, double coordinate);

 private:
  std::vector<char> angular_;
  std::vector<double> last_;
};

}  // namespace ricochet
