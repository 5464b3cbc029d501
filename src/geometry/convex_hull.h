// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Convex hull of points in space, with whole planar faces.
//
// Contact needs polygons, not triangles: a cube has 6 faces, 12 edges and 8 corners, however its points were rounded.
// So the hull is built by wrapping (Chand and Kapur 1970): from an edge of a known face, the plane is turned about the
// edge until it meets the first point; all points within `tolerance` of that plane make the new face, whose loop is
// their convex hull in the plane. Points inside faces or edges, and repeated points, are no corners. The cost is
// (number of edges) x (number of points): meant for up to some hundred points.
//
// Points that lie within the tolerance of several planes that are not quite the same can leave faces that do not close.
// That is checked (every edge has two faces, Euler's V - E + F = 2), and then the tolerance is widened tenfold, at most
// to 1e-5 of the size.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace ricochet {

struct HullFace {
  Eigen::Vector3d normal;    // unit, outward
  double offset = 0;         // normal . x = offset on the face, less inside [m]
  std::vector<int> corners;  // indices of points, counter-clockwise seen from outside
};

/// An edge runs along the loop of `left` from corners[0] to corners[1], and against that of `right`.
struct HullEdge {
  std::array<int, 2> corners{};
  int left = 0, right = 0;  // indices of faces
};

struct ConvexHull {
  std::vector<int> corners;  // indices of the points that are corners, ascending
  std::vector<HullFace> faces;
  std::vector<HullEdge> edges;
};

/// Nothing when the points do not enclose a volume. `tolerance` is relative to the largest distance from the first
/// point.
std::optional<ConvexHull> ComputeConvexHull(std::span<const Eigen::Vector3d> points, double tolerance = 1e-9);

/// The hull of the box of full lengths `size` about the origin, whatever their ratios. Corners are numbered (-,-),
/// (-,+),
/// (+,+), (+,-) in x, y at -z, then the same at +z.
ConvexHull BoxHull(const Eigen::Vector3d& size);

}  // namespace ricochet
