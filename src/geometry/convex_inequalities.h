// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convex solids as intersections of inequalities, F = {x : f_i(x) <= 0 for all i}, each f_i with value, gradient and
// Hessian (Xie sec. IV-A). A face of a polytope is one inequality, the side of a cylinder another, so that "which
// inequalities are active at a point" is the same question for a corner, an edge, a rim and a smooth wall.
//
// Every f_i is scaled to a gradient of length 1 on its surface f_i = 0 (errata to Xie, scenario 3): near the surface
// f_i is then the distance in meters, and the multipliers of a single active inequality are 1.
//
//   half space   f = u . x - d
//   tube         f = (|P (x - c)|^2 - r^2) / (2 r),  P = 1 - u u'      (side of a cylinder about the axis c + s u)
//   ball         f = (|x - c|^2 - r^2) / (2 r)
//   ellipsoid    f = N / s,  N = (y' A y - 1) / 2,  s = |A y|,  y = x - c,  A = diag(1 / semi_axes^2)
//
// The first three are convex everywhere. That of the ellipsoid is convex near its surface (its level sets are convex,
// and that is all that is used); at the center, where its gradient does not exist, it is continued by a finite value.
//
// A template on the scalar: sizes are numbers of the scene, so derivatives run through them.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

namespace ricochet {

enum class FacetKind { kHalfSpace, kTube, kBall, kEllipsoid };

/// One inequality f <= 0. Members not named at the kind's formula above are unused.
template <class T>
struct Facet {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  using Matrix3 = Eigen::Matrix<T, 3, 3>;

  FacetKind kind = FacetKind::kHalfSpace;
  Vector3 u = Vector3::Zero();          // unit: outward normal (half space) or axis (tube)
  Vector3 c = Vector3::Zero();          // center [m]
  Vector3 semi_axes = Vector3::Zero();  // ellipsoid [m]
  T size = T(0);                        // d (half space) or r [m]

  T Value(const Vector3& x) const;
  Vector3 Gradient(const Vector3& x) const;
  Matrix3 Hessian(const Vector3& x) const;

  /// False: the Hessian is zero everywhere.
  bool curved() const { return kind != FacetKind::kHalfSpace; }
};

/// Intersection of inequalities, bounded or not (a plane is a solid of one half space).
template <class T>
struct ConvexSolid {
  using Vector3 = Eigen::Matrix<T, 3, 1>;

  std::vector<Facet<T>> facets;
  std::vector<Vector3> vertices;     // corners, if all facets are half spaces and the solid is bounded
  Vector3 inside = Vector3::Zero();  // a point of the interior
  T radius = T(0);                   // of a ball about `inside` that holds the solid; 0: unbounded

  /// Adds the inequalities of another solid in the same frame. The common part must hold `inside`; vertices are lost.
  void Intersect(const ConvexSolid& other);

  /// The solid moved by `offset`.
  void Translate(const Vector3& offset);

  /// Largest f_i: negative inside, zero on the boundary, positive outside.
  T MaxValue(const Vector3& x) const;
};

template <class T>
Facet<T> MakeHalfSpace(const Eigen::Matrix<T, 3, 1>& normal, const Eigen::Matrix<T, 3, 1>& point);

/// Centered on the origin, edges along the axes; facets +x, -x, +y, -y, +z, -z.
template <class T>
ConvexSolid<T> MakeBoxSolid(const Eigen::Matrix<T, 3, 1>& size);

/// Centered on the origin about the direction `axis` (any length > 0); facets side, upper end, lower end.
template <class T>
ConvexSolid<T> MakeCylinderSolid(const T& radius, const T& length, const Eigen::Matrix<T, 3, 1>& axis);

template <class T>
ConvexSolid<T> MakeSphereSolid(const T& radius);

template <class T>
ConvexSolid<T> MakeEllipsoidSolid(const Eigen::Matrix<T, 3, 1>& semi_axes);

/// Convex hull of the vertices, whose faces are given by the indices of three of their corners each, counter-clockwise
/// seen from outside. Coplanar triangles (normals within 1e-9) become one facet.
template <class T>
ConvexSolid<T> MakePolytopeSolid(std::span<const Eigen::Matrix<T, 3, 1>> vertices,
                                 std::span<const Eigen::Vector3i> triangles);

}  // namespace ricochet

#include "geometry/convex_inequalities.inl"
