// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Features of solids against planes: starting active sets for ecp_solver.cc.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "steppers/ecp/ecp_solver.h"

namespace ricochet {
namespace {

using Vec = Vector3<double>;

constexpr int kMostFacetsOfCorner = 16;

bool OnFacet(const ConvexSolid<double>& solid, int facet, const Vec& x) {
  return std::abs(solid.facets[facet].Value(x)) < 1e-9 * solid.radius;
}

/// Three facets through a corner whose normals' cone holds -n_B; the three steepest against it if none does.
EcpFeature CornerFeature(const ConvexSolid<double>& solid, const Vec& corner, const Vec& n_B) {
  std::array<int, kMostFacetsOfCorner> through{};
  int count = 0;
  for (int i = 0; i < static_cast<int>(solid.facets.size()) && count < kMostFacetsOfCorner; ++i) {
    if (OnFacet(solid, i, corner)) through[count++] = i;
  }
  EcpFeature feature;
  feature.point = corner;
  feature.count = std::min(count, kEcpMaxActive);
  std::sort(through.begin(), through.begin() + count, [&](int i, int j) {
    const double di = solid.facets[i].Gradient(corner).dot(n_B), dj = solid.facets[j].Gradient(corner).dot(n_B);
    return di < dj || (di == dj && i < j);
  });
  for (int i = 0; i < feature.count; ++i) feature.facets[i] = through[i];
  if (count <= 3) return feature;
  double best = -1e300;
  for (int i = 0; i < count; ++i) {
    for (int j = i + 1; j < count; ++j) {
      for (int k = j + 1; k < count; ++k) {
        Matrix3<double> U;
        U << solid.facets[through[i]].u, solid.facets[through[j]].u, solid.facets[through[k]].u;
        if (std::abs(U.determinant()) < 1e-9) continue;
        const double least = (-(U.inverse() * n_B)).minCoeff();
        if (least > best) {
          best = least;
          feature.facets = {through[i], through[j], through[k]};
        }
      }
    }
  }
  return feature;
}

struct CylinderPoints {
  Vec low[2], high[2];  // lowest and highest point of the upper and the lower end's rim, in the solid's frame
  double low_gap[2], high_gap[2];
};

CylinderPoints PointsOfCylinder(const ConvexSolid<double>& solid, const Vec& n_B, double offset) {
  const Facet<double>& side = solid.facets[0];
  Vec radial = n_B - side.u * side.u.dot(n_B);
  const double length = radial.norm();
  radial = length > 1e-12 ? Vec(radial / length) : side.u.unitOrthogonal();
  CylinderPoints points;
  for (int end = 0; end < 2; ++end) {
    const Facet<double>& cap = solid.facets[1 + end];
    const Vec center = side.c + cap.u * (cap.size - cap.u.dot(side.c));
    points.low[end] = center - side.size * radial;
    points.high[end] = center + side.size * radial;
    points.low_gap[end] = n_B.dot(points.low[end]) - offset;
    points.high_gap[end] = n_B.dot(points.high[end]) - offset;
  }
  return points;
}

bool IsCylinder(const ConvexSolid<double>& solid) {
  return solid.facets.size() == 3 && solid.facets[0].kind == FacetKind::kTube;
}

}  // namespace

bool HasFeatures(const ConvexSolid<double>& solid) {
  return !solid.vertices.empty() || solid.facets.size() == 1 || IsCylinder(solid);
}

double PlaneGap(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                const Facet<double>& plane) {
  const Vec n_B = R.transpose() * plane.u;
  return n_B.dot(SupportPoint(solid, -n_B)) + plane.u.dot(p) - plane.size;
}

EcpFeature GuessFeature(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                        const Facet<double>& plane) {
  const Vec n_B = R.transpose() * plane.u;
  const double offset = plane.size - plane.u.dot(p);  // gap of x is n_B . x - offset
  EcpFeature feature;
  if (!solid.vertices.empty()) {
    // The facet, edge or corner spanned by the corners below the plane, around the lowest.
    const Vec lowest = SupportPoint(solid, -n_B);
    int best_facet = -1, best_count = 0;
    double best_slope = 1;
    for (int i = 0; i < static_cast<int>(solid.facets.size()); ++i) {
      if (!OnFacet(solid, i, lowest)) continue;
      int count = 0;
      for (const Vec& vertex : solid.vertices) {
        count += n_B.dot(vertex) < offset && OnFacet(solid, i, vertex);
      }
      const double slope = solid.facets[i].u.dot(n_B);
      if (count > best_count || (count == best_count && slope < best_slope)) {
        best_facet = i;
        best_count = count;
        best_slope = slope;
      }
    }
    if (best_count >= 3) {
      feature.count = 1;
      feature.facets[0] = best_facet;
      Vec sum = Vec::Zero();
      for (const Vec& vertex : solid.vertices) {
        if (n_B.dot(vertex) < offset && OnFacet(solid, best_facet, vertex)) sum += vertex;
      }
      feature.point = sum / best_count;
      return feature;
    }
    if (best_count == 2) {
      for (const Vec& vertex : solid.vertices) {
        if (!(n_B.dot(vertex) < offset) || !OnFacet(solid, best_facet, vertex) || vertex == lowest) continue;
        for (int i = 0; i < static_cast<int>(solid.facets.size()) && feature.count < 2; ++i) {
          if (OnFacet(solid, i, lowest) && OnFacet(solid, i, vertex)) feature.facets[feature.count++] = i;
        }
        feature.point = 0.5 * (lowest + vertex);
      }
      if (feature.count == 2) return feature;
    }
    return CornerFeature(solid, lowest, n_B);
  }
  if (solid.facets.size() == 1) {
    feature.count = 1;
    feature.point = SupportPoint(solid, -n_B);
    return feature;
  }
  if (IsCylinder(solid)) {
    const CylinderPoints points = PointsOfCylinder(solid, n_B, offset);
    const int end = points.low_gap[0] <= points.low_gap[1] ? 0 : 1;
    if (points.high_gap[end] < 0) {
      feature.count = 1;
      feature.facets[0] = 1 + end;
      feature.point = 0.5 * (points.low[end] + points.high[end]);
    } else if (points.low_gap[1 - end] < 0) {
      feature.count = 1;
      feature.facets[0] = 0;
      feature.point = 0.5 * (points.low[0] + points.low[1]);
    } else {
      feature.count = 2;
      feature.facets = {0, 1 + end};
      feature.point = points.low[end];
    }
  }
  return feature;
}

void ListFeatures(const ConvexSolid<double>& solid, const Matrix3<double>& R, const Vector3<double>& p,
                  const Facet<double>& plane, double height, std::vector<EcpFeature>& out) {
  out.clear();
  if (!HasFeatures(solid)) return;
  const Vec n_B = R.transpose() * plane.u;
  const double offset = plane.size - plane.u.dot(p) + height;
  const int facets = static_cast<int>(solid.facets.size());
  if (solid.facets.size() == 1) {
    EcpFeature feature;
    feature.count = 1;
    feature.point = SupportPoint(solid, -n_B);
    out.push_back(feature);
    return;
  }
  if (IsCylinder(solid)) {
    const CylinderPoints points = PointsOfCylinder(solid, n_B, offset);
    out.push_back({1, {0}, 0.5 * (points.low[0] + points.low[1])});
    for (int end = 0; end < 2; ++end) {
      if (points.low_gap[end] > 0) continue;
      out.push_back({2, {0, 1 + end}, points.low[end]});
      out.push_back({1, {1 + end}, 0.5 * (points.low[end] + points.high[end])});
    }
    return;
  }
  // Corners, edges and faces of a polytope.
  for (const Vec& vertex : solid.vertices) {
    if (n_B.dot(vertex) < offset) out.push_back(CornerFeature(solid, vertex, n_B));
  }
  for (int i = 0; i < facets; ++i) {
    if (solid.facets[i].u.dot(n_B) > 0) continue;
    Vec face = Vec::Zero();
    int on_face = 0;
    bool near = false;
    for (const Vec& vertex : solid.vertices) {
      if (!OnFacet(solid, i, vertex)) continue;
      face += vertex;
      ++on_face;
      near = near || n_B.dot(vertex) < offset;
    }
    if (!near) continue;
    out.push_back({1, {i}, face / on_face});
    for (int j = 0; j < facets; ++j) {
      if (j == i || (j < i && solid.facets[j].u.dot(n_B) <= 0)) continue;
      Vec edge = Vec::Zero();
      int on_edge = 0;
      for (const Vec& vertex : solid.vertices) {
        if (!OnFacet(solid, i, vertex) || !OnFacet(solid, j, vertex)) continue;
        edge += vertex;
        ++on_edge;
      }
      if (on_edge == 2) out.push_back({2, {i, j}, edge / 2});
    }
  }
  std::sort(out.begin(), out.end(),
            [&](const EcpFeature& x, const EcpFeature& y) { return n_B.dot(x.point) < n_B.dot(y.point); });
}

}  // namespace ricochet
