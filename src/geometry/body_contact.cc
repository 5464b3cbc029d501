// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/body_contact.h"

#include <cmath>

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
  // Line of centers, face normals, cylinder axes.
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
  // Directions all round (a spiral on the sphere): deep in one another, the best one may be far from all of these.
  constexpr int kAround = 96;
  for (int k = 0; k < kAround; ++k) {
    const double z = 1 - (2 * k + 1.0) / kAround, r = std::sqrt(1 - z * z), turn = 2.399963229728653 * k;
    consider({r * std::cos(turn), r * std::sin(turn), z});
  }
  // Pattern search: twelve directions around the best, the ring shrinks when none is better. It turns from round to
  // round, so that a ridge (an edge of a polytope) cannot hide between its directions.
  constexpr int kRing = 12;
  double ring = 0.3;
  for (int round = 0; ring > 1e-10 && round < 2000; ++round) {
    const Vector3d t1 = best.unitOrthogonal(), t2 = best.cross(t1), center = best;
    const double before = value;
    for (int k = 0; k < kRing; ++k) {
      const double turn = 2 * M_PI * k / kRing + 2.399963229728653 * round;
      consider(center + ring * (std::cos(turn) * t1 + std::sin(turn) * t2));
    }
    if (!(value > before)) ring *= 0.7;
  }
  *separation = value;
  return best;
}

}  // namespace ricochet::internal
