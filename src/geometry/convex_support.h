// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Farthest points of convex solids, and whether two solids overlap.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/convex_inequalities.h"
#include "math/vector.h"

namespace ricochet {

/// Point of a bounded solid that is farthest along `direction` (any length > 0), both in the solid's frame. Closed form
/// for polytopes, balls, ellipsoids and cylinders; other intersections by DeepestPoint against a half space.
Vector3<double> SupportPoint(const ConvexSolid<double>& solid, const Vector3<double>& direction);

/// A placed solid: x_world = R x + p.
struct PlacedSolid {
  const ConvexSolid<double>* solid = nullptr;
  Matrix3<double> R = Matrix3<double>::Identity();
  Vector3<double> p = Vector3<double>::Zero();
};

/// Result of DeepestPoint. Multipliers are in the order of the facets of F, then of G, and sum to 1.
struct Overlap {
  double depth = 0;                 // -min_a max(f_i(a), g_j(a)): positive when the interiors meet [m]
  Vector3<double> point;            // a, world: of all minimizers one in the middle
  Vector3<double> normal;           // unit, from G to F
  std::vector<double> multipliers;  // > 0 at the facets that decide
  std::vector<double> slacks;       // -depth - f_i, 0 at the facets that decide [m]
};

/// Scratch of DeepestPoint.
struct OverlapWorkspace {
  std::vector<double> value, slack, multiplier, dslack, dmultiplier;
  std::vector<Vector3<double>> gradient;
  std::vector<Matrix3<double>> hessian;
};

/// Minimizes t over (a, t) with f_i(a) <= t, g_j(a) <= t by a primal-dual interior-point method (Mehrotra's predictor
/// and corrector; four unknowns whatever the number of facets), and where curved facets keep that from converging by a
/// barrier method. Ellipsoids enter by their quadratic form, which is convex everywhere and has the same sign. The sign
/// of the depth indicates overlap; it is not the penetration depth in the Euclidean sense, except where two parallel
/// faces meet (half of it). Interior points end in the middle of the set of minimizers, so a face on a face gives the
/// middle of the common patch and multipliers of these two faces alone. At least one of the solids is bounded.
void DeepestPoint(const PlacedSolid& F, const PlacedSolid& G, OverlapWorkspace& workspace, Overlap& out);

}  // namespace ricochet
