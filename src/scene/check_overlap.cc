// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Exact gaps of the initial poses against the surfaces. A half space is entered deepest by a shape's support point
// against the normal, which is known in closed form for every shape here; shapes with corners offer each corner, so
// that a bounded surface sees those that are over it.
#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "scene/check_scene.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Planar scenes are handled in the plane z = 0: a pose is then a turn about z, and shapes have no z extent.
struct Pose {
  Matrix3d R_WB = Matrix3d::Identity();
  Vector3d p_WB = Vector3d::Zero();
};

Pose PoseOf(const Scene& scene, const Initial& initial) {
  Pose pose;
  for (std::size_t i = 0; i < initial.position.size(); ++i) {
    pose.p_WB[static_cast<Eigen::Index>(i)] = scene[initial.position[i]];
  }
  const auto q = [&](std::size_t i) { return scene[initial.orientation[i]]; };
  if (initial.orientation.size() == 1) {
    pose.R_WB = Eigen::AngleAxisd(q(0), Vector3d::UnitZ()).toRotationMatrix();
  } else {
    pose.R_WB = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).normalized().toRotationMatrix();
  }
  return pose;
}

// Points of the shape, in B, that can be deepest against a half space with the inward direction d (unit, in B).
std::vector<Vector3d> DeepestPoints(const Scene& scene, const Shape& shape, const Vector3d& d) {
  const auto number = [&](std::size_t i) { return scene[shape.numbers[i]]; };
  std::vector<Vector3d> points;
  switch (shape.type) {
    case ShapeType::kCircle:
    case ShapeType::kSphere:
      return {number(0) * d};
    case ShapeType::kEllipse:
    case ShapeType::kEllipsoid: {
      const Vector3d axes(number(0), number(1), shape.type == ShapeType::kEllipsoid ? number(2) : 0.0);
      const Vector3d stretched = axes.cwiseProduct(d);
      return {axes.cwiseProduct(stretched) / stretched.norm()};
    }
    case ShapeType::kRectangle:
    case ShapeType::kBox: {
      const bool box = shape.type == ShapeType::kBox;
      for (int corner = 0; corner < (box ? 8 : 4); ++corner) {
        const auto half = [&](int i) { return ((corner >> i) & 1 ? 0.5 : -0.5) * number(static_cast<std::size_t>(i)); };
        points.emplace_back(half(0), half(1), box ? half(2) : 0.0);
      }
      return points;
    }
    case ShapeType::kCylinder: {
      const Vector3d axis = Vector3d(number(2), number(3), number(4)).normalized();
      const Vector3d across = d - d.dot(axis) * axis;
      // A cylinder that stands upright is deepest on the whole rim; any point of it will do.
      const Vector3d rim = number(0) * (across.norm() > 1e-12 ? Vector3d(across.normalized()) : axis.unitOrthogonal());
      return {rim + 0.5 * number(1) * axis, rim - 0.5 * number(1) * axis};
    }
    case ShapeType::kPolygon:
      for (std::size_t i = 0; i + 1 < shape.numbers.size(); i += 2) points.emplace_back(number(i), number(i + 1), 0.0);
      return points;
    case ShapeType::kPolytope:
      for (std::size_t i = 0; i + 2 < shape.numbers.size(); i += 3) {
        points.emplace_back(number(i), number(i + 1), number(i + 2));
      }
      return points;
  }
  return points;
}

// Largest width along the coordinate axes of the body.
double SizeOf(const Scene& scene, const Shape& shape) {
  double size = 0;
  for (int i = 0; i < 3; ++i) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double sign : {1.0, -1.0}) {
      if (i == 2 && scene.space == Space::kPlanar) continue;
      for (const Vector3d& point : DeepestPoints(scene, shape, sign * Vector3d::Unit(i))) {
        low = std::min(low, point[i]);
        high = std::max(high, point[i]);
      }
    }
    size = std::max(size, high - low);
  }
  return size;
}

struct SurfaceFrame {
  Vector3d point, x, y, normal;
};

SurfaceFrame FrameOf(const Scene& scene, const Surface& surface) {
  SurfaceFrame frame;
  const auto at = [&](NumberId id) { return scene[id]; };
  if (scene.space == Space::kPlanar) {
    const double angle = at(surface.angle);
    frame.point = {at(surface.point[0]), at(surface.point[1]), 0};
    frame.x = {std::cos(angle), std::sin(angle), 0};
    frame.y = Vector3d::UnitZ();
    frame.normal = {-std::sin(angle), std::cos(angle), 0};
    return frame;
  }
  frame.point = {at(surface.point[0]), at(surface.point[1]), at(surface.point[2])};
  frame.normal = Vector3d(at(surface.normal[0]), at(surface.normal[1]), at(surface.normal[2])).normalized();
  const auto projected = [&](const Vector3d& v) { return Vector3d(v - v.dot(frame.normal) * frame.normal); };
  Vector3d x = projected(Vector3d::UnitX());
  if (x.norm() < 0.5) x = projected(Vector3d::UnitY());
  frame.x = x.normalized();
  frame.y = frame.normal.cross(frame.x);
  return frame;
}

bool IsOver(const Scene& scene, const Surface& surface, const SurfaceFrame& frame, const Vector3d& point) {
  if (surface.extent.empty()) return true;
  const auto within = [&](std::size_t i, const Vector3d& axis) {
    const double s = axis.dot(point - frame.point);
    return s >= scene[surface.extent[i]] && s <= scene[surface.extent[i + 1]];
  };
  return within(0, frame.x) && (surface.extent.size() < 4 || within(2, frame.y));
}

}  // namespace

void CheckOverlap(const Scene& scene) {
  constexpr double kTolerance = 1e-3;  // of the body's size
  for (const Initial& initial : scene.initial) {
    const int index = scene.BodyIndex(initial.name);
    if (index < 0) continue;
    const Body& body = scene.bodies[static_cast<std::size_t>(index)];
    if (!body.shape || body.fixed) continue;
    const Pose pose = PoseOf(scene, initial);
    const double size = SizeOf(scene, *body.shape);
    for (const Surface& surface : scene.surfaces) {
      const SurfaceFrame frame = FrameOf(scene, surface);
      const Vector3d inward_B = -(pose.R_WB.transpose() * frame.normal);
      double gap = std::numeric_limits<double>::infinity();
      for (const Vector3d& p_BQ : DeepestPoints(scene, *body.shape, inward_B)) {
        const Vector3d p_WQ = pose.p_WB + pose.R_WB * p_BQ;
        if (IsOver(scene, surface, frame, p_WQ)) gap = std::min(gap, frame.normal.dot(p_WQ - frame.point));
      }
      if (gap < -kTolerance * size) {
        FailAt(scene, initial.position[0],
               fmt::format("initial.{}.{}", initial.name, scene.space == Space::kPlanar ? "pose" : "position"),
               fmt::format("the body starts {:.4g} m deep in surface `{}`.", -gap, surface.name),
               fmt::format("Move it out along the normal ({:.4g}, {:.4g}{}), or correct shape or surface.",
                           frame.normal.x() + 0.0, frame.normal.y() + 0.0,
                           scene.space == Space::kPlanar ? "" : fmt::format(", {:.4g}", frame.normal.z() + 0.0)));
      }
    }
  }
}

}  // namespace ricochet
