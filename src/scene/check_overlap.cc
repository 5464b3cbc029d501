// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Exact gaps of the initial poses against the surfaces. A half space is entered deepest by a shape's support point
// against the normal, which is known in closed form for every shape here; shapes with corners offer each corner, so
// that a bounded surface sees those that are over it.
#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scene/check_scene.h"
#include "scene/scene_shape.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kTolerance = 1e-3;  // of the body's size

// Planar scenes are handled in the plane z = 0: a pose is then a turn about z, and shapes have no z extent.
struct InitialPose {
  Matrix3d R_WB = Matrix3d::Identity();
  Vector3d p_WB = Vector3d::Zero();
};

InitialPose PoseOf(const Scene& scene, const Initial& initial) {
  InitialPose pose;
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
    case ShapeType::kIntersection: {
      const SpatialShape<double> solid =
          MakeSceneShape<double>(shape, [&](NumberId id) -> const double& { return scene.number(id).value; });
      for (const Vector3d& vertex : solid.solid.vertices) points.push_back(vertex);
      if (points.empty()) points.push_back(SupportPoint(solid.solid, d));
      return points;
    }
    case ShapeType::kHalfSpace:
      break;  // only a part
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

struct PlacedBody {
  const Body* body;
  const Initial* initial;  // null for a fixed body at the origin
  InitialPose pose;
  double size;
};

std::vector<PlacedBody> PlacedBodies(const Scene& scene) {
  std::vector<PlacedBody> placed;
  for (const Body& body : scene.bodies) {
    if (!body.shape) continue;
    const Initial* initial = nullptr;
    for (const Initial& each : scene.initial) {
      if (each.name == body.name) initial = &each;
    }
    if (initial == nullptr && !body.fixed) continue;
    placed.push_back(
        {&body, initial, initial != nullptr ? PoseOf(scene, *initial) : InitialPose{}, SizeOf(scene, *body.shape)});
  }
  return placed;
}

[[noreturn]] void FailOverlap(const Scene& scene, const Initial& initial, double depth, const std::string& other,
                              const Vector3d& normal) {
  const bool planar = scene.space == Space::kPlanar;
  FailAt(scene, initial.position[0], fmt::format("initial.{}.{}", initial.name, planar ? "pose" : "position"),
         fmt::format("the body starts {:.4g} m deep in {}.", depth, other),
         fmt::format("Move it along ({:.4g}, {:.4g}{}), or correct the shapes.", normal.x() + 0.0, normal.y() + 0.0,
                     planar ? "" : fmt::format(", {:.4g}", normal.z() + 0.0)));
}

void CheckAgainstSurface(const Scene& scene, const PlacedBody& placed, const Surface& surface) {
  const SurfaceFrame frame = FrameOf(scene, surface);
  const Vector3d inward_B = -(placed.pose.R_WB.transpose() * frame.normal);
  double gap = std::numeric_limits<double>::infinity();
  for (const Vector3d& p_BQ : DeepestPoints(scene, *placed.body->shape, inward_B)) {
    const Vector3d p_WQ = placed.pose.p_WB + placed.pose.R_WB * p_BQ;
    if (IsOver(scene, surface, frame, p_WQ)) gap = std::min(gap, frame.normal.dot(p_WQ - frame.point));
  }
  if (gap < -kTolerance * placed.size) {
    FailOverlap(scene, *placed.initial, -gap, fmt::format("surface `{}`", surface.name), frame.normal);
  }
}

// Farthest extent of a placed body along n.
double Reach(const Scene& scene, const PlacedBody& placed, const Vector3d& n) {
  double reach = -std::numeric_limits<double>::infinity();
  for (const Vector3d& p_BQ : DeepestPoints(scene, *placed.body->shape, placed.pose.R_WB.transpose() * n)) {
    reach = std::max(reach, n.dot(placed.pose.p_WB + placed.pose.R_WB * p_BQ));
  }
  return reach;
}

// Directions that start the search: evenly over circle or sphere, the axes of both bodies, and from center to center.
std::vector<Vector3d> StartDirections(bool planar, const PlacedBody& a, const PlacedBody& b) {
  std::vector<Vector3d> directions;
  constexpr int kCount = 256;
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < kCount; ++i) {
    const double z = planar ? 0.0 : 1 - (2 * i + 1.0) / kCount;
    const double angle = planar ? 2 * std::numbers::pi * i / kCount : golden * i;
    const double r = std::sqrt(1 - z * z);
    directions.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  for (const PlacedBody* placed : {&a, &b}) {
    for (int i = 0; i < (planar ? 2 : 3); ++i) {
      directions.push_back(placed->pose.R_WB.col(i));
      directions.push_back(-placed->pose.R_WB.col(i));
    }
  }
  const Vector3d between = b.pose.p_WB - a.pose.p_WB;
  if (between.norm() > 0) directions.push_back(between.normalized());
  return directions;
}

void CheckBodies(const Scene& scene, const PlacedBody& a, const PlacedBody& b) {
  const bool planar = scene.space == Space::kPlanar;
  const double tolerance = kTolerance * std::min(a.size, b.size);
  const auto separation = [&](const Vector3d& n) { return -Reach(scene, b, -n) - Reach(scene, a, n); };
  std::vector<std::pair<double, Vector3d>> starts;
  for (const Vector3d& n : StartDirections(planar, a, b)) {
    const double s = separation(n);
    if (!(s < -tolerance)) return;  // apart, or beyond what can be computed
    starts.emplace_back(s, n);
  }
  std::sort(starts.begin(), starts.end(), [](const auto& x, const auto& y) { return x.first > y.first; });
  constexpr std::size_t kRefined = 16;
  for (std::size_t i = 0; i < std::min(kRefined, starts.size()); ++i) {
    auto& [best, n] = starts[i];
    for (double step = 0.1; step > 1e-6;) {
      const Vector3d u = planar ? Vector3d(Vector3d::UnitZ().cross(n)) : n.unitOrthogonal();
      const Vector3d v = planar ? Vector3d::Zero() : Vector3d(n.cross(u));
      bool improved = false;
      for (const Vector3d& direction : {u, Vector3d(-u), v, Vector3d(-v)}) {
        const Vector3d trial = (n + step * direction).normalized();
        const double s = separation(trial);
        if (!(s < -tolerance)) return;
        if (s <= best) continue;
        best = s;
        n = trial;
        improved = true;
        break;
      }
      if (!improved) step /= 2;
    }
  }
  const auto& [depth, n] =
      *std::max_element(starts.begin(), starts.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  // Blame the body that can move, the later one if both can.
  const bool blame_b = !b.body->fixed;
  FailOverlap(scene, blame_b ? *b.initial : *a.initial, -depth, fmt::format("body `{}`", (blame_b ? a : b).body->name),
              blame_b ? n : Vector3d(-n));
}

bool AreJoined(const Scene& scene, const std::string& a, const std::string& b) {
  for (const Joint& joint : scene.joints) {
    if ((joint.parent == a && joint.child == b) || (joint.parent == b && joint.child == a)) return true;
  }
  return false;
}

}  // namespace

void CheckOverlap(const Scene& scene) {
  const std::vector<PlacedBody> placed = PlacedBodies(scene);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (!placed[i].body->fixed) {
      for (const Surface& surface : scene.surfaces) CheckAgainstSurface(scene, placed[i], surface);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const Body &a = *placed[j].body, &b = *placed[i].body;
      if ((a.fixed && b.fixed) || AreJoined(scene, a.name, b.name)) continue;
      CheckBodies(scene, placed[j], placed[i]);
    }
  }
}

}  // namespace ricochet
