// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From the shapes of scenes to convex inequalities.
#pragma once

#include <vector>

#include "geometry/convex_inequalities.h"
#include "geometry/spatial_shape.h"
#include "math/jet.h"

namespace ricochet {

/// The shape's inequalities in the body frame. Faces of polytopes go through their three corners that span the largest
/// triangle, so that they depend on the corners' coordinates.
template <class T>
ConvexSolid<T> MakeConvexSolid(const SpatialShape<T>& shape) {
  switch (shape.type) {
    case ShapeType::kBox:
      return MakeBoxSolid<T>(shape.size);
    case ShapeType::kSphere:
      return MakeSphereSolid<T>(shape.radius);
    case ShapeType::kCylinder:
      return MakeCylinderSolid<T>(shape.radius, shape.length, shape.axis);
    case ShapeType::kEllipsoid:
      return MakeEllipsoidSolid<T>(shape.semi_axes);
    case ShapeType::kIntersection:
      return shape.solid;
    default:
      break;
  }
  std::vector<Eigen::Vector3i> triangles;
  for (const HullFace& face : shape.hull.faces) {
    Eigen::Vector3i best(face.corners[0], face.corners[1], face.corners[2]);
    double largest = -1;
    const int count = static_cast<int>(face.corners.size());
    for (int i = 0; i < count; ++i) {
      for (int j = i + 1; j < count; ++j) {
        for (int k = j + 1; k < count; ++k) {
          const Eigen::Vector3d a = ValueOf(shape.vertices[face.corners[i]]);
          const Eigen::Vector3d b = ValueOf(shape.vertices[face.corners[j]]);
          const Eigen::Vector3d c = ValueOf(shape.vertices[face.corners[k]]);
          const double area = (b - a).cross(c - a).squaredNorm();
          if (area <= largest) continue;
          largest = area;
          best = Eigen::Vector3i(face.corners[i], face.corners[j], face.corners[k]);
        }
      }
    }
    triangles.push_back(best);
  }
  return MakePolytopeSolid<T>(shape.vertices, triangles);
}

}  // namespace ricochet
