// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/spatial_shape.h"

#include <gtest/gtest.h>

namespace ricochet {
namespace {

using Eigen::Vector3d;

SpatialShape<double> Make(ShapeType type, const std::vector<double>& numbers) {
  return MakeSpatialShape<double>(type, numbers);
}

// The order of the corners is a promise: contact files number them.
TEST(SpatialShapeTest, BoxCornersInTheirOrder) {
  const auto box = Make(ShapeType::kBox, {0.2, 0.4, 0.6});
  ASSERT_TRUE(box.present);
  const double signs[8][3] = {{-1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {1, -1, -1},
                              {-1, -1, 1},  {-1, 1, 1},  {1, 1, 1},  {1, -1, 1}};
  ASSERT_EQ(box.vertices.size(), 8);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(box.vertices[i], Vector3d(signs[i][0] * 0.1, signs[i][1] * 0.2, signs[i][2] * 0.3));
  }
  EXPECT_EQ(box.hull.faces.size(), 6);
  EXPECT_EQ(box.hull.edges.size(), 12);
  for (const HullFace& face : box.hull.faces) {
    for (const int corner : face.corners) EXPECT_NEAR(face.normal.dot(box.vertices[corner]), face.offset, 1e-16);
  }
}

TEST(SpatialShapeTest, PolytopeKeepsItsCornersInOrderAndDropsOtherPoints) {
  // A tetrahedron with a point inside and one in the middle of an edge.
  const auto shape = Make(ShapeType::kPolytope, {0.1, 0.1, 0.1, 0, 0, 0, 0.5, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  const std::vector<Vector3d> expected = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  EXPECT_EQ(shape.vertices, expected);
  EXPECT_EQ(shape.hull.corners, (std::vector<int>{0, 1, 2, 3}));
  for (const HullFace& face : shape.hull.faces) {
    EXPECT_EQ(face.corners.size(), 3);
    for (const int corner : face.corners) EXPECT_NEAR(face.normal.dot(shape.vertices[corner]), face.offset, 1e-15);
  }
}

TEST(SpatialShapeTest, RoundShapes) {
  const auto cylinder = Make(ShapeType::kCylinder, {0.1, 0.5, 0, 3, 4});
  EXPECT_EQ(cylinder.radius, 0.1);
  EXPECT_EQ(cylinder.length, 0.5);
  EXPECT_LT((cylinder.axis - Vector3d(0, 0.6, 0.8)).norm(), 1e-15);
  EXPECT_EQ(Make(ShapeType::kSphere, {0.2}).semi_axes, Vector3d::Constant(0.2));
  EXPECT_EQ(Make(ShapeType::kEllipsoid, {1, 2, 3}).semi_axes, Vector3d(1, 2, 3));
  EXPECT_TRUE(cylinder.vertices.empty());
  EXPECT_FALSE(Make(ShapeType::kCircle, {1}).present);
}

TEST(SpatialShapeTest, JetsCarryTheSizeIntoTheCorners) {
  const std::vector<Jet<3>> size = {Jet<3>::Variable(0.2, 0), Jet<3>::Variable(0.4, 1), Jet<3>::Variable(0.6, 2)};
  const auto box = MakeSpatialShape<Jet<3>>(ShapeType::kBox, size);
  EXPECT_EQ(JacobianOf(box.vertices[3]), Eigen::Matrix3d(Vector3d(0.5, -0.5, -0.5).asDiagonal()));
}

}  // namespace
}  // namespace ricochet
