// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_inequalities.h"

#include <gtest/gtest.h>

#include "geometry/convex_shape.h"
#include "geometry/convex_support.h"
#include "math/so3.h"
#include "tests/support/derivative_check.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

std::vector<Facet<double>> Facets() {
  const ConvexSolid<double> box = MakeBoxSolid<double>(Vec(0.4, 0.6, 0.5));
  ConvexSolid<double> moved = MakeCylinderSolid<double>(0.3, 0.8, Vec(0, 3, 4));
  moved.Translate(Vec(0.1, -0.2, 0.3));
  const ConvexSolid<double> ellipsoid = MakeEllipsoidSolid<double>(Vec(0.5, 0.3, 0.4));
  const ConvexSolid<double> ball = MakeSphereSolid<double>(0.35);
  return {box.facets[0], moved.facets[0], moved.facets[2], ellipsoid.facets[0], ball.facets[0]};
}

TEST(ConvexInequalities, GradientAndHessianAreDerivatives) {
  RandomVectors random(1);
  for (const Facet<double>& facet : Facets()) {
    for (int trial = 0; trial < 20; ++trial) {
      const Vec x = facet.c + 0.5 * random.Direction<3>();
      const auto value = [&](const Vec& y) { return Eigen::Matrix<double, 1, 1>(facet.Value(y)); };
      const auto gradient = [&](const Vec& y) { return facet.Gradient(y); };
      EXPECT_TRUE(IsJacobian(facet.Gradient(x).transpose(), value, x));
      EXPECT_TRUE(IsJacobian(facet.Hessian(x), gradient, x, {.tolerance = 1e-9}));
    }
  }
}

TEST(ConvexInequalities, GradientsHaveUnitLengthOnTheSurface) {
  RandomVectors random(2);
  for (const Facet<double>& facet : Facets()) {
    for (int trial = 0; trial < 20; ++trial) {
      // Onto the surface by Newton's method along the gradient.
      Vec x = facet.c + 0.4 * random.Direction<3>();
      for (int i = 0; i < 50; ++i) x -= facet.Gradient(x) * facet.Value(x) / facet.Gradient(x).squaredNorm();
      EXPECT_NEAR(facet.Value(x), 0, 1e-13);
      EXPECT_NEAR(facet.Gradient(x).norm(), 1, 1e-12);
      EXPECT_NEAR(facet.Value(x + 1e-6 * facet.Gradient(x)), 1e-6, 1e-11);  // meters near the surface
    }
  }
}

TEST(ConvexInequalities, PolytopeJoinsCoplanarTriangles) {
  const ConvexSolid<double> box = MakeBoxSolid<double>(Vec(1, 2, 3));
  std::vector<double> numbers;
  for (const Vec& vertex : box.vertices) numbers.insert(numbers.end(), vertex.begin(), vertex.end());
  const SpatialShape<double> shape = MakeSpatialShape<double>(ShapeType::kPolytope, numbers);
  const ConvexSolid<double> solid = MakeConvexSolid<double>(shape);
  EXPECT_EQ(solid.facets.size(), 6u);
  EXPECT_EQ(solid.vertices.size(), 8u);
  RandomVectors random(3);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec x = 2 * random.Vector<3>();
    EXPECT_NEAR(solid.MaxValue(x), box.MaxValue(x), 1e-12);
  }
}

TEST(ConvexInequalities, IntersectionHoldsWhatBothHold) {
  ConvexSolid<double> lens = MakeSphereSolid<double>(1.0);
  lens.Translate(Vec(0, 0, 0.6));
  lens.inside.setZero();
  ConvexSolid<double> other = MakeSphereSolid<double>(1.0);
  other.Translate(Vec(0, 0, -0.6));
  lens.Intersect(other);
  EXPECT_LT(lens.MaxValue(Vec::Zero()), 0);
  EXPECT_NEAR(lens.MaxValue(Vec(0.8, 0, 0)), 0, 1e-12);  // the rim: 0.8^2 + 0.6^2 = 1
  EXPECT_GT(lens.MaxValue(Vec(0, 0, 0.5)), 0);
  // Its farthest points, for which there is no closed form here: the rim along x, the cap's top along z.
  EXPECT_NEAR(SupportPoint(lens, Vec(2, 0, 0)).x(), 0.8, 1e-6);
  EXPECT_NEAR(SupportPoint(lens, Vec(0, 0, 1)).z(), 0.4, 1e-6);
}

TEST(ConvexSupport, PointsAreFarthest) {
  RandomVectors random(4);
  const std::vector<ConvexSolid<double>> solids = {
      MakeBoxSolid<double>(Vec(0.4, 0.6, 0.5)), MakeCylinderSolid<double>(0.3, 0.8, Vec(0, 3, 4)),
      MakeEllipsoidSolid<double>(Vec(0.5, 0.3, 0.4)), MakeSphereSolid<double>(0.35)};
  for (const ConvexSolid<double>& solid : solids) {
    for (int trial = 0; trial < 50; ++trial) {
      const Vec d = random.Direction<3>(), support = SupportPoint(solid, d);
      EXPECT_NEAR(solid.MaxValue(support), 0, 1e-12);
      for (int i = 0; i < 50; ++i) {
        const Vec x = random.Vector<3>();
        if (solid.MaxValue(x) <= 0) {
          EXPECT_LE(d.dot(x), d.dot(support) + 1e-12);
        }
      }
    }
  }
}

TEST(ConvexOverlap, FaceOnFaceGivesTheMiddleOfThePatchAndTheTwoFaces) {
  const ConvexSolid<double> box = MakeBoxSolid<double>(Vec(1, 1, 1));
  OverlapWorkspace workspace;
  Overlap overlap;
  for (const double gap : {-1e-5, 1e-5}) {
    DeepestPoint({.solid = &box, .p = Vec(0.3, 0.1, 1 + gap)}, {.solid = &box}, workspace, overlap);
    EXPECT_NEAR(overlap.depth, -gap / 2, 1e-12);
    EXPECT_LT((overlap.normal - Vec::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(overlap.point.x(), 0.15, 1e-3);
    EXPECT_NEAR(overlap.multipliers[5], 0.5, 1e-9);
    EXPECT_NEAR(overlap.multipliers[6 + 4], 0.5, 1e-9);
  }
}

TEST(ConvexOverlap, SignAgreesWithDistanceOfBalls) {
  RandomVectors random(5);
  const ConvexSolid<double> a = MakeSphereSolid<double>(0.4), b = MakeSphereSolid<double>(0.7);
  OverlapWorkspace workspace;
  Overlap overlap;
  for (int trial = 0; trial < 50; ++trial) {
    const Vec p = random.Uniform(0.9, 1.3) * random.Direction<3>();
    DeepestPoint({.solid = &a, .p = p}, {.solid = &b}, workspace, overlap);
    EXPECT_EQ(overlap.depth > 0, p.norm() < 1.1) << p.norm();
    EXPECT_GT(overlap.normal.dot(p.normalized()), 1 - 1e-9);
  }
}

}  // namespace
}  // namespace ricochet
