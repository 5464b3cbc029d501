// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The one model between a state and its recording, for every method, the doctor and the report.
//
// A state holds the pose X_WC at the center of mass, in the body's axes. A tracker follows a frame F of the body and
// records, in the plane and in space alike,
//
//   position      y     = s (p_WC + R_WB a) + o,     a = p_BF - p_BBcm            s: length_scale, o: offsets
//   rotation      R_WF  = R_WB R_BF                                               planar: theta + angle of F + offset
//
// and of a point only the position. Recorded velocities are those of the center of mass. All of it is seen `delay`
// late: a row at time t shows the state at t - delay, which the caller that requests states must handle.
//
// Residuals live in the tangent space of the recorded pose (math/manifold.h): r = (predicted [-] recorded) / noise.
// Derivatives by the increment (dp, dw) of the state's pose and by the sensor's own numbers, with A = R_WB a:
//
//   dy  = s (dp - A x dw + R_WB (dp_BF - dp_BBcm)) + ds (p_WC + A) + do
//   dw' = dw + R_WB J_l(phi) dphi              increment of R_WF; R_BF = exp(phi)
//   dr  = (dy / sigma_position, J_l^-1(r sigma_angle) dw' / sigma_angle)
//
// Planar motions run in Jets and get their derivatives from these templates; spatial steppers hand over the sensitivity
// of their poses, which ByPose and ByNumber map on.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <concepts>
#include <span>
#include <vector>

#include "math/is_constant.h"
#include "math/manifold.h"
#include "observation/sensor_numbers.h"

namespace ricochet {

namespace internal {

template <class T>
bool IsExactly(const T& x, double value) {
  return IsConstant(x) && ValueOf(x) == value;
}

}  // namespace internal

/// What is recorded of a planar body: of its tracked frame, or of a point (Position alone).
template <class T>
class PlanarSensor {
 public:
  using Position2 = Eigen::Matrix<T, 2, 1>;

  PlanarSensor() = default;
  /// `values` has one value per number of the scene.
  PlanarSensor(const SensorNumbers& numbers, std::span<const T> values)
      : PlanarSensor(numbers, [&](NumberId id) { return values[static_cast<std::size_t>(id.index)]; }) {}
  /// At the values of the scene.
  PlanarSensor(const SensorNumbers& numbers, const Scene& scene)
      : PlanarSensor(numbers, [&](NumberId id) { return T(scene[id]); }) {}

  /// Recorded position, from the pose at the center of mass.
  Position2 Position(const PlanarPose<T>& pose) const { return Seen(pose, arm_, centered_); }

  /// Recorded pose, from the pose at the center of mass.
  PlanarPose<T> Pose(const PlanarPose<T>& pose) const { return Record(pose, arm_, centered_); }

  /// Recorded pose, from the pose of the body frame.
  PlanarPose<T> PoseOfBody(const PlanarPose<T>& body) const { return Record(body, place_, false); }

  /// The pose of the body frame that a recorded pose shows: the inverse of PoseOfBody.
  PlanarPose<T> BodyPose(const PlanarPose<T>& recorded) const { return Unrecord(recorded, place_); }
  /// The pose at the center of mass that a recorded pose shows: the inverse of Pose.
  PlanarPose<T> CenterPose(const PlanarPose<T>& recorded) const { return Unrecord(recorded, arm_); }

  const T& length_scale() const { return length_scale_; }
  const Position2& place() const { return place_; }  // p_BF, p_BP

 private:
  template <std::invocable<NumberId> ValueOfNumber>
  PlanarSensor(const SensorNumbers& numbers, const ValueOfNumber& of) {
    const auto value = [&](NumberId id, double none) { return id ? of(id) : T(none); };
    for (int i = 0; i < 2; ++i) {
      place_[i] = value(numbers.place[static_cast<std::size_t>(i)], 0);
      center_[i] = value(numbers.center_of_mass[static_cast<std::size_t>(i)], 0);
      offset_[i] = value(numbers.offset[static_cast<std::size_t>(i)], 0);
    }
    rotation_ = value(numbers.rotation[0], 0);
    angle_offset_ = value(numbers.angle_offset, 0);
    length_scale_ = value(numbers.length_scale, 1);
    using internal::IsExactly;
    arm_ = place_ - center_;
    centered_ =
        IsExactly(place_[0], 0) && IsExactly(place_[1], 0) && IsExactly(center_[0], 0) && IsExactly(center_[1], 0);
    unscaled_ = IsExactly(length_scale_, 1) && IsExactly(offset_[0], 0) && IsExactly(offset_[1], 0);
    unturned_ = IsExactly(rotation_, 0) && IsExactly(angle_offset_, 0);
  }

  /// Recorded position of what is `away` from a pose, in its axes; `here`: it is not away.
  Position2 Seen(const PlanarPose<T>& pose, const Position2& away, bool here) const {
    using std::cos;
    using std::sin;
    Position2 p(pose[0], pose[1]);
    if (!here) {
      const T c = cos(pose[2]), s = sin(pose[2]);
      p[0] += c * away[0] - s * away[1];
      p[1] += s * away[0] + c * away[1];
    }
    if (!unscaled_) {
      p[0] = p[0] * length_scale_ + offset_[0];
      p[1] = p[1] * length_scale_ + offset_[1];
    }
    return p;
  }

  PlanarPose<T> Record(const PlanarPose<T>& pose, const Position2& away, bool here) const {
    const Position2 p = Seen(pose, away, here);
    PlanarPose<T> recorded(p[0], p[1], pose[2]);
    if (!unturned_) recorded[2] += rotation_ + angle_offset_;
    return recorded;
  }

  /// The pose from which the recorded frame is `away`.
  PlanarPose<T> Unrecord(const PlanarPose<T>& recorded, const Position2& away) const {
    using std::cos;
    using std::sin;
    const T angle = recorded[2] - (rotation_ + angle_offset_), c = cos(angle), s = sin(angle);
    return {(recorded[0] - offset_[0]) / length_scale_ - (c * away[0] - s * away[1]),
            (recorded[1] - offset_[1]) / length_scale_ - (s * away[0] + c * away[1]), angle};
  }

  Position2 place_ = Position2::Zero(), center_ = Position2::Zero(), arm_ = Position2::Zero(),
            offset_ = Position2::Zero();
  T rotation_ = T(0.0), angle_offset_ = T(0.0), length_scale_ = T(1.0);
  bool centered_ = true, unscaled_ = true, unturned_ = true;  // constants that change nothing
};

/// What is recorded of a body in space.
template <class T>
class SpatialSensor {
 public:
  SpatialSensor() = default;
  /// `values` has one value per number of the scene.
  SpatialSensor(const SensorNumbers& numbers, std::span<const T> values)
      : SpatialSensor(numbers, [&](NumberId id) { return values[static_cast<std::size_t>(id.index)]; }) {}
  /// At the values of the scene.
  SpatialSensor(const SensorNumbers& numbers, const Scene& scene)
      : SpatialSensor(numbers, [&](NumberId id) { return T(scene[id]); }) {}

  /// Recorded position, from the pose at the center of mass.
  Vector3<T> Position(const SpatialPose<T>& pose) const { return Seen(pose, arm_); }

  /// Recorded pose, from the pose at the center of mass.
  SpatialPose<T> Pose(const SpatialPose<T>& pose) const { return Record(pose, arm_); }

  /// Recorded pose, from the pose of the body frame.
  SpatialPose<T> PoseOfBody(const SpatialPose<T>& body) const { return Record(body, place_); }

  /// The pose of the body frame that a recorded pose shows: the inverse of PoseOfBody.
  SpatialPose<T> BodyPose(const SpatialPose<T>& recorded) const { return Unrecord(recorded, place_); }
  /// The pose at the center of mass that a recorded pose shows: the inverse of Pose.
  SpatialPose<T> CenterPose(const SpatialPose<T>& recorded) const { return Unrecord(recorded, arm_); }

  const T& length_scale() const { return length_scale_; }
  const Vector3<T>& place() const { return place_; }        // p_BF, p_BP
  const Vector3<T>& rotation() const { return rotation_; }  // phi of R_BF = exp(phi)
  const Vector3<T>& arm() const { return arm_; }            // from the center of mass to the frame, body axes

  bool operator==(const SpatialSensor&) const = default;

 private:
  template <std::invocable<NumberId> ValueOfNumber>
  SpatialSensor(const SensorNumbers& numbers, const ValueOfNumber& of) {
    const auto value = [&](NumberId id, double none) { return id ? of(id) : T(none); };
    for (int i = 0; i < 3; ++i) {
      const auto axis = static_cast<std::size_t>(i);
      place_[i] = value(numbers.place[axis], 0);
      center_[i] = value(numbers.center_of_mass[axis], 0);
      offset_[i] = value(numbers.offset[axis], 0);
      rotation_[i] = value(numbers.rotation[axis], 0);
    }
    length_scale_ = value(numbers.length_scale, 1);
    arm_ = place_ - center_;
    for (int i = 0; i < 3; ++i) turned_ = turned_ || !internal::IsExactly(rotation_[i], 0);
    if (turned_) q_BF_ = ExpSO3(rotation_);
  }

  /// Recorded position of what is `away` from a pose, in its axes.
  Vector3<T> Seen(const SpatialPose<T>& pose, const Vector3<T>& away) const {
    return (pose.template head<3>() + Rotate<T>(Quaternion<T>(pose.template tail<4>()), away)) * length_scale_ +
           offset_;
  }

  SpatialPose<T> Record(const SpatialPose<T>& pose, const Vector3<T>& away) const {
    const Quaternion<T> q = pose.template tail<4>();
    SpatialPose<T> recorded;
    recorded << Seen(pose, away), turned_ ? QuaternionProduct<T>(q, q_BF_) : q;
    return recorded;
  }

  /// The pose from which the recorded frame is `away`.
  SpatialPose<T> Unrecord(const SpatialPose<T>& recorded, const Vector3<T>& away) const {
    Quaternion<T> q = recorded.template tail<4>();
    if (turned_) q = QuaternionProduct<T>(q, QuaternionConjugate<T>(q_BF_));
    SpatialPose<T> pose;
    pose << (recorded.template head<3>() - offset_) / length_scale_ - Rotate<T>(q, away), q;
    return pose;
  }

  Vector3<T> place_ = Vector3<T>::Zero(), center_ = Vector3<T>::Zero(), arm_ = Vector3<T>::Zero(),
             offset_ = Vector3<T>::Zero(), rotation_ = Vector3<T>::Zero();
  Quaternion<T> q_BF_ = IdentityQuaternion<T>();
  T length_scale_ = T(1.0);
  bool turned_ = false;
};

/// Numbers among a list on which what a sensor records depends directly, beside the state.
struct SensorDependence {
  enum class Kind { kLengthScale, kOffset, kPlace, kCenterOfMass, kRotation };
  int entry = 0;  // in the list
  Kind kind{};
  int axis = 0;
};
std::vector<SensorDependence> FindDependences(const SensorNumbers& sensor, std::span<const NumberId> numbers);

/// d (recorded pose) / d (pose at the center of mass), both as increments; the upper rows are those of the position.
Matrix6<double> ByPose(const SpatialSensor<double>& sensor, const SpatialPose<double>& pose);

/// d (recorded pose) / d (one number), as an increment.
Vector6<double> ByNumber(const SpatialSensor<double>& sensor, const SpatialPose<double>& pose,
                         const SensorDependence& dependence);

/// Residual of a recorded pose on the manifold, in units of the noise, and its derivative by the increment of the
/// predicted recorded pose.
struct PoseResidual {
  Vector6<double> value;
  Matrix6<double> by_predicted;
};
PoseResidual ResidualOf(const SpatialPose<double>& predicted, const SpatialPose<double>& recorded,
                        double noise_position, double noise_angle);

}  // namespace ricochet
