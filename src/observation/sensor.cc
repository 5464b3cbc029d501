// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "observation/sensor.h"

#include <algorithm>

namespace ricochet {

std::vector<SensorDependence> FindDependences(const SensorNumbers& sensor, std::span<const NumberId> numbers) {
  using Kind = SensorDependence::Kind;
  std::vector<SensorDependence> found;
  const auto look_for = [&](NumberId id, Kind kind, int axis) {
    if (!id) return;
    const auto at = std::find(numbers.begin(), numbers.end(), id);
    if (at != numbers.end()) found.push_back({static_cast<int>(at - numbers.begin()), kind, axis});
  };
  look_for(sensor.length_scale, Kind::kLengthScale, 0);
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    look_for(sensor.offset[i], Kind::kOffset, axis);
    look_for(sensor.place[i], Kind::kPlace, axis);
    look_for(sensor.center_of_mass[i], Kind::kCenterOfMass, axis);
    look_for(sensor.rotation[i], Kind::kRotation, axis);
  }
  return found;
}

Matrix6<double> ByPose(const SpatialSensor<double>& sensor, const SpatialPose<double>& pose) {
  const Vector3<double> arm = Rotate<double>(Quaternion<double>(pose.tail<4>()), sensor.arm());
  Matrix6<double> by_pose = Matrix6<double>::Identity();
  by_pose.topLeftCorner<3, 3>() *= sensor.length_scale();
  by_pose.topRightCorner<3, 3>() = -sensor.length_scale() * Skew(arm);
  return by_pose;
}

Vector6<double> ByNumber(const SpatialSensor<double>& sensor, const SpatialPose<double>& pose,
                         const SensorDependence& dependence) {
  using Kind = SensorDependence::Kind;
  const Quaternion<double> q = pose.tail<4>();
  const Vector3<double> axis = Vector3<double>::Unit(dependence.axis);
  Vector6<double> column = Vector6<double>::Zero();
  switch (dependence.kind) {
    case Kind::kLengthScale:
      column.head<3>() = pose.head<3>() + Rotate<double>(q, sensor.arm());
      break;
    case Kind::kOffset:
      column.head<3>() = axis;
      break;
    case Kind::kPlace:
      column.head<3>() = sensor.length_scale() * Rotate<double>(q, axis);
      break;
    case Kind::kCenterOfMass:
      column.head<3>() = -sensor.length_scale() * Rotate<double>(q, axis);
      break;
    case Kind::kRotation:
      column.tail<3>() = Rotate<double>(q, Vector3<double>(LeftJacobianSO3(sensor.rotation()) * axis));
      break;
  }
  return column;
}

PoseResidual ResidualOf(const SpatialPose<double>& predicted, const SpatialPose<double>& recorded,
                        double noise_position, double noise_angle) {
  PoseResidual residual;
  residual.value = BoxMinus<double>(predicted, recorded);
  residual.by_predicted = BoxMinusByFirst(residual.value);
  residual.value.head<3>() /= noise_position;
  residual.value.tail<3>() /= noise_angle;
  residual.by_predicted.topRows<3>() /= noise_position;
  residual.by_predicted.bottomRows<3>() /= noise_angle;
  return residual;
}

}  // namespace ricochet
