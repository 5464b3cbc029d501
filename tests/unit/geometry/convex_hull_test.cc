// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_hull.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "math/so3.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

Points Cube() {
  Points points;
  for (const double x : {-1, 1}) {
    for (const double y : {-1, 1}) {
      for (const double z : {-1, 1}) points.emplace_back(x, y, z);
    }
  }
  return points;
}

Points Prism(int sides, double height) {
  Points points;
  for (int i = 0; i < sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides;
    for (const double z : {-0.5, 0.5}) points.emplace_back(std::cos(angle), std::sin(angle), z * height);
  }
  return points;
}

Points Dodecahedron() {
  const double g = std::numbers::phi;
  Points points = Cube();
  for (const double a : {-1 / g, 1 / g}) {
    for (const double b : {-g, g}) {
      points.emplace_back(0, a, b);
      points.emplace_back(a, b, 0);
      points.emplace_back(b, 0, a);
    }
  }
  return points;
}

// Turned, shrunk or blown up and moved, so that no coordinate is round.
Points Moved(const Points& points, RandomVectors& random) {
  const Eigen::Matrix3d R = RotationMatrix<double>(random.Rotation());
  const double scale = random.LogUniform(1e-3, 1e3);
  const Vector3d shift = scale * random.Vector<3>();
  Points moved;
  for (const Vector3d& p : points) moved.push_back(scale * (R * p) + shift);
  return moved;
}

double SizeOf(const Points& points) {
  double size = 0;
  for (const Vector3d& p : points) size = std::max(size, (p - points[0]).norm());
  return size;
}

// What every hull must satisfy, from its definition alone.
void ExpectConvexHull(const ConvexHull& hull, const Points& points) {
  const double tolerance = 2e-9 * SizeOf(points);
  EXPECT_EQ(hull.corners.size() + hull.faces.size(), hull.edges.size() + 2);
  std::set<int> seen;
  for (size_t f = 0; f < hull.faces.size(); ++f) {
    const HullFace& face = hull.faces[f];
    EXPECT_NEAR(face.normal.norm(), 1, 1e-14);
    for (const Vector3d& p : points) ASSERT_LE(face.normal.dot(p) - face.offset, tolerance);
    const size_t n = face.corners.size();
    for (size_t k = 0; k < n; ++k) {
      const Vector3d a = points[face.corners[k]], b = points[face.corners[(k + 1) % n]],
                     c = points[face.corners[(k + 2) % n]];
      ASSERT_NEAR(face.normal.dot(a), face.offset, tolerance);
      ASSERT_GT(face.normal.dot((b - a).cross(c - b)), 0) << "not counter-clockwise and convex";
      seen.insert(face.corners[k]);
      // The edge is listed, and once.
      const int i = face.corners[k], j = face.corners[(k + 1) % n];
      const auto count = std::count_if(hull.edges.begin(), hull.edges.end(), [&](const HullEdge& edge) {
        return (edge.corners[0] == i && edge.corners[1] == j && edge.left == static_cast<int>(f)) ||
               (edge.corners[0] == j && edge.corners[1] == i && edge.right == static_cast<int>(f));
      });
      ASSERT_EQ(count, 1);
    }
  }
  EXPECT_EQ(std::vector<int>(seen.begin(), seen.end()), hull.corners);
}

void ExpectCounts(const Points& points, size_t corners, size_t faces, size_t edges) {
  const auto hull = ComputeConvexHull(points);
  ASSERT_TRUE(hull.has_value());
  EXPECT_EQ(hull->corners.size(), corners);
  EXPECT_EQ(hull->faces.size(), faces);
  EXPECT_EQ(hull->edges.size(), edges);
  ExpectConvexHull(*hull, points);
}

TEST(ConvexHullTest, SolidsHaveWholeFacesInAnyPose) {
  ExpectCounts(Cube(), 8, 6, 12);
  ExpectCounts(Prism(6, 2), 12, 8, 18);
  RandomVectors random(1);
  for (int i = 0; i < 50; ++i) {
    ExpectCounts(Moved(Cube(), random), 8, 6, 12);
    ExpectCounts(Moved(Dodecahedron(), random), 20, 12, 30);
    ExpectCounts(Moved({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, random), 4, 4, 6);
    ExpectCounts(Moved(Prism(5, 1e-3), random), 10, 7, 15);  // a thin plate
    ExpectCounts(Moved(Prism(3, 1e3), random), 6, 5, 9);     // a needle
  }
  ExpectCounts(Moved(Prism(64, 0.3), random), 128, 66, 192);
}

TEST(ConvexHullTest, BoxIsTheHullOfItsCorners) {
  const Vector3d size(0.2, 0.4, 1e-13);
  const ConvexHull box = BoxHull(size);
  Points corners;
  for (const double z : {-0.5, 0.5}) {
    for (const auto& [x, y] : {std::pair(-0.5, -0.5), {-0.5, 0.5}, {0.5, 0.5}, {0.5, -0.5}}) {
      corners.push_back(size.cwiseProduct(Vector3d(x, y, z)));
    }
  }
  EXPECT_EQ(box.faces.size(), 6);
  EXPECT_EQ(box.edges.size(), 12);
  ExpectConvexHull(box, corners);
}

TEST(ConvexHullTest, PointsInFacesOnEdgesInsideAndRepeatedAreNoCorners) {
  Points grid;
  for (int x = 0; x <= 5; ++x) {
    for (int y = 0; y <= 5; ++y) {
      for (int z = 0; z <= 5; ++z) grid.emplace_back(0.1 * x, 0.1 * y, 0.1 * z);
    }
  }
  ExpectCounts(grid, 8, 6, 12);
  RandomVectors random(2);
  for (int i = 0; i < 10; ++i) ExpectCounts(Moved(grid, random), 8, 6, 12);
  Points twice = Cube();
  twice.insert(twice.end(), twice.begin(), twice.begin() + 4);
  ExpectCounts(twice, 8, 6, 12);
  EXPECT_EQ(ComputeConvexHull(twice)->corners.back(), 7);  // the first of the repeated ones
}

TEST(ConvexHullTest, RandomPointsOnASphereAreAllCorners) {
  RandomVectors random(3);
  for (const int count : {4, 10, 50, 300}) {
    Points points;
    for (int i = 0; i < count; ++i) points.push_back(random.Direction<3>());
    const auto hull = ComputeConvexHull(points);
    ASSERT_TRUE(hull.has_value());
    EXPECT_EQ(hull->corners.size(), points.size());
    EXPECT_EQ(hull->faces.size(), 2 * points.size() - 4);
    ExpectConvexHull(*hull, points);
  }
}

TEST(ConvexHullTest, RandomPointsInABall) {
  RandomVectors random(4);
  for (int i = 0; i < 50; ++i) {
    Points points;
    for (int k = 0; k < 40; ++k) points.push_back(random.Uniform(0, 1) * random.Direction<3>());
    const auto hull = ComputeConvexHull(points);
    ASSERT_TRUE(hull.has_value());
    ExpectConvexHull(*hull, points);
  }
}

// Corners written with few digits are not quite in one plane: whichever faces come out, they close.
TEST(ConvexHullTest, RoundedCornersStillClose) {
  RandomVectors random(5);
  for (const double rounding : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12}) {
    for (int i = 0; i < 20; ++i) {
      Points points = Dodecahedron();
      for (Vector3d& p : points) p += rounding * random.Vector<3>();
      const auto hull = ComputeConvexHull(points);
      ASSERT_TRUE(hull.has_value()) << rounding;
      EXPECT_EQ(hull->corners.size(), 20);
      EXPECT_EQ(hull->corners.size() + hull->faces.size(), hull->edges.size() + 2);
    }
  }
}

TEST(ConvexHullTest, NoVolumeNoHull) {
  EXPECT_FALSE(ComputeConvexHull({}).has_value());
  EXPECT_FALSE(ComputeConvexHull(Points{{1, 2, 3}}).has_value());
  EXPECT_FALSE(ComputeConvexHull(Points(7, Vector3d(1, 2, 3))).has_value());
  EXPECT_FALSE(ComputeConvexHull(Points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).has_value());
  EXPECT_FALSE(ComputeConvexHull(Points{{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {0.3, 0.2, 1}}).has_value());
  EXPECT_FALSE(ComputeConvexHull(Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}).has_value());
}

}  // namespace
}  // namespace ricochet
