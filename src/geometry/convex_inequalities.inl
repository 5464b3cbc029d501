// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <algorithm>
#include <cmath>

namespace ricochet {

template <class T>
T Facet<T>::Value(const Vector3& x) const {
  using std::sqrt;
  switch (kind) {
    case FacetKind::kHalfSpace:
      return u.dot(x) - size;
    case FacetKind::kTube: {
      const Vector3 y = x - c;
      const T along = u.dot(y);
      return (y.squaredNorm() - along * along - size * size) / (T(2) * size);
    }
    case FacetKind::kBall:
      return ((x - c).squaredNorm() - size * size) / (T(2) * size);
    case FacetKind::kEllipsoid: {
      const Vector3 y = x - c;
      const Vector3 Ay = y.cwiseQuotient(semi_axes).cwiseQuotient(semi_axes);
      const T floor = T(1e-6) / semi_axes.maxCoeff();
      const T s = std::max(T(sqrt(Ay.squaredNorm() + T(1e-300))), floor);
      return (y.dot(Ay) - T(1)) / (T(2) * s);
    }
  }
  return T(0);
}

template <class T>
Eigen::Matrix<T, 3, 1> Facet<T>::Gradient(const Vector3& x) const {
  using std::sqrt;
  switch (kind) {
    case FacetKind::kHalfSpace:
      return u;
    case FacetKind::kTube: {
      const Vector3 y = x - c;
      return (y - u * u.dot(y)) / size;
    }
    case FacetKind::kBall:
      return (x - c) / size;
    case FacetKind::kEllipsoid: {
      const Vector3 y = x - c;
      const Vector3 Ay = y.cwiseQuotient(semi_axes).cwiseQuotient(semi_axes);
      const Vector3 AAy = Ay.cwiseQuotient(semi_axes).cwiseQuotient(semi_axes);
      const T s2 = Ay.squaredNorm() + T(1e-300);
      const T s = sqrt(s2);
      const T N = (y.dot(Ay) - T(1)) / T(2);
      return Ay / s - AAy * (N / (s * s2));
    }
  }
  return u;
}

template <class T>
Eigen::Matrix<T, 3, 3> Facet<T>::Hessian(const Vector3& x) const {
  using std::sqrt;
  switch (kind) {
    case FacetKind::kHalfSpace:
      return Matrix3::Zero();
    case FacetKind::kTube:
      return (Matrix3::Identity() - u * u.transpose()) / size;
    case FacetKind::kBall:
      return Matrix3::Identity() / size;
    case FacetKind::kEllipsoid: {
      const Vector3 y = x - c;
      const Vector3 a = semi_axes.cwiseProduct(semi_axes).cwiseInverse();
      const Vector3 Ay = a.cwiseProduct(y);
      const Vector3 AAy = a.cwiseProduct(Ay);
      const T s2 = Ay.squaredNorm() + T(1e-300);
      const T s = sqrt(s2), s3 = s * s2;
      const T N = (y.dot(Ay) - T(1)) / T(2);
      Matrix3 H = (AAy * AAy.transpose()) * (T(3) * N / (s3 * s2)) - (Ay * AAy.transpose() + AAy * Ay.transpose()) / s3;
      for (int i = 0; i < 3; ++i) H(i, i) += a[i] / s - N * a[i] * a[i] / s3;
      return H;
    }
  }
  return Matrix3::Zero();
}

template <class T>
void ConvexSolid<T>::Intersect(const ConvexSolid& other) {
  facets.insert(facets.end(), other.facets.begin(), other.facets.end());
  vertices.clear();
  if (other.radius > T(0)) {
    const T reach = other.radius + (other.inside - inside).norm();
    if (!(radius > T(0)) || reach < radius) radius = reach;
  }
}

template <class T>
void ConvexSolid<T>::Translate(const Vector3& offset) {
  for (Facet<T>& facet : facets) {
    facet.c += offset;
    if (facet.kind == FacetKind::kHalfSpace) facet.size += facet.u.dot(offset);
  }
  for (Vector3& vertex : vertices) vertex += offset;
  inside += offset;
}

template <class T>
T ConvexSolid<T>::MaxValue(const Vector3& x) const {
  T largest = facets.front().Value(x);
  for (std::size_t i = 1; i < facets.size(); ++i) {
    const T value = facets[i].Value(x);
    if (largest < value) largest = value;
  }
  return largest;
}

template <class T>
Facet<T> MakeHalfSpace(const Eigen::Matrix<T, 3, 1>& normal, const Eigen::Matrix<T, 3, 1>& point) {
  using std::sqrt;
  Facet<T> facet;
  facet.u = normal / sqrt(normal.squaredNorm());
  facet.size = facet.u.dot(point);
  return facet;
}

template <class T>
ConvexSolid<T> MakeBoxSolid(const Eigen::Matrix<T, 3, 1>& size) {
  using std::sqrt;
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  ConvexSolid<T> solid;
  for (int axis = 0; axis < 3; ++axis) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      Facet<T> facet;
      facet.u[axis] = T(sign);
      facet.size = size[axis] / T(2);
      solid.facets.push_back(facet);
    }
  }
  for (int corner = 0; corner < 8; ++corner) {
    solid.vertices.push_back(Vector3(size[0] * T(corner & 1 ? 0.5 : -0.5), size[1] * T(corner & 2 ? 0.5 : -0.5),
                                     size[2] * T(corner & 4 ? 0.5 : -0.5)));
  }
  solid.radius = sqrt(size.squaredNorm()) / T(2);
  return solid;
}

template <class T>
ConvexSolid<T> MakeCylinderSolid(const T& radius, const T& length, const Eigen::Matrix<T, 3, 1>& axis) {
  using std::sqrt;
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  const Vector3 u = axis / sqrt(axis.squaredNorm());
  ConvexSolid<T> solid;
  Facet<T> side;
  side.kind = FacetKind::kTube;
  side.u = u;
  side.size = radius;
  Facet<T> upper, lower;
  upper.u = u;
  lower.u = -u;
  upper.size = lower.size = length / T(2);
  solid.facets = {side, upper, lower};
  solid.radius = sqrt(radius * radius + length * length / T(4));
  return solid;
}

template <class T>
ConvexSolid<T> MakeSphereSolid(const T& radius) {
  ConvexSolid<T> solid;
  Facet<T> ball;
  ball.kind = FacetKind::kBall;
  ball.size = radius;
  solid.facets = {ball};
  solid.radius = radius;
  return solid;
}

template <class T>
ConvexSolid<T> MakeEllipsoidSolid(const Eigen::Matrix<T, 3, 1>& semi_axes) {
  ConvexSolid<T> solid;
  Facet<T> facet;
  facet.kind = FacetKind::kEllipsoid;
  facet.semi_axes = semi_axes;
  solid.facets = {facet};
  solid.radius = semi_axes.maxCoeff();
  return solid;
}

template <class T>
ConvexSolid<T> MakePolytopeSolid(std::span<const Eigen::Matrix<T, 3, 1>> vertices,
                                 std::span<const Eigen::Vector3i> triangles) {
  using std::sqrt;
  using Vector3 = Eigen::Matrix<T, 3, 1>;
  ConvexSolid<T> solid;
  solid.vertices.assign(vertices.begin(), vertices.end());
  Vector3 sum = Vector3::Zero();
  for (const Vector3& vertex : vertices) sum += vertex;
  solid.inside = sum / T(static_cast<double>(vertices.size()));
  for (const Vector3& vertex : vertices) {
    const T distance = sqrt((vertex - solid.inside).squaredNorm());
    if (solid.radius < distance) solid.radius = distance;
  }
  for (const Eigen::Vector3i& triangle : triangles) {
    const Vector3 &a = vertices[triangle[0]], &b = vertices[triangle[1]], &c = vertices[triangle[2]];
    const Facet<T> facet = MakeHalfSpace<T>((b - a).cross(c - a), a);
    const bool known = std::any_of(solid.facets.begin(), solid.facets.end(),
                                   [&](const Facet<T>& other) { return (other.u - facet.u).squaredNorm() < T(1e-18); });
    if (!known) solid.facets.push_back(facet);
  }
  return solid;
}

}  // namespace ricochet
