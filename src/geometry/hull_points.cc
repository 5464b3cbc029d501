// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/hull_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>

#include "geometry/convex_hull.h"

namespace ricochet {
namespace {

/// Indices of the outermost points along directions.
std::set<std::size_t> Outermost(std::span<const Eigen::Vector3d> points, std::span<const Eigen::Vector3d> directions) {
  std::set<std::size_t> found;
  for (const Eigen::Vector3d& direction : directions) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < points.size(); ++i)
      if (direction.dot(points[i]) > direction.dot(points[best])) best = i;
    found.insert(best);
  }
  return found;
}

/// Directions of the faces, edges and corners of a cube.
std::vector<Eigen::Vector3d> CubeDirections() {
  std::vector<Eigen::Vector3d> directions;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z)
        if (x != 0 || y != 0 || z != 0) directions.emplace_back(x, y, z);
  return directions;
}

/// Directions spread evenly over the sphere (Fibonacci).
std::vector<Eigen::Vector3d> SphereDirections(int count) {
  std::vector<Eigen::Vector3d> directions;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2 * i + 1.0) / count, turn = 2 * std::numbers::pi * i / std::numbers::phi;
    directions.emplace_back(std::sqrt(1 - z * z) * std::cos(turn), std::sqrt(1 - z * z) * std::sin(turn), z);
  }
  return directions;
}

/// The distance that a point is outside a hull: beyond the face that it is farthest from.
double Outside(const ConvexHull& hull, const Eigen::Vector3d& point) {
  double distance = -HUGE_VAL;
  for (const HullFace& face : hull.faces) distance = std::max(distance, face.normal.dot(point) - face.offset);
  return distance;
}

}  // namespace

HullPoints ChooseHullPoints(std::span<const Eigen::Vector3d> points, std::size_t most, double tolerance) {
  if (points.size() < 4) return {};
  Eigen::Vector3d low = points[0], high = points[0];
  for (const Eigen::Vector3d& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  const double size = (high - low).norm();
  // Many points are first reduced to those that are outermost along some direction.
  constexpr std::size_t kMany = 2000;
  constexpr int kDirections = 600;
  const std::vector<Eigen::Vector3d> cube = CubeDirections();
  std::set<std::size_t> chosen = Outermost(points, cube);
  std::vector<std::size_t> candidates;
  if (points.size() > kMany) {
    const std::set<std::size_t> outer = Outermost(points, SphereDirections(kDirections));
    candidates.assign(outer.begin(), outer.end());
  } else {
    for (std::size_t i = 0; i < points.size(); ++i) candidates.push_back(i);
  }
  HullPoints result;
  while (true) {
    std::vector<Eigen::Vector3d> picked;
    for (const std::size_t i : chosen) picked.push_back(points[i]);
    const std::optional<ConvexHull> hull = ComputeConvexHull(picked);
    double farthest = tolerance * size;
    std::size_t next = points.size();
    for (const std::size_t i : candidates) {
      // Without a volume, any point that is not there yet may make one.
      const double distance = chosen.contains(i) ? -1 : hull ? Outside(*hull, points[i]) : size;
      if (distance > farthest) {
        farthest = distance;
        next = i;
      }
    }
    if (next != points.size() && chosen.size() < most) {
      chosen.insert(next);
      continue;
    }
    if (!hull) return {};
    for (const int corner : hull->corners) result.points.push_back(picked[static_cast<std::size_t>(corner)]);
    for (const Eigen::Vector3d& point : points) result.outside = std::max(result.outside, Outside(*hull, point));
    return result;
  }
}

}  // namespace ricochet
