// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_hull.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace ricochet {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kWidestTolerance = 1e-5;

/// Corners of the convex hull of points in the plane, counter-clockwise (Andrew 1979). Points within `tolerance` of a
/// side are left out.
std::vector<int> PlanarHull(const std::vector<Vector2d>& points, double tolerance) {
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) {
    return std::pair(points[i].x(), points[i].y()) < std::pair(points[j].x(), points[j].y());
  });
  const auto half = [&](const std::vector<int>& sequence) {
    std::vector<int> chain;
    for (const int c : sequence) {
      while (chain.size() >= 2) {
        const Vector2d side = points[c] - points[chain[chain.size() - 2]];
        const Vector2d middle = points[chain.back()] - points[chain[chain.size() - 2]];
        if (middle.x() * side.y() - middle.y() * side.x() > tolerance * side.norm()) break;
        chain.pop_back();
      }
      chain.push_back(c);
    }
    chain.pop_back();
    return chain;
  };
  std::vector<int> loop = half(order);
  std::reverse(order.begin(), order.end());
  const std::vector<int> upper = half(order);
  loop.insert(loop.end(), upper.begin(), upper.end());
  return loop;
}

class Wrapping {
 public:
  Wrapping(std::span<const Vector3d> points, double size, double tolerance)
      : points_(points), size_(size), tolerance_(tolerance * size) {
    // Of points at the same place the first stands for all.
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      const bool repeated = std::any_of(candidates_.begin(), candidates_.end(),
                                        [&](int j) { return (points_[i] - points_[j]).norm() <= tolerance_; });
      if (!repeated) candidates_.push_back(i);
    }
  }

  std::optional<ConvexHull> Run() {
    if (candidates_.size() < 4 || !AddFirstFace()) return std::nullopt;
    for (size_t face = 0; face < faces_.size(); ++face) {
      for (size_t k = 0; k < faces_[face].corners.size(); ++k) {
        const std::vector<int>& loop = faces_[face].corners;
        const int i = loop[k], j = loop[(k + 1) % loop.size()];
        if (face_left_of_.count({j, i}) == 0 && !AddNeighbor(static_cast<int>(face), i, j)) return std::nullopt;
      }
    }
    return Close();
  }

 private:
  /// The largest triangle at an extreme point that has all other points on one side.
  bool AddFirstFace() {
    const int a = *std::min_element(candidates_.begin(), candidates_.end(),
                                    [&](int i, int j) { return points_[i].x() < points_[j].x(); });
    double largest = tolerance_ * size_;
    Vector3d normal = Vector3d::Zero();
    for (const int b : candidates_) {
      for (const int c : candidates_) {
        const Vector3d cross = (points_[b] - points_[a]).cross(points_[c] - points_[a]);
        const double area = cross.norm();
        if (area <= largest) continue;
        const Vector3d n = cross / area;
        const bool supports = std::all_of(candidates_.begin(), candidates_.end(),
                                          [&](int i) { return n.dot(points_[i] - points_[a]) <= tolerance_; });
        if (!supports) continue;
        largest = area;
        normal = n;
      }
    }
    return largest > tolerance_ * size_ && AddFace(normal, points_[a]);
  }

  /// The face beyond the edge i -> j of a face. In the plane across the edge, u points from the edge into the face and
  /// h inwards from it; the new face is the point of largest angle atan2(h, u). Points far from the edge go first, and
  /// a nearer one replaces them only if they would leave it outside by more than the tolerance: a point near the edge
  /// cannot determine a plane.
  bool AddNeighbor(int face, int i, int j) {
    const Vector3d n = faces_[face].normal, origin = points_[i];
    Vector3d e = points_[j] - origin;
    e -= n * n.dot(e);
    e.normalize();
    const Vector3d inward = n.cross(e);
    std::vector<Vector3d> across;  // u, h, distance
    for (const int p : candidates_) {
      const double u = inward.dot(points_[p] - origin), h = -n.dot(points_[p] - origin);
      if (h > tolerance_) across.emplace_back(u, h, std::hypot(u, h));
    }
    if (across.empty()) return false;
    std::sort(across.begin(), across.end(), [](const Vector3d& x, const Vector3d& y) { return x[2] > y[2]; });
    Vector3d best = across[0];
    for (const Vector3d& p : across) {
      if (best[0] * p[1] - best[1] * p[0] > tolerance_ * best[2]) best = p;
    }
    const Vector3d direction = (best[0] * inward - best[1] * n) / best[2];
    return AddFace(direction.cross(e).normalized(), origin) && face_left_of_.count({j, i}) != 0;
  }

  /// The face of all points near the plane. False when one of its edges has a face already.
  bool AddFace(const Vector3d& normal, const Vector3d& origin) {
    const Vector3d x = normal.unitOrthogonal(), y = normal.cross(x);
    std::vector<int> members;
    std::vector<Vector2d> in_plane;
    for (const int p : candidates_) {
      const Vector3d d = points_[p] - origin;
      if (std::abs(normal.dot(d)) > tolerance_) continue;
      members.push_back(p);
      in_plane.emplace_back(x.dot(d), y.dot(d));
    }
    HullFace face;
    for (const int k : PlanarHull(in_plane, tolerance_)) face.corners.push_back(members[k]);
    const size_t count = face.corners.size();
    if (count < 3) return false;

    // Newell's normal uses all corners, and the offset is their mean.
    Vector3d twice_area = Vector3d::Zero(), mean = Vector3d::Zero();
    for (size_t k = 0; k < count; ++k) {
      const Vector3d a = points_[face.corners[k]] - origin, b = points_[face.corners[(k + 1) % count]] - origin;
      twice_area += a.cross(b);
      mean += a / static_cast<double>(count);
    }
    face.normal = twice_area.normalized();
    face.offset = face.normal.dot(origin + mean);
    for (size_t k = 0; k < count; ++k) {
      const std::pair edge(face.corners[k], face.corners[(k + 1) % count]);
      if (!face_left_of_.emplace(edge, static_cast<int>(faces_.size())).second) return false;
    }
    faces_.push_back(std::move(face));
    return true;
  }

  std::optional<ConvexHull> Close() {
    ConvexHull hull;
    for (const auto& [edge, face] : face_left_of_) {
      const auto [i, j] = edge;
      const auto other = face_left_of_.find({j, i});
      if (other == face_left_of_.end()) return std::nullopt;
      if (i < j) hull.edges.push_back({{i, j}, face, other->second});
      hull.corners.push_back(i);
    }
    std::sort(hull.corners.begin(), hull.corners.end());
    hull.corners.erase(std::unique(hull.corners.begin(), hull.corners.end()), hull.corners.end());
    hull.faces = std::move(faces_);
    if (hull.corners.size() + hull.faces.size() != hull.edges.size() + 2) return std::nullopt;
    return hull;
  }

  std::span<const Vector3d> points_;
  double size_, tolerance_;  // [m]
  std::vector<int> candidates_;
  std::vector<HullFace> faces_;
  std::map<std::pair<int, int>, int> face_left_of_;  // of a directed edge
};

}  // namespace

std::optional<ConvexHull> ComputeConvexHull(std::span<const Vector3d> points, double tolerance) {
  double size = 0;
  for (const Vector3d& p : points) size = std::max(size, (p - points[0]).norm());
  if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
  for (; tolerance <= kWidestTolerance; tolerance *= 10) {
    if (auto hull = Wrapping(points, size, tolerance).Run()) return hull;
  }
  return std::nullopt;
}

ConvexHull BoxHull(const Vector3d& size) {
  struct Side {
    int axis;
    double sign;
    std::array<int, 4> corners;
  };
  constexpr std::array<Side, 6> kSides = {{{0, -1, {0, 4, 5, 1}},
                                           {0, 1, {3, 2, 6, 7}},
                                           {1, -1, {0, 3, 7, 4}},
                                           {1, 1, {1, 5, 6, 2}},
                                           {2, -1, {0, 1, 2, 3}},
                                           {2, 1, {4, 7, 6, 5}}}};
  ConvexHull hull;
  hull.corners.resize(8);
  std::iota(hull.corners.begin(), hull.corners.end(), 0);
  for (const Side& side : kSides) {
    hull.faces.push_back({side.sign * Vector3d::Unit(side.axis), 0.5 * size[side.axis],
                          std::vector<int>(side.corners.begin(), side.corners.end())});
  }
  // Every edge is met twice, once in each direction.
  for (int left = 0; left < 6; ++left) {
    for (int k = 0; k < 4; ++k) {
      const int i = kSides[left].corners[k], j = kSides[left].corners[(k + 1) % 4];
      if (i > j) continue;
      for (int right = 0; right < 6; ++right) {
        for (int m = 0; m < 4; ++m) {
          if (kSides[right].corners[m] == j && kSides[right].corners[(m + 1) % 4] == i) {
            hull.edges.push_back({{i, j}, left, right});
          }
        }
      }
    }
  }
  return hull;
}

}  // namespace ricochet
