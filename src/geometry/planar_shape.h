// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convex planar shapes against a line: gap, contact point and their dependence on the pose, exact.
//
// With the line's inward direction -n expressed in the body (n_B = R(theta)^T n), the point of the shape that is
// farthest along -n is the support point s(-n_B), and the gap is phi = n . (p + R s - p0). For an ellipse with
// semi-axes a, b:  s(d) = (a^2 dx, b^2 dy) / sqrt(a^2 dx^2 + b^2 dy^2). It depends smoothly on the pose, also for a =
// b. Polygons offer each vertex as a contact candidate of its own, so a rectangle that lies flat has two contacts.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

template <class T>
struct PlanarShape {
  bool present = false;
  bool smooth = false;                           // ellipse or circle: one contact; otherwise one per vertex
  Eigen::Matrix<T, 2, 1> center;                 // smooth: center from Bcm, B's axes
  T a, b;                                        // smooth: semi-axes along B's x, y
  std::vector<Eigen::Matrix<T, 2, 1>> vertices;  // polygons: from Bcm, B's axes, counter-clockwise
  std::vector<int> numbers;                      // polygons: place of each vertex in the scene, which may go clockwise

  /// What a contact candidate is called in results: the place of its vertex in the scene, or 0.
  int Number(int index) const { return numbers.empty() ? index : numbers[index]; }

  int contact_count() const { return !present ? 0 : smooth ? 1 : static_cast<int>(vertices.size()); }

  /// Material point of contact candidate `index` against a line of normal n_B (unit, in B's axes), from Bcm in B's
  /// axes.
  Eigen::Matrix<T, 2, 1> SupportPoint(int index, const Eigen::Matrix<T, 2, 1>& n_B) const {
    if (!smooth) return vertices[index];
    using std::sqrt;
    const T a2x = a * a * n_B.x(), b2y = b * b * n_B.y();
    const T norm = sqrt(a2x * n_B.x() + b2y * n_B.y());
    return center - Eigen::Matrix<T, 2, 1>(a2x / norm, b2y / norm);
  }
};

}  // namespace ricochet
