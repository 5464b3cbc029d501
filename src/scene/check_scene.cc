// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "scene/check_scene.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/text.h"
#include "geometry/convex_hull.h"
#include "math/dense.h"
#include "scene/path_pattern.h"
#include "scene/scene_shape.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

// Relative to the size of what is checked: below this, lengths, angles and volumes count as 0.
constexpr double kDegenerate = 1e-9;
// Published moments are rounded to a few digits: the triangle inequality may be missed by this part.
constexpr double kInertiaRounding = 1e-6;

Vector3d VectorAt(const Scene& scene, const std::vector<NumberId>& ids, std::size_t first = 0) {
  return {scene[ids[first]], scene[ids[first + 1]], scene[ids[first + 2]]};
}

std::string ListOf(const Scene& scene, NumberId id) { return std::string(ListPath(scene.number(id).path)); }

void CheckDirection(const Scene& scene, const std::vector<NumberId>& ids, std::size_t first, std::size_t count,
                    const char* what) {
  double square = 0;
  for (std::size_t i = first; i < first + count; ++i) square += scene[ids[i]] * scene[ids[i]];
  if (square < 1e-24 || !std::isfinite(square)) {
    FailAt(scene, ids[first], ListOf(scene, ids[first]),
           fmt::format("{} cannot have {} length.", what, square < 1e-24 ? "zero" : "infinite"),
           count == 4 ? "Give [w, x, y, z]; [1, 0, 0, 0] is no rotation."
                      : "Give a direction; its length does not matter.");
  }
}

void CheckPolygon(const Scene& scene, const Shape& shape) {
  const std::size_t n = shape.numbers.size() / 2;
  std::vector<Vector2d> points;
  for (std::size_t i = 0; i < n; ++i) points.emplace_back(scene[shape.numbers[2 * i]], scene[shape.numbers[2 * i + 1]]);
  double size = 0;
  for (const Vector2d& p : points) size = std::max(size, (p - points[0]).norm());
  const auto fail = [&](std::size_t vertex, std::string problem, std::string remedy) {
    const NumberId id = shape.numbers[2 * vertex];
    const std::string path = scene.number(id).path;
    FailAt(scene, id, path.substr(0, path.rfind('[')), std::move(problem), std::move(remedy));
  };
  double turned = 0, area = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vector2d to = points[(i + 1) % n] - points[i];
    const Vector2d from = points[i] - points[(i + n - 1) % n];
    if (!(to.norm() > kDegenerate * size)) {
      fail((i + 1) % n, "this corner repeats its neighbor.", "Leave one of the two out.");
    }
    const double cross = from.x() * to.y() - from.y() * to.x();
    if (cross < -kDegenerate * from.norm() * to.norm()) {
      fail(i, "the polygon is not convex at this corner.", "Leave the corner out, or check the order of the corners.");
    }
    turned += std::atan2(cross, from.dot(to));
    area += (points[i].x() - points[0].x()) * (points[(i + 1) % n].y() - points[0].y()) -
            (points[i].y() - points[0].y()) * (points[(i + 1) % n].x() - points[0].x());
  }
  if (!(area > kDegenerate * size * size)) {
    fail(0, "the polygon has no area.", "Give corners that do not lie on one line.");
  }
  if (turned > 3 * std::numbers::pi) {
    fail(0, "the polygon winds around more than once.", "Give the corners in order, each once.");
  }
}

void CheckPolytope(const Scene& scene, const Shape& shape) {
  std::vector<Vector3d> points;
  for (std::size_t i = 0; i + 2 < shape.numbers.size(); i += 3) points.push_back(VectorAt(scene, shape.numbers, i));
  if (!ComputeConvexHull(points)) {
    FailAt(scene, shape.numbers[0], ListOf(scene, shape.numbers[0]), "the corners enclose no volume.",
           "Give corners that do not lie in one plane.");
  }
}

void CheckShape(const Scene& scene, const Shape& shape) {
  if (shape.type == ShapeType::kPolygon) CheckPolygon(scene, shape);
  if (shape.type == ShapeType::kPolytope) CheckPolytope(scene, shape);
  if (shape.type == ShapeType::kCylinder) CheckDirection(scene, shape.numbers, 2, 3, "an axis");
  if (shape.type == ShapeType::kHalfSpace) CheckDirection(scene, shape.numbers, 3, 3, "a normal");
}

void CheckIntersection(const Scene& scene, const Body& body) {
  const Shape& shape = *body.shape;
  for (const ShapePart& part : shape.parts) {
    CheckShape(scene, part.shape);
    if (!part.orientation.empty()) CheckDirection(scene, part.orientation, 0, 4, "a quaternion");
  }
  IntersectionState state{};
  IntersectPieces<double>(PiecesOf<double>(shape, [&](NumberId id) -> const double& { return scene.number(id).value; }),
                          state);
  const std::string path = fmt::format("bodies.{}.shape.intersection", body.name);
  if (state == IntersectionState::kEmpty)
    throw InputError(shape.where, path, "the parts have no volume in common.",
                     "Check positions, and that normals of half spaces point outward.");
  if (state == IntersectionState::kUnbounded)
    throw InputError(shape.where, path, "the parts do not enclose a volume: it reaches to infinity.",
                     "Add half spaces, or a box, until it is closed on all sides.");
}

void CheckFrame(const Scene& scene, const JointFrame& frame) {
  if (!frame.axis.empty()) CheckDirection(scene, frame.axis, 0, 3, "an axis");
  if (!frame.zero.empty()) CheckDirection(scene, frame.zero, 0, 3, "a direction");
  if (frame.axis.empty() || frame.zero.empty()) return;
  const Vector3d axis = VectorAt(scene, frame.axis).normalized(), zero = VectorAt(scene, frame.zero).normalized();
  if (!(axis.cross(zero).norm() > 1e-6)) {
    FailAt(scene, frame.zero[0], ListOf(scene, frame.zero[0]), "is parallel to the axis, so it cannot mark an angle.",
           "Give a direction across the axis.");
  }
}

void CheckOrder(const Scene& scene, NumberId low, NumberId high, const char* what) {
  if (!low || !high || scene[low] < scene[high]) return;
  FailAt(scene, high, scene.number(high).path,
         fmt::format("{:.6g} is not above {:.6g}, where the {} begins.", scene[high], scene[low], what),
         "Put the smaller value first.");
}

}  // namespace

void FailAt(const Scene& scene, NumberId id, std::string path, std::string problem, std::string remedy) {
  throw InputError(scene.number(id).where, std::move(path), std::move(problem), std::move(remedy));
}

void CheckShapes(const Scene& scene) {
  for (const Body& body : scene.bodies) {
    if (!body.shape) continue;
    const Shape& shape = *body.shape;
    CheckShape(scene, shape);
    if (shape.type == ShapeType::kIntersection) CheckIntersection(scene, body);
  }
}

void CheckInertias(const Scene& scene) {
  for (const Body& body : scene.bodies) {
    if (body.inertia.size() < 3) continue;
    const NumberId first = body.inertia[0];
    const std::string path = ListOf(scene, first);
    Vector3d moments = VectorAt(scene, body.inertia);
    const bool full = body.inertia.size() == 6;
    if (full) {
      const Vector3d products = VectorAt(scene, body.inertia, 3);
      Matrix3d matrix;
      matrix << moments.x(), products.x(), products.y(), products.x(), moments.y(), products.z(), products.y(),
          products.z(), moments.z();
      moments = EigenOfSymmetric(matrix).values;
    } else {
      std::sort(moments.begin(), moments.end());
    }
    const std::string shown = fmt::format("{:.6g}, {:.6g}, {:.6g} kg m^2", moments[0], moments[1], moments[2]);
    const char* remedy = body.shape ? "Correct them, or leave `inertia` out for uniform density." : "Correct them.";
    if (!(moments[0] > 0) || !moments.allFinite()) {
      FailAt(scene, first, path,
             fmt::format("the matrix has the principal moments {}, and a moment of inertia must be positive.", shown),
             remedy);
    }
    if (moments[2] > (moments[0] + moments[1]) * (1 + kInertiaRounding)) {
      FailAt(scene, first, path,
             fmt::format("{}{} cannot belong to a rigid body: the largest moment exceeds the sum of the others.",
                         full ? "the principal moments " : "", shown),
             remedy);
    }
  }
}

// A surface runs within itself (a conveyor); it does not move as a whole. A velocity nearer to the surface than to its
// normal is allowed: planes are measured and estimated.
void CheckSurfaceVelocity(const Scene& scene, const Surface& surface) {
  Vector3d velocity = Vector3d::Zero(), normal = Vector3d::Zero();
  for (std::size_t i = 0; i < surface.velocity.size(); ++i) velocity[static_cast<int>(i)] = scene[surface.velocity[i]];
  if (surface.normal.empty()) {
    normal.head<2>() << -std::sin(scene[surface.angle]), std::cos(scene[surface.angle]);
  } else {
    normal = VectorAt(scene, surface.normal).normalized();
  }
  const double off = normal.dot(velocity);
  if (std::abs(off) <= std::sqrt(0.5) * velocity.norm()) return;
  const SceneNumber& number = scene.number(surface.velocity[0]);
  throw InputError(
      number.where.line > 0 ? number.where : surface.where, "surfaces." + surface.name + ".velocity",
      fmt::format("{} m/s along the normal is not supported: a surface moves only within itself, like a conveyor.",
                  FormatDouble(off)),
      "Give a velocity along the surface.");
}

void CheckScene(const Scene& scene) {
  CheckShapes(scene);
  CheckInertias(scene);
  for (const Surface& surface : scene.surfaces) {
    if (!surface.normal.empty()) CheckDirection(scene, surface.normal, 0, 3, "a normal");
    CheckSurfaceVelocity(scene, surface);
    for (std::size_t i = 0; i + 1 < surface.extent.size(); i += 2) {
      CheckOrder(scene, surface.extent[i], surface.extent[i + 1], "extent");
    }
  }
  for (const Joint& joint : scene.joints) {
    CheckFrame(scene, joint.parent_frame);
    CheckFrame(scene, joint.child_frame);
    for (int i = 0; joint.limits && i < 2; ++i) {
      const NumberId lower = joint.limits->lower[i], upper = joint.limits->upper[i];
      if (lower && upper) CheckOrder(scene, lower, upper, "range");
    }
  }
  for (const Initial& initial : scene.initial) {
    if (initial.orientation.size() == 4) CheckDirection(scene, initial.orientation, 0, 4, "a quaternion");
  }
  for (const Action& action : scene.actions) CheckOrder(scene, action.from, action.until, "load");
  CheckOverlap(scene);
}

}  // namespace ricochet
