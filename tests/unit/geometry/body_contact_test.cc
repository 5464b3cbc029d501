// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/body_contact.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

SpatialShape<double> Box(double x, double y, double z) {
  const double numbers[] = {x, y, z};
  return MakeSpatialShape<double>(ShapeType::kBox, numbers);
}

SpatialShape<double> Sphere(double r) {
  const double numbers[] = {r};
  return MakeSpatialShape<double>(ShapeType::kSphere, numbers);
}

SpatialShape<double> Ellipsoid(double a, double b, double c) {
  const double numbers[] = {a, b, c};
  return MakeSpatialShape<double>(ShapeType::kEllipsoid, numbers);
}

TEST(BodyContact, BoxOnBoxHasTheOverlapOfTheirFacesAsPatch) {
  const SpatialShape<double> small = Box(0.2, 0.1, 0.1), large = Box(1, 1, 0.2);
  const PlacedShape<double> A{&small, Matrix3d::Identity(), Vector3d(0.45, 0, 0.149)},
      B{&large, Matrix3d::Identity(), Vector3d::Zero()};
  BodyContactWorkspace<double> w;
  CollideBodies<double>(A, B, w);
  EXPECT_LE((w.normal - Vector3d::UnitZ()).norm(), 1e-12);
  ASSERT_EQ(w.points.size(), 4u);
  double x_max = -1, x_min = 1;
  for (const auto& point : w.points) {
    EXPECT_NEAR(point.gap, -0.001, 1e-12);
    EXPECT_NEAR(std::abs(point.p_W.y()), 0.05, 1e-12);
    x_max = std::max(x_max, point.p_W.x());
    x_min = std::min(x_min, point.p_W.x());
  }
  EXPECT_NEAR(x_min, 0.35, 1e-12);
  EXPECT_NEAR(x_max, 0.5, 1e-12);  // clipped at the edge of the large box
  const PlacedShape<double> higher{&small, Matrix3d::Identity(), Vector3d(0.45, 0, 0.151)};
  CollideBodies<double>(higher, B, w);
  EXPECT_TRUE(w.points.empty());
}

/// Crossed edges: the contact is where they come closest, the normal is across both.
TEST(BodyContact, CrossedEdgesTouchInOnePoint) {
  const SpatialShape<double> box = Box(1, 1, 1);
  const double c = std::sqrt(0.5);
  const Matrix3d upper = Eigen::AngleAxisd(M_PI / 4, Vector3d::UnitX()).toRotationMatrix();
  const Matrix3d lower = Eigen::AngleAxisd(M_PI / 4, Vector3d::UnitY()).toRotationMatrix();
  const PlacedShape<double> A{&box, upper, Vector3d(0.1, 0.2, 2 * c - 0.01)}, B{&box, lower, Vector3d::Zero()};
  BodyContactWorkspace<double> w;
  CollideBodies<double>(A, B, w);
  ASSERT_EQ(w.points.size(), 1u);
  EXPECT_LE((w.normal - Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(w.points[0].gap, -0.01, 1e-12);
  EXPECT_LE((w.points[0].p_W - Vector3d(0, 0.2, c - 0.005)).norm(), 1e-12);
}

TEST(BodyContact, GapIsTheLargestSeparationOverDirections) {
  RandomVectors random(4);
  const SpatialShape<double> a = Box(0.3, 0.2, 0.1), b = Box(0.2, 0.25, 0.15), s = Sphere(0.1),
                             e = Ellipsoid(0.1, 0.2, 0.15);
  int touching = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto rotation = [&] {
      const auto q = random.Rotation();
      return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    };
    const SpatialShape<double>* first = trial % 2 ? &a : trial % 4 ? &s : &e;
    const PlacedShape<double> A{first, rotation(), 0.3 * random.Vector<3>()}, B{&b, rotation(), Vector3d::Zero()};
    BodyContactWorkspace<double> w;
    CollideBodies<double>(A, B, w);
    // No direction separates better than the reported one; where nothing is reported some direction separates.
    double best = -1e9;
    for (int k = 0; k < 3000; ++k) {
      Vector3d x, y;
      best = std::max(best, internal::Separation<double>(A, B, random.Direction<3>(), x, y));
    }
    if (w.points.empty()) {
      EXPECT_GT(best, -0.01) << trial;
      continue;
    }
    ++touching;
    Vector3d x, y;
    const double at_normal = internal::Separation<double>(A, B, w.normal, x, y);
    EXPECT_LT(at_normal, 1e-12) << trial;
    EXPECT_GE(at_normal, best - 1e-4 * 0.2) << trial;
    for (const auto& point : w.points) EXPECT_LT(point.gap, 0);
  }
  EXPECT_GT(touching, 100);
}

}  // namespace
}  // namespace ricochet
