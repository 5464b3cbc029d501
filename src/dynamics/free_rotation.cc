// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/free_rotation.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "math/manifold.h"
#include "math/so3.h"

namespace ricochet {

FreeRotation::FreeRotation(const Eigen::Matrix3d& inertia, const Quaternion<double>& q, const Eigen::Vector3d& w)
    : inverse_(inertia.inverse()),
      momentum_(Rotate<double>(q, Eigen::Vector3d(inertia * RotateInverse<double>(q, w)))),
      w_(w),
      isotropic_((inertia - Eigen::Matrix3d::Identity() * (inertia.trace() / 3)).norm() < 1e-9 * inertia.norm()) {}

void FreeRotation::Turn(double dt, Quaternion<double>& q) const {
  if (dt == 0) return;
  if (isotropic_) {
    q = BoxPlusRotation<double>(q, Eigen::Vector3d(w_ * dt));
    return;
  }
  Quaternion<double> k1 = Rate(q);  // half as long as w
  const int steps = 1 + static_cast<int>(std::min(1e4, std::abs(dt) * k1.norm() / 0.025));
  const double h = dt / steps;
  for (int i = 0; i < steps; ++i) {
    if (i > 0) k1 = Rate(q);
    const Quaternion<double> k2 = Rate(q + 0.5 * h * k1), k3 = Rate(q + 0.5 * h * k2), k4 = Rate(q + h * k3);
    q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    q /= q.norm();
  }
}

Eigen::Vector3d FreeRotation::AngularVelocity(const Quaternion<double>& q) const {
  if (isotropic_) return w_;
  return Rotate<double>(q, Eigen::Vector3d(inverse_ * RotateInverse<double>(q, momentum_)));
}

/// q', for a quaternion of any length. Spelled out: preprocessing of recordings spends most of its time here.
Quaternion<double> FreeRotation::Rate(const Quaternion<double>& q) const {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const Eigen::Vector3d& L = momentum_;
  // |q|^2 R^T L = (w^2 - |u|^2) L + 2 (u . L) u - 2 w u x L, u = (x, y, z)
  const double u2 = x * x + y * y + z * z, kept = w * w - u2, along = 2 * (x * L[0] + y * L[1] + z * L[2]);
  const double lx = kept * L[0] + along * x - 2 * w * (y * L[2] - z * L[1]);
  const double ly = kept * L[1] + along * y - 2 * w * (z * L[0] - x * L[2]);
  const double lz = kept * L[2] + along * z - 2 * w * (x * L[1] - y * L[0]);
  const double half = 0.5 / (w * w + u2);
  const double a = half * (inverse_(0, 0) * lx + inverse_(0, 1) * ly + inverse_(0, 2) * lz);
  const double b = half * (inverse_(1, 0) * lx + inverse_(1, 1) * ly + inverse_(1, 2) * lz);
  const double c = half * (inverse_(2, 0) * lx + inverse_(2, 1) * ly + inverse_(2, 2) * lz);
  return {-x * a - y * b - z * c, w * a + y * c - z * b, w * b - x * c + z * a, w * c + x * b - y * a};
}

void PropagateRotation(const Eigen::Matrix3d& inertia, double dt, Quaternion<double>& rotation,
                       Eigen::Vector3d& angular_velocity) {
  const FreeRotation motion(inertia, rotation, angular_velocity);
  motion.Turn(dt, rotation);
  if (dt != 0) angular_velocity = motion.AngularVelocity(rotation);
}

}  // namespace ricochet
