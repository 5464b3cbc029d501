// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_intersection.h"

#include "geometry/convex_hull.h"

namespace ricochet {

bool NormalsClose(std::span<const Eigen::Vector3d> normals) {
  const std::optional<ConvexHull> hull = ComputeConvexHull(normals);
  if (!hull) return false;
  return std::all_of(hull->faces.begin(), hull->faces.end(), [](const HullFace& face) { return face.offset > 1e-9; });
}

std::optional<Eigen::Vector3d> FindInside(const ConvexSolid<double>& solid, const Eigen::Vector3d& center,
                                          double reach) {
  if (solid.MaxValue(center) < -1e-3 * reach) return center;
  ConvexSolid<double> ball = MakeSphereSolid<double>(2 * reach);
  ball.Translate(center);
  ConvexSolid<double> bounded = solid;
  bounded.inside = center;
  bounded.radius = reach;
  OverlapWorkspace workspace;
  Overlap overlap;
  DeepestPoint({.solid = &bounded}, {.solid = &ball}, workspace, overlap);
  if (!(overlap.depth > 1e-9 * reach)) return std::nullopt;
  return overlap.point;
}

}  // namespace ricochet
