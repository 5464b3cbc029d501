// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_intersection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Piece = ConvexPiece<double>;
using Vec = Vector3<double>;

Piece HalfSpace(const Vec& point, const Vec& normal) {
  return {ShapeType::kHalfSpace, {point[0], point[1], point[2], normal[0], normal[1], normal[2]}};
}

TEST(ConvexIntersection, FlatPiecesGiveThePolytopeWithItsCorners) {
  // A cube of side 2 with one corner cut off.
  const std::vector<Piece> pieces = {{ShapeType::kBox, {2, 2, 2}}, HalfSpace({0.5, 0.5, 0.5}, {1, 1, 1})};
  IntersectionState state{};
  const ConvexSolid<double> solid = IntersectPieces<double>(pieces, state);
  ASSERT_EQ(state, IntersectionState::kSolid);
  EXPECT_EQ(solid.facets.size(), 7u);
  EXPECT_EQ(solid.vertices.size(), 10u);  // 7 of the cube, 3 of the cut
  EXPECT_LT(solid.MaxValue(solid.inside), -0.5);
  for (const Vec& vertex : solid.vertices) {
    EXPECT_NEAR(solid.MaxValue(vertex), 0, 1e-12);
    EXPECT_LE((vertex - solid.inside).norm(), solid.radius * (1 + 1e-12));
  }
}

TEST(ConvexIntersection, PlacedPiecesHoldWhatAllOfThemHold) {
  RandomVectors random(8);
  Piece box{ShapeType::kBox, {0.6, 0.8, 0.4}, Vec(0.1, 0, 0.05), ExpSO3(Vec(0.3, 0.2, -0.4))};
  Piece tube{ShapeType::kCylinder, {0.3, 1.0, 0, 0, 1}, Vec(0, 0.05, 0), ExpSO3(Vec(0.5, 0, 0))};
  Piece ball{ShapeType::kSphere, {0.35}, Vec(0.05, 0.05, 0)};
  Piece egg{ShapeType::kEllipsoid, {0.4, 0.3, 0.5}, Vec(0, 0, 0.1)};
  const std::vector<Piece> pieces = {box, tube, ball, egg};
  IntersectionState state{};
  const ConvexSolid<double> solid = IntersectPieces<double>(pieces, state);
  ASSERT_EQ(state, IntersectionState::kSolid);
  int inside = 0;
  for (int k = 0; k < 4000; ++k) {
    const Vec x = 0.5 * random.Vector<3>();
    const Vec b = RotateInverse<double>(box.orientation, Vec(x - box.position));
    const Vec t = RotateInverse<double>(tube.orientation, Vec(x - tube.position));
    const bool in_box = b.cwiseAbs().cwiseQuotient(Vec(0.3, 0.4, 0.2)).maxCoeff() < 1;
    const bool in_tube = t.head<2>().norm() < 0.3 && std::abs(t[2]) < 0.5;
    const bool in_ball = (x - ball.position).norm() < 0.35;
    const bool in_egg = (x - egg.position).cwiseQuotient(Vec(0.4, 0.3, 0.5)).norm() < 1;
    EXPECT_EQ(solid.MaxValue(x) < 0, in_box && in_tube && in_ball && in_egg) << x.transpose();
    inside += solid.MaxValue(x) < 0;
    if (solid.MaxValue(x) < 0) {
      EXPECT_LT((x - solid.inside).norm(), solid.radius);
    }
  }
  EXPECT_GT(inside, 50);
  const Vec top = SupportPoint(solid, Vec::UnitZ());
  EXPECT_NEAR(solid.MaxValue(top), 0, 1e-6);
}

TEST(ConvexIntersection, FindsWhatIsEmptyAndWhatIsOpen) {
  IntersectionState state{};
  std::vector<Piece> apart = {{ShapeType::kSphere, {0.1}, Vec(-1, 0, 0)}, {ShapeType::kSphere, {0.1}, Vec(1, 0, 0)}};
  EXPECT_TRUE(IntersectPieces<double>(apart, state).facets.empty());
  EXPECT_EQ(state, IntersectionState::kEmpty);
  const std::vector<Piece> open = {HalfSpace({0, 0, 0}, {0, 0, 1}), HalfSpace({0, 0, 0}, {1, 0, 0})};
  EXPECT_TRUE(IntersectPieces<double>(open, state).facets.empty());
  EXPECT_EQ(state, IntersectionState::kUnbounded);
}

}  // namespace
}  // namespace ricochet
