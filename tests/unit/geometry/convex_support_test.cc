// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "geometry/convex_support.h"

#include <gtest/gtest.h>

#include "core/random.h"
#include "math/so3.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

double Between(Random& random, double low, double high) { return low + (high - low) * random.Uniform(); }

ConvexSolid<double> RandomSolid(Random& random) {
  const Vec size(Between(random, 0.05, 0.3), Between(random, 0.05, 0.3), Between(random, 0.05, 0.3));
  switch (static_cast<int>(4 * random.Uniform())) {
    case 0:
      return MakeBoxSolid<double>(size);
    case 1:
      return MakeCylinderSolid<double>(size[0], size[1], Vec::UnitZ());
    case 2:
      return MakeSphereSolid<double>(size[0]);
    default:
      return MakeEllipsoidSolid<double>(size);
  }
}

Vec RandomVector(Random& random) { return {random.Normal(), random.Normal(), random.Normal()}; }

PlacedSolid Place(const ConvexSolid<double>& solid, const Vec& center, Random& random) {
  return {&solid, RotationMatrix<double>(ExpSO3(Vec(2 * RandomVector(random)))), center};
}

/// How far the solid reaches along a direction of the world.
double Reach(const PlacedSolid& placed, const Vec& direction) {
  return direction.dot(placed.R * SupportPoint(*placed.solid, placed.R.transpose() * direction) + placed.p);
}

// Both answers prove themselves: a common point of the interiors, or a plane between the solids.
TEST(DeepestPoint, ShowsACommonPointOrAPlaneBetween) {
  Random random(7, 0);
  OverlapWorkspace workspace;
  Overlap overlap;
  int apart = 0;
  constexpr int kPairs = 4000;
  for (int pair = 0; pair < kPairs; ++pair) {
    const ConvexSolid<double> f = RandomSolid(random), g = RandomSolid(random);
    const PlacedSolid F = Place(f, Vec::Zero(), random);
    const double distance = Between(random, 0, 1.2) * (f.radius + g.radius);
    const PlacedSolid G = Place(g, distance * RandomVector(random).normalized(), random);
    DeepestPoint(F, G, workspace, overlap);
    if (overlap.depth > 0) {
      EXPECT_LT(f.MaxValue(F.R.transpose() * (overlap.point - F.p)), 0) << pair;
      EXPECT_LT(g.MaxValue(G.R.transpose() * (overlap.point - G.p)), 0) << pair;
    } else {
      ++apart;
      EXPECT_LT(Reach(G, overlap.normal), -Reach(F, -overlap.normal) + 1e-9) << pair;
    }
  }
  EXPECT_GT(apart, kPairs / 4);
  EXPECT_LT(apart, 3 * kPairs / 4);
}

}  // namespace
}  // namespace ricochet
