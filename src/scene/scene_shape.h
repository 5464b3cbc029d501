// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// From a scene's shape and a table of values to the solid.
#pragma once

#include <vector>

#include "geometry/convex_intersection.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The pieces of an intersection. `at(id)` is the value of a number.
template <class T, class At>
std::vector<ConvexPiece<T>> PiecesOf(const Shape& shape, const At& at) {
  std::vector<ConvexPiece<T>> pieces;
  for (const ShapePart& part : shape.parts) {
    ConvexPiece<T>& piece = pieces.emplace_back();
    piece.type = part.shape.type;
    for (const NumberId id : part.shape.numbers) piece.numbers.push_back(at(id));
    for (std::size_t i = 0; i < part.position.size(); ++i) piece.position[static_cast<int>(i)] = at(part.position[i]);
    for (std::size_t i = 0; i < part.orientation.size(); ++i)
      piece.orientation[static_cast<int>(i)] = at(part.orientation[i]);
  }
  return pieces;
}

template <class T, class At>
SpatialShape<T> MakeSceneShape(const Shape& shape, const At& at) {
  if (shape.type == ShapeType::kIntersection) {
    SpatialShape<T> out;
    out.type = shape.type;
    IntersectionState state{};
    out.solid = IntersectPieces<T>(PiecesOf<T>(shape, at), state);
    out.present = state == IntersectionState::kSolid;
    return out;
  }
  std::vector<T> numbers;
  for (const NumberId id : shape.numbers) numbers.push_back(at(id));
  return MakeSpatialShape<T>(shape.type, std::span<const T>(numbers));
}

}  // namespace ricochet
