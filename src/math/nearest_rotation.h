// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <Eigen/Core>

#include "math/vector.h"

namespace ricochet {

/// The rotation R that takes vectors a_i nearest to vectors y_i, from their correlation sum_i a_i y_i^T: the unit
/// quaternion to the largest eigenvalue of a symmetric 4 x 4 matrix (Horn 1987, "Closed-form solution of absolute
/// orientation using unit quaternions").
Quaternion<double> NearestRotation(const Eigen::Matrix3d& correlation);

}  // namespace ricochet
