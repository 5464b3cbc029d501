// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A limit of a hinge or slider: a one-sided constraint on its coordinate x.
//
//     lower   c = x - lower >= 0,  row J          upper   c = upper - x >= 0,  row -J,      d/dt x = J v.
//
// It has the joint's compliance (angular for a hinge, linear for a slider) and damping.
#pragma once

#include "dynamics/joints/constraint_rows.h"

namespace ricochet {

/// Gap of the limit; `sign` is +1 for the lower, -1 for the upper one. Its row is sign J.
template <class T>
T LimitGap(const SpatialJoint<T>& joint, const T& coordinate, double sign) {
  return sign > 0 ? T(coordinate - joint.lower) : T(joint.upper - coordinate);
}

template <class T>
T LimitCompliance(const SpatialJoint<T>& joint) {
  return joint.type == JointType::kSlider ? joint.compliance_linear : joint.compliance_angular;
}

}  // namespace ricochet
