// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the columns of a hinge or slider record of its coordinate x and rate r:
//
//   angle   y = s x + e_1 sin x + e_2 cos x + o        s: scale, e: eccentricity (hinges), o: offset
//   rate    y = s' r + o'
//
// An encoder whose disk is off its axis errs once per turn, which sine and cosine describe to first order. Everything
// is seen `delay` late, which the caller that requests states must handle.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <concepts>

#include "observation/sensor_numbers.h"

namespace ricochet {

/// The numbers of one joint's columns.
template <class T>
struct JointSensor {
  T scale = T(1), sine = T(0), cosine = T(0), offset = T(0);
  T rate_scale = T(1), rate_offset = T(0);

  JointSensor() = default;
  template <std::invocable<NumberId> ValueOfNumber>
  JointSensor(const JointSensorNumbers& numbers, const ValueOfNumber& of) {
    const auto value = [&](NumberId id, double none) { return id ? T(of(id)) : T(none); };
    scale = value(numbers.angle_scale, 1);
    sine = value(numbers.eccentricity[0], 0);
    cosine = value(numbers.eccentricity[1], 0);
    offset = value(numbers.angle_offset, 0);
    rate_scale = value(numbers.rate_scale, 1);
    rate_offset = value(numbers.rate_offset, 0);
  }
  /// At the values of the scene.
  JointSensor(const JointSensorNumbers& numbers, const Scene& scene)
      : JointSensor(numbers, [&](NumberId id) { return scene[id]; }) {}

  T Angle(const T& x) const {
    using std::cos;
    using std::sin;
    if (IsConcentric()) return scale * x + offset;
    return scale * x + sine * sin(x) + cosine * cos(x) + offset;
  }
  /// Derivative of Angle by the coordinate.
  T AngleByCoordinate(const T& x) const {
    using std::cos;
    using std::sin;
    if (IsConcentric()) return scale;
    return scale + sine * cos(x) - cosine * sin(x);
  }
  T Rate(const T& r) const { return rate_scale * r + rate_offset; }

 private:
  /// Whether eccentricity is 0, its derivatives included.
  bool IsConcentric() const {
    if constexpr (std::same_as<T, double>)
      return sine == 0 && cosine == 0;
    else
      return false;
  }
};

/// The coordinate that a recorded angle shows: the inverse of Angle, for eccentricities that are small beside the
/// scale.
double CoordinateBehind(const JointSensor<double>& sensor, double recorded);

}  // namespace ricochet
