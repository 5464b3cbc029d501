// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Area or volume, centroid and inertia of shapes of uniform density, in closed form, for double and Jets.
//
// With the second moments C = integral of (x - c)(x - c)^T / volume about the centroid c:
//
//   planar    inertia / mass = trace C          spatial    inertia / mass = trace(C) I - C
//
// Polygons and polytopes are sums over triangles (o, a, b) and tetrahedra (o, a, b, d) with one corner o in common,
// which is taken among the vertices so that little cancels far from the origin. For the simplex of corners o + a_i in
// dimension n with determinant D = det(a_1 .. a_n) and s = sum a_i:
//
//   volume = D / n!,   integral of x = D s / (n + 1)!,   integral of x x^T = D (sum a_i a_i^T + s s^T) / (n + 2)!
//
// Which points are corners of a polytope is decided on values; derivatives are those with the faces kept.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <numbers>
#include <span>
#include <vector>

#include "geometry/convex_hull.h"
#include "math/jet.h"
#include "ricochet/scene.h"

namespace ricochet {

template <class T>
struct PlanarMassProperties {
  T area{0.0};                                                       // [m^2]
  Eigen::Matrix<T, 2, 1> centroid = Eigen::Matrix<T, 2, 1>::Zero();  // in the body frame [m]
  T inertia_per_mass{0.0};                                           // about the centroid [m^2]
};

template <class T>
struct SpatialMassProperties {
  T volume{0.0};                                                             // [m^3]
  Eigen::Matrix<T, 3, 1> centroid = Eigen::Matrix<T, 3, 1>::Zero();          // in the body frame [m]
  Eigen::Matrix<T, 3, 3> inertia_per_mass = Eigen::Matrix<T, 3, 3>::Zero();  // about the centroid, body axes [m^2]
};

namespace internal {

/// Sums of simplices with the corner o in common.
template <class T, int n>
struct SimplexSum {
  using Vector = Eigen::Matrix<T, n, 1>;
  using Matrix = Eigen::Matrix<T, n, n>;
  T volume{0.0};
  Vector first = Vector::Zero();
  Matrix second = Matrix::Zero();

  /// Columns of `a` are the other corners from o.
  void Add(const Matrix& a) {
    T determinant;
    if constexpr (n == 2) {
      determinant = a(0, 0) * a(1, 1) - a(1, 0) * a(0, 1);
    } else {
      determinant = a.col(0).dot(a.col(1).cross(a.col(2)));
    }
    constexpr double kFactorial = n == 2 ? 2 : 6;
    const Vector s = a.rowwise().sum();
    volume += determinant / kFactorial;
    first += s * (determinant / (kFactorial * (n + 1)));
    second += (a * a.transpose() + s * s.transpose()) * (determinant / (kFactorial * (n + 1) * (n + 2)));
  }

  Vector Centroid() const { return first / volume; }  // from o
  Matrix Covariance() const { return second / volume - Centroid() * Centroid().transpose(); }
};

template <class T>
PlanarMassProperties<T> UniformPolygon(std::span<const T> xy) {
  using Vector2 = Eigen::Matrix<T, 2, 1>;
  const auto vertex = [&](size_t i) { return Vector2(xy[2 * i], xy[2 * i + 1]); };
  const Vector2 o = vertex(0);
  SimplexSum<T, 2> sum;
  for (size_t i = 1; 2 * i + 3 < xy.size(); ++i) {
    Eigen::Matrix<T, 2, 2> a;
    a << vertex(i) - o, vertex(i + 1) - o;
    sum.Add(a);
  }
  if (ValueOf(sum.volume) == 0) return {};
  return {sum.volume, o + sum.Centroid(), sum.Covariance().trace()};
}

template <class T>
SpatialMassProperties<T> UniformPolytope(std::span<const T> xyz) {
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  std::vector<Eigen::Vector3d> points;
  for (size_t i = 0; i + 2 < xyz.size(); i += 3) {
    points.emplace_back(ValueOf(xyz[i]), ValueOf(xyz[i + 1]), ValueOf(xyz[i + 2]));
  }
  const auto hull = ComputeConvexHull(points);
  if (!hull) return {};
  const auto vertex = [&](int i) { return Vector3(xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]); };
  const Vector3 o = vertex(hull->corners[0]);
  SimplexSum<T, 3> sum;
  for (const HullFace& face : hull->faces) {
    for (size_t k = 1; k + 1 < face.corners.size(); ++k) {
      Eigen::Matrix<T, 3, 3> a;
      a << vertex(face.corners[0]) - o, vertex(face.corners[k]) - o, vertex(face.corners[k + 1]) - o;
      sum.Add(a);
    }
  }
  const Eigen::Matrix<T, 3, 3> C = sum.Covariance();
  return {sum.volume, o + sum.Centroid(), C.trace() * Eigen::Matrix<T, 3, 3>::Identity() - C};
}

/// Moments of a body with the covariance diag(c).
template <class T>
Eigen::Matrix<T, 3, 3> InertiaOfCovariance(const T& cx, const T& cy, const T& cz) {
  return Eigen::Matrix<T, 3, 1>(cy + cz, cz + cx, cx + cy).asDiagonal();
}

}  // namespace internal

/// `numbers` in the order of ShapeType. A polygon or polytope without area or volume has all zeros.
template <class T>
PlanarMassProperties<T> UniformPlanar(ShapeType type, std::span<const T> numbers) {
  constexpr double kPi = std::numbers::pi;
  PlanarMassProperties<T> result;
  switch (type) {
    case ShapeType::kEllipse:
      result.area = kPi * numbers[0] * numbers[1];
      result.inertia_per_mass = (numbers[0] * numbers[0] + numbers[1] * numbers[1]) / 4.0;
      break;
    case ShapeType::kCircle:
      result.area = kPi * numbers[0] * numbers[0];
      result.inertia_per_mass = numbers[0] * numbers[0] / 2.0;
      break;
    case ShapeType::kRectangle:
      result.area = numbers[0] * numbers[1];
      result.inertia_per_mass = (numbers[0] * numbers[0] + numbers[1] * numbers[1]) / 12.0;
      break;
    case ShapeType::kPolygon:
      return internal::UniformPolygon<T>(numbers);
    default:
      break;  // spatial shapes have no area
  }
  return result;
}

template <class T>
SpatialMassProperties<T> UniformSpatial(ShapeType type, std::span<const T> numbers) {
  using Matrix3 = Eigen::Matrix<T, 3, 3>;
  constexpr double kPi = std::numbers::pi;
  SpatialMassProperties<T> result;
  switch (type) {
    case ShapeType::kBox: {
      const T &x = numbers[0], &y = numbers[1], &z = numbers[2];
      result.volume = x * y * z;
      result.inertia_per_mass = internal::InertiaOfCovariance<T>(x * x / 12.0, y * y / 12.0, z * z / 12.0);
      break;
    }
    case ShapeType::kSphere: {
      const T c = numbers[0] * numbers[0] / 5.0;
      result.volume = (4.0 / 3.0 * kPi) * numbers[0] * numbers[0] * numbers[0];
      result.inertia_per_mass = internal::InertiaOfCovariance<T>(c, c, c);
      break;
    }
    case ShapeType::kEllipsoid: {
      const T &x = numbers[0], &y = numbers[1], &z = numbers[2];
      result.volume = (4.0 / 3.0 * kPi) * x * y * z;
      result.inertia_per_mass = internal::InertiaOfCovariance<T>(x * x / 5.0, y * y / 5.0, z * z / 5.0);
      break;
    }
    case ShapeType::kCylinder: {
      // Along u: r^2 / 2. Across: r^2 / 4 + l^2 / 12.
      const T &r = numbers[0], &l = numbers[1];
      const Eigen::Matrix<T, 3, 1> axis(numbers[2], numbers[3], numbers[4]);
      const Matrix3 uu = axis * axis.transpose() / axis.squaredNorm();
      const T along = r * r / 2.0, across = r * r / 4.0 + l * l / 12.0;
      result.volume = kPi * r * r * l;
      result.inertia_per_mass = across * Matrix3::Identity() + (along - across) * uu;
      break;
    }
    case ShapeType::kPolytope:
      return internal::UniformPolytope<T>(numbers);
    default:
      break;  // planar shapes have no volume
  }
  return result;
}

}  // namespace ricochet
