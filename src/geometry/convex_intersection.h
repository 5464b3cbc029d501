// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Solids that a user puts together from convex pieces: the common part of half spaces, boxes, cylinders, balls,
// ellipsoids and polytopes, each placed in the body frame. The inequalities of the pieces, one after the other, are
// those of the solid; where several pieces have the same face it is kept once.
//
// When all faces are flat the corners are computed, so that the solid is a polytope for everyone who looks at corners.
// The common part must be bounded and have an interior; otherwise there is no solid, and the result says which.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "geometry/convex_shape.h"
#include "geometry/convex_support.h"
#include "math/so3.h"

namespace ricochet {

/// A piece: its type and numbers (order of ShapeType) and its pose in the body frame.
template <class T>
struct ConvexPiece {
  ShapeType type{};
  std::vector<T> numbers;
  Vector3<T> position = Vector3<T>::Zero();
  Quaternion<T> orientation = IdentityQuaternion<T>();  // of any length but 0; ellipsoids keep the body's axes
};

enum class IntersectionState { kSolid, kEmpty, kUnbounded };

/// Whether the faces with these outward normals close in all directions: the origin is inside their hull.
bool NormalsClose(std::span<const Eigen::Vector3d> normals);

/// A point inside, the deepest unless the center will do, if there is an interior. `center` and `reach`: a ball that
/// holds the solid.
std::optional<Eigen::Vector3d> FindInside(const ConvexSolid<double>& solid, const Eigen::Vector3d& center,
                                          double reach);

/// The common part. `state` says why there is none (the solid then has no facets).
template <class T>
ConvexSolid<T> IntersectPieces(std::span<const ConvexPiece<T>> pieces, IntersectionState& state);

}  // namespace ricochet

#include "geometry/convex_intersection.inl"
