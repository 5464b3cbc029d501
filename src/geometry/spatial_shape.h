// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convex solids in the body frame B, with what contact needs of them: numbers, corners, faces and edges.
#pragma once

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "geometry/convex_hull.h"
#include "geometry/convex_inequalities.h"
#include "math/jet.h"
#include "ricochet/scene.h"

namespace ricochet {

template <class T>
struct SpatialShape {
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  bool present = false;
  ShapeType type{};
  Vector3 size = Vector3::Zero();       // kBox: full lengths [m]
  Vector3 semi_axes = Vector3::Zero();  // kEllipsoid; also filled for kSphere [m]
  T radius{0.0}, length{0.0};           // kSphere, kCylinder [m]
  Vector3 axis = Vector3::UnitZ();      // kCylinder, unit

  /// kBox: (-,-), (-,+), (+,+), (+,-) in x, y at -z, then the same at +z. kPolytope: its corners, in the order of the
  /// scene without points that are none. Empty for round shapes.
  std::vector<Vector3> vertices;
  /// Faces and edges of kBox and kPolytope; indices are those of `vertices`. Normals and offsets are values.
  ConvexHull hull;
  /// kIntersection: its inequalities (scene/scene_shape.h makes it).
  ConvexSolid<T> solid;
};

/// `numbers` in the order of ShapeType. A polytope without volume has no vertices.
template <class T>
SpatialShape<T> MakeSpatialShape(ShapeType type, std::span<const T> numbers) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  SpatialShape<T> shape;
  shape.present = true;
  shape.type = type;
  switch (type) {
    case ShapeType::kBox:
      shape.size = Vector3(numbers[0], numbers[1], numbers[2]);
      for (const double z : {-0.5, 0.5}) {
        constexpr double kSides[4][2] = {{-0.5, -0.5}, {-0.5, 0.5}, {0.5, 0.5}, {0.5, -0.5}};
        for (const auto& [x, y] : kSides) {
          shape.vertices.emplace_back(x * shape.size[0], y * shape.size[1], z * shape.size[2]);
        }
      }
      shape.hull = BoxHull(ValueOf(shape.size));
      break;
    case ShapeType::kSphere:
      shape.radius = numbers[0];
      shape.semi_axes = Vector3::Constant(numbers[0]);
      break;
    case ShapeType::kCylinder:
      shape.radius = numbers[0];
      shape.length = numbers[1];
      shape.axis = Vector3(numbers[2], numbers[3], numbers[4]).normalized();
      break;
    case ShapeType::kEllipsoid:
      shape.semi_axes = Vector3(numbers[0], numbers[1], numbers[2]);
      break;
    case ShapeType::kPolytope:
      for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
        shape.vertices.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
      }
      break;
    default:
      shape.present = false;  // planar
  }
  if (type != ShapeType::kPolytope) return shape;

  // Faces and edges, numbered by the corners that remain.
  std::vector<Eigen::Vector3d> points;
  for (const Vector3& vertex : shape.vertices) points.push_back(ValueOf(vertex));
  shape.hull = ComputeConvexHull(points).value_or(ConvexHull{});
  std::vector<int> new_index(points.size(), -1);
  std::vector<Vector3> corners;
  for (int& corner : shape.hull.corners) {
    new_index[corner] = static_cast<int>(corners.size());
    corners.push_back(shape.vertices[corner]);
    corner = new_index[corner];
  }
  for (HullFace& face : shape.hull.faces) {
    for (int& corner : face.corners) corner = new_index[corner];
  }
  for (HullEdge& edge : shape.hull.edges) {
    for (int& corner : edge.corners) corner = new_index[corner];
  }
  shape.vertices = std::move(corners);
  return shape;
}

}  // namespace ricochet
