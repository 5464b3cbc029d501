// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/joint_angle.h"

#include <cmath>

#include "math/so2.h"

namespace ricochet {

JointReading<double> ReadJoint(const Model& model, const State& state, int index) {
  const SpatialJoint<double>& joint = model.spatial.joints[index];
  const auto pose = [&](int body) {
    if (body < 0) return MassPose<double>{};
    const auto q = state.q.segment<7>(7 * body);
    return MassPose<double>{q.head<3>(), RotationMatrix<double>(q.tail<4>())};
  };
  const auto velocity = [&](int body) {
    return body < 0 ? Vector6<double>(Vector6<double>::Zero()) : Vector6<double>(state.v.segment<6>(6 * body));
  };
  return ReadJoint<double>(model.spatial, joint, pose(joint.parent), pose(joint.child), velocity(joint.parent),
                           velocity(joint.child));
}

TurnCounter::TurnCounter(const Model& model) {
  const Scene& scene = *model.scene;
  for (const Joint& joint : scene.joints) {
    angular_.push_back(joint.type == JointType::kHinge);
    last_.push_back(0);
    for (const Initial& initial : scene.initial) {
      if (initial.name == joint.name && initial.angle) last_.back() = scene[initial.angle];
    }
  }
}

double TurnCounter::Count(int joint, double coordinate) {
  double& last = last_[joint];
  last = angular_[joint] ? last + WrapAngle(coordinate - last) : coordinate;
  return last;
}

}  // namespace ricochet
