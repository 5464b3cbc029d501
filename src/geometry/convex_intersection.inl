// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <algorithm>
#include <cmath>

namespace ricochet {
namespace internal {

/// The piece's inequalities in the body frame.
template <class T>
ConvexSolid<T> PlacePiece(const ConvexPiece<T>& piece) {
  using std::sqrt;
  if (piece.type == ShapeType::kHalfSpace) {
    ConvexSolid<T> solid;
    const Vector3<T> normal(piece.numbers[3], piece.numbers[4], piece.numbers[5]);
    const Vector3<T> point(piece.numbers[0], piece.numbers[1], piece.numbers[2]);
    solid.facets.push_back(MakeHalfSpace<T>(normal, point));
    return solid;
  }
  ConvexSolid<T> solid = MakeConvexSolid<T>(MakeSpatialShape<T>(piece.type, std::span<const T>(piece.numbers)));
  if (piece.type != ShapeType::kEllipsoid) {
    const Matrix3<T> R = RotationMatrix<T>(piece.orientation / sqrt(piece.orientation.squaredNorm()));
    for (Facet<T>& facet : solid.facets) {
      facet.u = R * facet.u;
      facet.c = R * facet.c;
    }
    for (Vector3<T>& vertex : solid.vertices) vertex = R * vertex;
    solid.inside = R * solid.inside;
  }
  solid.Translate(piece.position);
  return solid;
}

template <class T>
ConvexSolid<double> ValueOfSolid(const ConvexSolid<T>& solid) {
  ConvexSolid<double> out;
  for (const Facet<T>& facet : solid.facets) {
    Facet<double>& to = out.facets.emplace_back();
    to.kind = facet.kind;
    to.u = ValueOf(facet.u);
    to.c = ValueOf(facet.c);
    to.semi_axes = ValueOf(facet.semi_axes);
    to.size = ValueOf(facet.size);
  }
  out.inside = ValueOf(solid.inside);
  out.radius = ValueOf(solid.radius);
  return out;
}

/// Corners of a polytope given by half spaces, each once.
template <class T>
std::vector<Vector3<T>> CornersOf(const ConvexSolid<T>& solid) {
  std::vector<Vector3<T>> corners;
  const std::size_t n = solid.facets.size();
  double size = 0;
  for (const Facet<T>& facet : solid.facets) size = std::max(size, std::abs(ValueOf(facet.size)));
  const double slack = 1e-9 * std::max(size, 1e-6);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const Vector3<T>&u1 = solid.facets[i].u, &u2 = solid.facets[j].u;
      for (std::size_t k = j + 1; k < n; ++k) {
        const Vector3<T>& u3 = solid.facets[k].u;
        const T volume = u1.dot(u2.cross(u3));
        if (std::abs(ValueOf(volume)) < 1e-9) continue;
        const Vector3<T> x = (u2.cross(u3) * solid.facets[i].size + u3.cross(u1) * solid.facets[j].size +
                              u1.cross(u2) * solid.facets[k].size) /
                             volume;
        const bool inside = std::all_of(solid.facets.begin(), solid.facets.end(),
                                        [&](const Facet<T>& facet) { return ValueOf(facet.Value(x)) <= slack; });
        const bool known = std::any_of(corners.begin(), corners.end(), [&](const Vector3<T>& other) {
          return (ValueOf(other) - ValueOf(x)).norm() <= 10 * slack;
        });
        if (inside && !known) corners.push_back(x);
      }
    }
  }
  return corners;
}

}  // namespace internal

template <class T>
ConvexSolid<T> IntersectPieces(std::span<const ConvexPiece<T>> pieces, IntersectionState& state) {
  ConvexSolid<T> solid;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  double reach = 0;  // 0: no bounded piece so far
  for (const ConvexPiece<T>& piece : pieces) {
    const ConvexSolid<T> placed = internal::PlacePiece<T>(piece);
    const double radius = ValueOf(placed.radius);
    if (radius > 0 && (reach <= 0 || radius < reach)) {
      reach = radius;
      center = ValueOf(placed.inside);
    }
    for (const Facet<T>& facet : placed.facets) {
      const bool known = std::any_of(solid.facets.begin(), solid.facets.end(), [&](const Facet<T>& other) {
        return other.kind == facet.kind && (ValueOf(other.u) - ValueOf(facet.u)).norm() < 1e-12 &&
               std::abs(ValueOf(other.size) - ValueOf(facet.size)) <= 1e-12 * std::abs(ValueOf(facet.size)) &&
               (facet.kind == FacetKind::kHalfSpace || (ValueOf(other.c) - ValueOf(facet.c)).norm() < 1e-12) &&
               (ValueOf(other.semi_axes) - ValueOf(facet.semi_axes)).norm() < 1e-12;
      });
      if (!known) solid.facets.push_back(facet);
    }
  }
  const bool flat = std::none_of(solid.facets.begin(), solid.facets.end(), [](const auto& f) { return f.curved(); });
  if (flat && reach <= 0) {
    std::vector<Eigen::Vector3d> normals;
    for (const Facet<T>& facet : solid.facets) normals.push_back(ValueOf(facet.u));
    if (!NormalsClose(normals)) {
      state = IntersectionState::kUnbounded;
      return {};
    }
  }
  if (flat) {
    solid.vertices = internal::CornersOf<T>(solid);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (const Vector3<T>& vertex : solid.vertices) sum += ValueOf(vertex);
    center = sum / std::max<double>(1, static_cast<double>(solid.vertices.size()));
    reach = 0;
    for (const Vector3<T>& vertex : solid.vertices) reach = std::max(reach, (ValueOf(vertex) - center).norm());
  }
  const auto inside = reach > 0 ? FindInside(internal::ValueOfSolid(solid), center, reach) : std::nullopt;
  state = inside ? IntersectionState::kSolid : IntersectionState::kEmpty;
  if (!inside) return {};
  for (int k = 0; k < 3; ++k) solid.inside[k] = T((*inside)[k]);
  solid.radius = T(reach + (*inside - center).norm());
  return solid;
}

}  // namespace ricochet
