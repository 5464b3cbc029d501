// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dataset/frames/body_symmetry.h"

#include <algorithm>
#include <cmath>

#include "math/manifold.h"
#include "math/nearest_rotation.h"
#include "math/so3.h"

namespace ricochet {
namespace {

/// The angle between two directions.
double Between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

bool Keeps(const FacedBody& body, const Quaternion<double>& q, double tolerance) {
  for (const Eigen::Vector3d& corner : body.corners) {
    const Eigen::Vector3d moved =
        body.center_of_mass + Rotate<double>(q, Eigen::Vector3d(corner - body.center_of_mass));
    if (std::none_of(body.corners.begin(), body.corners.end(),
                     [&](const Eigen::Vector3d& other) { return (other - moved).norm() <= tolerance; }))
      return false;
  }
  const Eigen::Matrix3d R = RotationMatrix<double>(q);
  return (R * body.inertia * R.transpose() - body.inertia).norm() <= 1e-3 * body.inertia.norm();
}

}  // namespace

std::vector<Quaternion<double>> RotationsToFaces(const FacedBody& body, const Eigen::Vector3d& u,
                                                 const Eigen::Vector3d& v, double tolerance) {
  std::vector<Quaternion<double>> rotations;
  const double angle = Between(u, v);
  for (const HullFace& a : body.faces)
    for (const HullFace& b : body.faces) {
      if (std::abs(Between(a.normal, b.normal) - angle) > tolerance) continue;
      const Eigen::Matrix3d correlation =
          u * a.normal.transpose() + v * b.normal.transpose() + u.cross(v) * a.normal.cross(b.normal).transpose();
      rotations.push_back(NearestRotation(correlation));
    }
  return rotations;
}

std::vector<Quaternion<double>> SymmetriesOf(const FacedBody& body, double tolerance) {
  std::vector<Quaternion<double>> kept = {Quaternion<double>(1, 0, 0, 0)};
  if (body.faces.empty()) return kept;
  // Two faces that are not parallel fix a rotation.
  const Eigen::Vector3d u = body.faces[0].normal;
  for (const HullFace& face : body.faces) {
    if (face.normal.cross(u).norm() < 0.1) continue;
    for (const Quaternion<double>& q : RotationsToFaces(body, u, face.normal, 1e-6)) {
      const auto same = [&](const Quaternion<double>& other) { return std::abs(q.dot(other)) > 1 - 1e-9; };
      if (Keeps(body, q, tolerance) && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(q);
    }
    break;
  }
  return kept;
}

}  // namespace ricochet
