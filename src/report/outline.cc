// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "report/outline.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet {
namespace {

using Points = std::vector<std::array<double, 2>>;

double Turn(const std::array<double, 2>& a, const std::array<double, 2>& b, const std::array<double, 2>& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// Convex hull, counter-clockwise (Andrew's monotone chain).
Points Hull(Points points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  if (points.size() < 3) return points;
  Points hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t begin = hull.size();
    for (const auto& point : points) {
      while (hull.size() >= begin + 2 && Turn(hull[hull.size() - 2], hull.back(), point) <= 0) hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

Eigen::Matrix3d Rotation(std::span<const double, 7> pose) {
  return Eigen::Quaterniond(pose[3], pose[4], pose[5], pose[6]).normalized().toRotationMatrix();
}

}  // namespace

Eigen::Vector3d FarthestPoint(const SpatialShape<double>& shape, const Eigen::Vector3d& direction) {
  const Eigen::Vector3d& d = direction;
  switch (shape.type) {
    case ShapeType::kSphere:
    case ShapeType::kEllipsoid: {
      const Eigen::Vector3d scaled = shape.semi_axes.cwiseProduct(d);
      return shape.semi_axes.cwiseProduct(scaled) / scaled.norm();
    }
    case ShapeType::kCylinder: {
      constexpr double kSquare = 1e-2;
      const double along = shape.axis.dot(d);
      const Eigen::Vector3d across = d - along * shape.axis;
      Eigen::Vector3d point = Eigen::Vector3d::Zero();
      if (across.norm() > kSquare) point += shape.radius * across.normalized();
      if (std::abs(along) > kSquare) point += std::copysign(0.5 * shape.length, along) * shape.axis;
      return point;
    }
    default: {
      double most = -std::numeric_limits<double>::infinity(), size = 0;
      for (const Eigen::Vector3d& v : shape.vertices) most = std::max(most, v.dot(d)), size = std::max(size, v.norm());
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      int count = 0;
      for (const Eigen::Vector3d& v : shape.vertices)
        if (v.dot(d) > most - 0.02 * size) sum += v, ++count;
      return count > 0 ? Eigen::Vector3d(sum / count) : sum;
    }
  }
}

std::vector<std::array<double, 2>> OutlineFromAbove(const SpatialShape<double>& shape,
                                                    const SpatialSurface<double>& surface,
                                                    std::span<const double, 7> pose) {
  if (!shape.present) return {};
  const Eigen::Matrix3d R = Rotation(pose);
  const Eigen::Vector3d origin(pose[0], pose[1], pose[2]);
  const auto seen = [&](const Eigen::Vector3d& p_B) {
    const Eigen::Vector3d p = surface.R_WS.transpose() * (origin + R * p_B - surface.point);
    return std::array<double, 2>{p.x(), p.y()};
  };
  Points points;
  for (const Eigen::Vector3d& vertex : shape.vertices) points.push_back(seen(vertex));
  const bool round =
      shape.type == ShapeType::kSphere || shape.type == ShapeType::kEllipsoid || shape.type == ShapeType::kCylinder;
  constexpr int kDirections = 48;
  for (int i = 0; i < kDirections && round; ++i) {
    const double angle = 2 * M_PI * (i + 0.5) / kDirections;
    const Eigen::Vector3d direction = surface.R_WS * Eigen::Vector3d(std::cos(angle), std::sin(angle), 0);
    points.push_back(seen(FarthestPoint(shape, R.transpose() * direction)));
  }
  return Hull(std::move(points));
}

double Heading(const SpatialSurface<double>& surface, std::span<const double, 7> pose) {
  const Eigen::Matrix3d R = surface.R_WS.transpose() * Rotation(pose);
  const int axis = std::abs(R(2, 0)) < 0.8 ? 0 : 1;
  return std::atan2(R(1, axis), R(0, axis));
}

}  // namespace ricochet
