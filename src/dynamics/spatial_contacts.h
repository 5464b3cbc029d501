// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contact candidates of spatial bodies against planes: which points of a body may touch, and where they are.
//
// Candidates, with the plane's normal n seen from the body as d = R_WB^T n:
//
//   box, polytope   every vertex, numbered as in the shape
//   sphere          one: -r d from the center
//   ellipsoid       one: -A^2 d / |A d| with A = diag(semi-axes), the point whose outward normal is -d
//   cylinder        four on each rim, 0-3 at +axis, 4-7 at -axis: the lowest point of the rim and those a quarter, a
//   half
//                   and three quarters round from it. A leaning cylinder touches with the lowest, a lying one with one
//                   of each rim, a standing one with all four of a rim.
//
// A cylinder that stands upright has no lowest point; the quarter points are then counted from a direction fixed in the
// body. As it leans the other way the four points turn, but they stay a square on the rim.
//
// All points are from the center of mass, in body axes. The plane's `extent` bounds where contact points may lie in the
// plane; its edges are not obstacles.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>

#include "math/vector.h"
#include "model/spatial_model.h"

namespace ricochet {

/// Number of candidate points of a shape against a plane.
template <class T>
int CandidateCount(const SpatialShape<T>& shape) {
  switch (shape.type) {
    case ShapeType::kBox:
    case ShapeType::kPolytope:
      return static_cast<int>(shape.vertices.size());
    case ShapeType::kCylinder:
      return 8;
    default:
      return 1;
  }
}

/// A unit vector across `axis` that depends on the axis alone.
template <class T>
Vector3<T> FixedAcross(const Vector3<T>& axis) {
  int smallest = 0;
  using std::abs;
  for (int k = 1; k < 3; ++k)
    if (abs(axis[k]) < abs(axis[smallest])) smallest = k;
  Vector3<T> e = Vector3<T>::Zero();
  e[smallest] = T(1.0);
  return (e - axis * axis.dot(e)).normalized();
}

/// Point number `index` of a cylinder against normal d (body axes), in the body frame.
template <class T>
Vector3<T> CylinderRimPoint(const SpatialShape<T>& shape, int index, const Vector3<T>& d) {
  const Vector3<T>& a = shape.axis;
  Vector3<T> down = a * a.dot(d) - d;
  const T length2 = down.squaredNorm();
  if (length2 < 1e-16) {
    down = FixedAcross<T>(a);
  } else {
    using std::sqrt;
    down = down / sqrt(length2);
  }
  const Vector3<T> side = a.cross(down);
  const int quarter = index % 4;
  const Vector3<T> radial = quarter == 0   ? down
                            : quarter == 1 ? side
                            : quarter == 2 ? Vector3<T>(-down)
                                           : Vector3<T>(-side);
  const T half = shape.length * (index < 4 ? 0.5 : -0.5);
  return a * half + radial * shape.radius;
}

/// Candidate point in the body frame B.
template <class T>
Vector3<T> CandidatePoint(const SpatialShape<T>& shape, int index, const Vector3<T>& d) {
  switch (shape.type) {
    case ShapeType::kBox:
    case ShapeType::kPolytope:
      return shape.vertices[index];
    case ShapeType::kCylinder:
      return CylinderRimPoint<T>(shape, index, d);
    case ShapeType::kSphere:
      return d * (-shape.radius);
    default: {
      const Vector3<T> Ad = shape.semi_axes.cwiseProduct(d);
      return shape.semi_axes.cwiseProduct(Ad) * (T(-1.0) / Ad.norm());
    }
  }
}

/// Candidate of a body against a plane with the pair's rounding: the corner of the smaller box, then r toward the
/// plane.
template <class T>
Vector3<T> ContactCandidate(const SpatialLaw<T>& law, const SpatialShape<T>& shape, int index, const Vector3<T>& d) {
  Vector3<T> p = CandidatePoint<T>(shape, index, d);
  if (!law.has_rounding) return p;
  for (int k = 0; k < 3; ++k) p[k] += (p[k] < 0.0 ? law.rounding : T(-law.rounding)) - law.rounding * d[k];
  return p;
}

/// False when the point lies beyond the edges of a bounded plane.
template <class T>
bool WithinExtent(const SpatialSurface<T>& surface, const Vector3<T>& p_WC) {
  if (!surface.bounded) return true;
  const Vector3<T> p_SC = surface.R_WS.transpose() * (p_WC - surface.point);
  return p_SC[0] >= surface.x0 && p_SC[0] <= surface.x1 && p_SC[1] >= surface.y0 && p_SC[1] <= surface.y1;
}

/// Least height of a shape over its body's origin along d, that is -max of -d . p; bounds what a detection must look
/// at.
template <class T>
T LowestPoint(const SpatialShape<T>& shape, const Vector3<T>& d) {
  using std::abs;
  using std::sqrt;
  switch (shape.type) {
    case ShapeType::kBox:
      return -0.5 * (abs(d[0]) * shape.size[0] + abs(d[1]) * shape.size[1] + abs(d[2]) * shape.size[2]);
    case ShapeType::kSphere:
      return -shape.radius;
    case ShapeType::kEllipsoid:
      return -shape.semi_axes.cwiseProduct(d).norm();
    case ShapeType::kCylinder: {
      const T along = d.dot(shape.axis), across2 = 1.0 - along * along;
      return -(0.5 * shape.length * abs(along) + shape.radius * (across2 > 0.0 ? T(sqrt(across2)) : T(0.0)));
    }
    default: {
      T lowest = d.dot(shape.vertices[0]);
      for (const Vector3<T>& p : shape.vertices) {
        const T height = d.dot(p);
        if (height < lowest) lowest = height;
      }
      return lowest;
    }
  }
}

}  // namespace ricochet
