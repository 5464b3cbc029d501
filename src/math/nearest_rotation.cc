// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "math/nearest_rotation.h"

#include "math/dense.h"

namespace ricochet {

Quaternion<double> NearestRotation(const Eigen::Matrix3d& H) {
  const Eigen::Vector3d skew(H(1, 2) - H(2, 1), H(2, 0) - H(0, 2), H(0, 1) - H(1, 0));
  Eigen::Matrix4d N;
  N(0, 0) = H.trace();
  N.block<3, 1>(1, 0) = skew;
  N.block<1, 3>(0, 1) = skew.transpose();
  N.block<3, 3>(1, 1) = H + H.transpose() - H.trace() * Eigen::Matrix3d::Identity();
  return EigenOfSymmetric(N).vectors.col(3);
}

}  // namespace ricochet
