// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/body_contact.h"

#include <array>

namespace ricochet::internal {
namespace {

using Eigen::Vector3d;

double Value(const PlacedShape<double>& A, const PlacedShape<double>& B, const Vector3d& n) {
  Vector3d a, b;
  return Separation<double>(A, B, n, a, b);
}

}  // namespace

Eigen::Vector3d SearchSeparation(const PlacedShape<double>& A, const PlacedShape<double>& B, double* separation) {
  Vector3d best(0, 0, 1);
  double value = -1e300;
  const auto consider = [&](const Vector3d& direction) {
    const double length = direction.norm();
    if (!(length > 0)) return;
    const Vector3d n = direction / length;
    const double s = Value(A, B, n);
    if (s > value) value = s, best = n;
  };
  // Line of centres, face normals, cylinder axes.
  consider(A.p - B.p);
  for (const PlacedShape<double>* s : {&A, &B}) {
    const double sign = s == &A ? -1 : 1;
    for (const HullFace& face : s->shape->hull.faces) consider(sign * (s->R * face.normal));
    if (s->shape->type == ShapeType::kCylinder) {
      const Vector3d a = s->R * s->shape->axis;
      consider(a);
      consider(-a);
      const Vector3d d = A.p - B.p;
      consider(d - a * a.dot(d));
    }
  }
  // Pattern search: eight directions around the best, the ring shrinks when none is better.
  double ring = 0.3;
  while (ring > 1e-10) {
    const Vector3d t1 = best.unitOrthogonal(), t2 = best.cross(t1);
    const double before = value;
    const Vector3d centre = best;
    for (int k = 0; k < 8; ++k) {
      constexpr double r = 0.70710678118654752;
      constexpr std::array<std::array<double, 2>, 8> turn{
          {{1, 0}, {r, r}, {0, 1}, {-r, r}, {-1, 0}, {-r, -r}, {0, -1}, {r, -r}}};
      consider(centre + ring * (turn[k][0] * t1 + turn[k][1] * t2));
    }
    if (!(value > before)) ring *= 0.5;
  }
  *separation = value;
  return best;
}

}  // namespace ricochet::internal
