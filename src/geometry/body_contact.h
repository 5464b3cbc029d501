// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contact between two convex bodies: gap, normal and the points that touch.
//
// The signed gap of convex A and B is the largest separation over directions,
//
//   gap = max over unit n of  s(n) = min over a in A of n.a - max over b in B of n.b,
//
// positive apart, minus the penetration depth inside one another; the maximizer n, from B to A, is the normal.
//
//   polytopes   the maximizer is a face normal of A or B or normal to an edge of each (Gottschalk's separating axes;
//   edge
//               pairs are pruned on the Gauss map): exact. Faces are preferred to edges within a small tolerance.
//   spheres     against spheres and polytopes: exact, by the closest point.
//   others      cylinders and ellipsoids: candidates (line of centers, face normals, axes), then a pattern search on
//               s(n) to 1e-10 rad.
//
// The patch: the face of one body most along n is the reference, the face of the other most against it is clipped to
// its sides, and the corners of what remains that lie below the reference plane are the contacts, each with its own gap
// (Sutherland and Hodgman 1974). The patch changes steadily with the poses because corners come and go with gap zero or
// at clip lines. Rims of cylinders enter as octagons, their sides as lines, smooth surfaces as points.
//
// Everything is a template on the scalar; with Jets, branches follow values and derivatives come out exact (for the
// pattern search: one Newton step on the stationarity condition).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "geometry/spatial_shape.h"
#include "math/jet.h"
#include "math/vector.h"

namespace ricochet {

/// A shape at a pose of its body frame.
template <class T>
struct PlacedShape {
  const SpatialShape<T>* shape = nullptr;
  Matrix3<T> R;  // R_WB
  Vector3<T> p;  // p_WB
};

template <class T>
struct BodyContactPoint {
  Vector3<T> p_W;  // half way between the two surfaces
  T gap;           // negative [m]
};

template <class T>
struct BodyContactWorkspace {
  Vector3<T> normal;                        // from the second shape to the first
  std::vector<BodyContactPoint<T>> points;  // with gap < 0; the result
  std::vector<Vector3<T>> vertices_a, vertices_b, polygon, clipped, side;
};

/// Radius of a sphere about the body frame's origin that holds the shape, with its derivatives.
template <class T>
T ShapeRadius(const SpatialShape<T>& shape) {
  using std::sqrt;
  switch (shape.type) {
    case ShapeType::kSphere:
      return shape.radius;
    case ShapeType::kEllipsoid: {
      T radius = shape.semi_axes[0];
      for (int k = 1; k < 3; ++k)
        if (shape.semi_axes[k] > radius) radius = shape.semi_axes[k];
      return radius;
    }
    case ShapeType::kCylinder:
      return sqrt(T(shape.radius * shape.radius + 0.25 * (shape.length * shape.length)));
    case ShapeType::kBox:
      return 0.5 * shape.size.norm();
    case ShapeType::kIntersection:
      return shape.solid.radius + shape.solid.inside.norm();
    default: {
      T radius2(0.0);
      for (const auto& p : shape.vertices) {
        const T length2 = p.squaredNorm();
        if (length2 > radius2) radius2 = length2;
      }
      return sqrt(radius2);
    }
  }
}

template <class T>
double BoundingRadius(const SpatialShape<T>& shape) {
  return ValueOf(ShapeRadius<T>(shape));
}

/// Point of the shape farthest along d, in world axes.
template <class T>
Vector3<T> SupportPoint(const PlacedShape<T>& s, const Vector3<T>& d_W) {
  using std::sqrt;
  const Vector3<T> d = s.R.transpose() * d_W;
  Vector3<T> x;
  switch (s.shape->type) {
    case ShapeType::kSphere:
      x = d * (s.shape->radius / d.norm());
      break;
    case ShapeType::kEllipsoid: {
      const Vector3<T> Ad = s.shape->semi_axes.cwiseProduct(d);
      x = s.shape->semi_axes.cwiseProduct(Ad) / Ad.norm();
      break;
    }
    case ShapeType::kCylinder: {
      const Vector3<T>& a = s.shape->axis;
      const T along = a.dot(d);
      const Vector3<T> across = d - a * along;
      x = a * (s.shape->length * (along < 0.0 ? -0.5 : 0.5));
      const T length2 = across.squaredNorm();
      if (length2 > 1e-24) x += across * (s.shape->radius / sqrt(length2));
      break;
    }
    default: {
      int best = 0;
      for (int i = 1; i < static_cast<int>(s.shape->vertices.size()); ++i)
        if (s.shape->vertices[i].dot(d) > s.shape->vertices[best].dot(d)) best = i;
      x = s.shape->vertices[best];
    }
  }
  return s.p + s.R * x;
}

namespace internal {

template <class T>
bool HasFaces(const SpatialShape<T>& shape) {
  return shape.type == ShapeType::kBox || shape.type == ShapeType::kPolytope;
}

/// Outward unit normal of a face in world axes, from its corners so that it carries derivatives.
template <class T>
Vector3<T> FaceNormal(const PlacedShape<T>& s, int face) {
  const HullFace& f = s.shape->hull.faces[face];
  if constexpr (std::is_same_v<T, double>) {
    return s.R * f.normal;
  } else {
    const auto& v = s.shape->vertices;
    const Vector3<T> n =
        Vector3<T>(v[f.corners[1]] - v[f.corners[0]]).cross(Vector3<T>(v[f.corners[2]] - v[f.corners[0]]));
    return s.R * Vector3<T>(n / n.norm());
  }
}

template <class T>
void PlaceVertices(const PlacedShape<T>& s, std::vector<Vector3<T>>& out) {
  out.resize(s.shape->vertices.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = s.p + s.R * s.shape->vertices[i];
}

/// Corners of the feature most along d: a face, an octagon on a rim, a line on a cylinder's side, or a point.
template <class T>
void FeatureAlong(const PlacedShape<T>& s, const Vector3<T>& d, std::vector<Vector3<T>>& out) {
  out.clear();
  if (HasFaces(*s.shape)) {
    int best = 0;
    double largest = -2;
    for (std::size_t f = 0; f < s.shape->hull.faces.size(); ++f) {
      const double dot = (ValueOf(s.R) * s.shape->hull.faces[f].normal).dot(ValueOf(d));
      if (dot > largest) largest = dot, best = static_cast<int>(f);
    }
    for (int corner : s.shape->hull.faces[best].corners) out.push_back(s.p + s.R * s.shape->vertices[corner]);
    return;
  }
  if (s.shape->type == ShapeType::kCylinder) {
    const Vector3<T> a = s.R * s.shape->axis;
    const double along = ValueOf(T(a.dot(d)));
    const Vector3<T> half = a * (0.5 * s.shape->length);
    if (std::abs(along) > 0.7) {
      // Octagon counted from the lowest point of the rim, counter-clockwise seen along the outward axis.
      const Vector3<T> out_axis = along > 0 ? a : Vector3<T>(-a);
      Vector3<T> x = d - a * a.dot(d);
      if (x.squaredNorm() < 1e-16) x = s.R * Vector3<T>(s.shape->axis.unitOrthogonal());
      x = x / x.norm();
      const Vector3<T> y = out_axis.cross(x), center = s.p + (along > 0 ? half : Vector3<T>(-half));
      const double r2 = std::sqrt(0.5);
      const double turn[8][2] = {{1, 0}, {r2, r2}, {0, 1}, {-r2, r2}, {-1, 0}, {-r2, -r2}, {0, -1}, {r2, -r2}};
      for (const auto& [c, sn] : turn) out.push_back(center + (x * T(c) + y * T(sn)) * s.shape->radius);
      return;
    }
    Vector3<T> across = d - a * a.dot(d);
    across = across * (s.shape->radius / across.norm());
    out.push_back(s.p + across + half);
    out.push_back(s.p + across - half);
    return;
  }
  out.push_back(SupportPoint<T>(s, d));
}

/// Keeps the part of `polygon` (a loop, a line or a point) with side . (x - through) <= 0.
template <class T>
void ClipByPlane(const Vector3<T>& side, const Vector3<T>& through, std::vector<Vector3<T>>& polygon,
                 std::vector<Vector3<T>>& scratch) {
  scratch.clear();
  const int n = static_cast<int>(polygon.size());
  const int links = n > 2 ? n : n - 1;
  if (n == 1) {
    if (side.dot(Vector3<T>(polygon[0] - through)) <= 0.0) scratch.push_back(polygon[0]);
  } else {
    for (int i = 0; i < links; ++i) {
      const Vector3<T>&a = polygon[i], &b = polygon[(i + 1) % n];
      const T da = side.dot(Vector3<T>(a - through)), db = side.dot(Vector3<T>(b - through));
      if (da <= 0.0) scratch.push_back(a);
      if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) scratch.push_back(a + (b - a) * (da / (da - db)));
      if (n == 2 && db <= 0.0) scratch.push_back(b);
    }
  }
  std::swap(polygon, scratch);
}

/// The patch between features: `reference` (at least a triangle) has outward normal n; points of the incident feature
/// below it and inside its sides. `sign` +1 when n points to the first shape.
template <class T>
void ClipPatch(const std::vector<Vector3<T>>& reference, const Vector3<T>& n, BodyContactWorkspace<T>& w) {
  const int count = static_cast<int>(reference.size());
  for (int i = 0; i < count && !w.polygon.empty(); ++i) {
    const Vector3<T> edge = reference[(i + 1) % count] - reference[i];
    ClipByPlane<T>(Vector3<T>(edge.cross(n)), reference[i], w.polygon, w.clipped);
  }
  for (const Vector3<T>& x : w.polygon) {
    const T gap = n.dot(Vector3<T>(x - reference[0]));
    if (gap < 0.0) w.points.push_back({Vector3<T>(x - n * (0.5 * gap)), gap});
  }
}

/// Normal n (from B to A) given: contacts from the features of both along it, or the one point with this gap.
template <class T>
void PatchAlong(const PlacedShape<T>& A, const PlacedShape<T>& B, const Vector3<T>& n, const Vector3<T>& point,
                const T& gap, BodyContactWorkspace<T>& w) {
  w.normal = n;
  FeatureAlong<T>(B, n, w.side);
  FeatureAlong<T>(A, Vector3<T>(-n), w.polygon);
  if (w.side.size() >= 3) {
    ClipPatch<T>(w.side, n, w);
  } else if (w.polygon.size() >= 3) {
    std::swap(w.side, w.polygon);
    const std::size_t before = w.points.size();
    ClipPatch<T>(w.side, Vector3<T>(-n), w);
    (void)before;
  }
  if (w.points.empty()) w.points.push_back({point, gap});
}

template <class T>
void CollidePolytopes(const PlacedShape<T>& A, const PlacedShape<T>& B, BodyContactWorkspace<T>& w) {
  PlaceVertices<T>(A, w.vertices_a);
  PlaceVertices<T>(B, w.vertices_b);
  const ConvexHull &ha = A.shape->hull, &hb = B.shape->hull;

  // Face normals of either body.
  const auto best_face = [](const PlacedShape<T>& s, const ConvexHull& hull, const std::vector<Vector3<T>>& own,
                            const std::vector<Vector3<T>>& other, int& face) {
    double best = -1e300;
    for (std::size_t f = 0; f < hull.faces.size(); ++f) {
      const Eigen::Vector3d n = ValueOf(s.R) * hull.faces[f].normal;
      const double offset = n.dot(ValueOf(own[hull.faces[f].corners[0]]));
      double lowest = 1e300;
      for (const Vector3<T>& x : other) lowest = std::min(lowest, n.dot(ValueOf(x)));
      if (lowest - offset > best) best = lowest - offset, face = static_cast<int>(f);
      if (best >= 0) break;
    }
    return best;
  };
  int face_a = 0, face_b = 0;
  const double sep_a = best_face(A, ha, w.vertices_a, w.vertices_b, face_a);
  if (sep_a >= 0) return;
  const double sep_b = best_face(B, hb, w.vertices_b, w.vertices_a, face_b);
  if (sep_b >= 0) return;

  // Normals to an edge of each, where the edges' arcs on the Gauss map cross.
  double sep_edge = -1e300;
  int edge_a = -1, edge_b = -1;
  const Eigen::Matrix3d Ra = ValueOf(A.R), Rb = ValueOf(B.R);
  const Eigen::Vector3d center_a = ValueOf(A.p);
  for (std::size_t i = 0; i < ha.edges.size(); ++i) {
    const HullEdge& ea = ha.edges[i];
    const Eigen::Vector3d a0 = ValueOf(w.vertices_a[ea.corners[0]]), a1 = ValueOf(w.vertices_a[ea.corners[1]]);
    const Eigen::Vector3d u = a1 - a0, na = Ra * ha.faces[ea.left].normal, ma = Ra * ha.faces[ea.right].normal;
    for (std::size_t j = 0; j < hb.edges.size(); ++j) {
      const HullEdge& eb = hb.edges[j];
      const Eigen::Vector3d nb = -(Rb * hb.faces[eb.left].normal), mb = -(Rb * hb.faces[eb.right].normal);
      const Eigen::Vector3d b0 = ValueOf(w.vertices_b[eb.corners[0]]), b1 = ValueOf(w.vertices_b[eb.corners[1]]);
      const Eigen::Vector3d v = b1 - b0;
      const double cba = nb.dot(u), dba = mb.dot(u), adc = na.dot(v), bdc = ma.dot(v);
      if (cba * dba >= 0 || adc * bdc >= 0 || cba * bdc <= 0) continue;
      Eigen::Vector3d axis = u.cross(v);
      const double length2 = axis.squaredNorm();
      if (length2 < 1e-12 * u.squaredNorm() * v.squaredNorm()) continue;
      axis /= std::sqrt(length2);
      if (axis.dot(a0 - center_a) < 0) axis = -axis;  // outward of A
      const double sep = axis.dot(b0 - a0);
      if (sep >= 0) return;
      if (sep > sep_edge) sep_edge = sep, edge_a = static_cast<int>(i), edge_b = static_cast<int>(j);
    }
  }

  const double size = std::min(BoundingRadius(*A.shape), BoundingRadius(*B.shape));
  if (edge_a >= 0 && sep_edge > std::max(sep_a, sep_b) + 1e-4 * size) {
    const auto& ea = ha.edges[edge_a].corners;
    const auto& eb = hb.edges[edge_b].corners;
    const Vector3<T>&a0 = w.vertices_a[ea[0]], &b0 = w.vertices_b[eb[0]];
    const Vector3<T> u = w.vertices_a[ea[1]] - a0, v = w.vertices_b[eb[1]] - b0, d = b0 - a0;
    Vector3<T> n = u.cross(v);
    n = n / n.norm();
    if (n.dot(Vector3<T>(a0 - A.p)) > 0.0) n = -n;  // inward of A: from B to A
    const T uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), ud = u.dot(d), vd = v.dot(d), det = uu * vv - uv * uv;
    const T s = (ud * vv - vd * uv) / det, t = (ud * uv - vd * uu) / det;
    w.normal = n;
    w.points.push_back({Vector3<T>((a0 + u * s + b0 + v * t) * 0.5), T(-n.dot(d))});
    return;
  }
  // A face of B as reference unless that of A separates better; equal ones (flat on flat) count as B's.
  if (sep_a > sep_b + 1e-6 * size) {
    const Vector3<T> n = FaceNormal<T>(A, face_a);
    w.normal = -n;
    w.side.clear();
    for (int corner : ha.faces[face_a].corners) w.side.push_back(w.vertices_a[corner]);
    FeatureAlong<T>(B, Vector3<T>(-n), w.polygon);
    ClipPatch<T>(w.side, n, w);
  } else {
    const Vector3<T> n = FaceNormal<T>(B, face_b);
    w.normal = n;
    w.side.clear();
    for (int corner : hb.faces[face_b].corners) w.side.push_back(w.vertices_b[corner]);
    FeatureAlong<T>(A, Vector3<T>(-n), w.polygon);
    ClipPatch<T>(w.side, n, w);
  }
}

/// Closest point of a polytope's surface to c, signed distance (negative inside) and outward direction.
template <class T>
T DistanceToPolytope(const PlacedShape<T>& s, const Vector3<T>& c, std::vector<Vector3<T>>& vertices,
                     Vector3<T>& nearest, Vector3<T>& outward) {
  PlaceVertices<T>(s, vertices);
  const ConvexHull& hull = s.shape->hull;
  // The face that separates best: inside, or in its prism, it has the nearest point.
  int face = 0;
  double best = -1e300;
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const Eigen::Vector3d n = ValueOf(s.R) * hull.faces[f].normal;
    const double d = n.dot(ValueOf(c) - ValueOf(vertices[hull.faces[f].corners[0]]));
    if (d > best) best = d, face = static_cast<int>(f);
  }
  if (best <= 0) {
    outward = FaceNormal<T>(s, face);
    const T d = outward.dot(Vector3<T>(c - vertices[hull.faces[face].corners[0]]));
    nearest = c - outward * d;
    return d;
  }
  double best2 = 1e300;
  for (std::size_t f = 0; f < hull.faces.size(); ++f) {
    const std::vector<int>& loop = hull.faces[f].corners;
    const Eigen::Vector3d n = ValueOf(s.R) * hull.faces[f].normal;
    const double d = n.dot(ValueOf(c) - ValueOf(vertices[loop[0]]));
    if (d <= 0) continue;
    bool inside = true;
    for (std::size_t i = 0; i < loop.size() && inside; ++i) {
      const Eigen::Vector3d a = ValueOf(vertices[loop[i]]), b = ValueOf(vertices[loop[(i + 1) % loop.size()]]);
      inside = (b - a).cross(n).dot(ValueOf(c) - a) <= 0;
    }
    if (!inside || d * d >= best2) continue;
    best2 = d * d;
    const Vector3<T> normal = FaceNormal<T>(s, static_cast<int>(f));
    nearest = c - normal * normal.dot(Vector3<T>(c - vertices[loop[0]]));
  }
  for (const HullEdge& edge : hull.edges) {
    const Vector3<T>&a = vertices[edge.corners[0]], &b = vertices[edge.corners[1]];
    const Vector3<T> u = b - a;
    T t = u.dot(Vector3<T>(c - a)) / u.dot(u);
    if (t < 0.0) t = T(0.0);
    if (t > 1.0) t = T(1.0);
    const Vector3<T> x = a + u * t;
    const double d2 = ValueOf(T((c - x).squaredNorm()));
    if (d2 < best2) best2 = d2, nearest = x;
  }
  const Vector3<T> apart = c - nearest;
  const T d = apart.norm();
  outward = apart / d;
  return d;
}

/// s(n) and the two support points.
template <class T>
T Separation(const PlacedShape<T>& A, const PlacedShape<T>& B, const Vector3<T>& n, Vector3<T>& a, Vector3<T>& b) {
  a = SupportPoint<T>(A, Vector3<T>(-n));
  b = SupportPoint<T>(B, n);
  return n.dot(Vector3<T>(a - b));
}

template <class T>
PlacedShape<double> ValuesOf(const PlacedShape<T>& s, SpatialShape<double>& shape) {
  if constexpr (std::is_same_v<T, double>) {
    return s;
  } else {
    shape.present = true;
    shape.type = s.shape->type;
    shape.size = ValueOf(s.shape->size);
    shape.semi_axes = ValueOf(s.shape->semi_axes);
    shape.radius = ValueOf(s.shape->radius);
    shape.length = ValueOf(s.shape->length);
    shape.axis = ValueOf(s.shape->axis);
    shape.hull = s.shape->hull;
    for (const auto& v : s.shape->vertices) shape.vertices.push_back(ValueOf(v));
    return {&shape, ValueOf(s.R), ValueOf(s.p)};
  }
}

/// The direction of largest separation by candidates and pattern search, in values. `face`: the normal of this face of
/// A (>= 0) or B (~face), where the best is a kink there; else -1 with `smooth`.
Eigen::Vector3d SearchSeparation(const PlacedShape<double>& A, const PlacedShape<double>& B, double* separation);

template <class T>
void CollideSmooth(const PlacedShape<T>& A, const PlacedShape<T>& B, BodyContactWorkspace<T>& w) {
  SpatialShape<double> values_a, values_b;
  const PlacedShape<double> a = ValuesOf(A, values_a), b = ValuesOf(B, values_b);
  double separation = 0;
  const Eigen::Vector3d n = SearchSeparation(a, b, &separation);
  if (separation >= 0) return;
  Vector3<T> normal = n.template cast<T>();
  Vector3<T> pa, pb;
  if constexpr (!std::is_same_v<T, double>) {
    // Stationarity: the support points lie behind one another, t . (pa - pb) = 0 for both tangents t. One Newton step.
    const Eigen::Vector3d t1 = n.unitOrthogonal(), t2 = n.cross(t1);
    const auto slip = [&](const Eigen::Vector3d& d) {
      Eigen::Vector3d x, y;
      const Eigen::Vector3d m = d.normalized();
      Separation<double>(a, b, m, x, y);
      return Eigen::Vector2d(t1.dot(x - y), t2.dot(x - y));
    };
    const double e = 1e-6;
    Eigen::Matrix2d H;
    H.col(0) = (slip(n + e * t1) - slip(n - e * t1)) / (2 * e);
    H.col(1) = (slip(n + e * t2) - slip(n - e * t2)) / (2 * e);
    // A corner or flat (kink) shows as a huge slope: there the direction is held.
    const double size = BoundingRadius(*a.shape) + BoundingRadius(*b.shape);
    if (H.cwiseAbs().maxCoeff() < 1e3 * size && std::abs(H.determinant()) > 1e-12 * size * size) {
      Separation<T>(A, B, normal, pa, pb);
      const Vector3<T> apart = pa - pb;
      Vector2<T> g(t1.cast<T>().dot(apart), t2.cast<T>().dot(apart));
      g -= ValueOf(g).template cast<T>();
      const Vector2<T> step = H.inverse().cast<T>() * g;
      normal -= t1.cast<T>() * step[0] + t2.cast<T>() * step[1];
      normal = normal / normal.norm();
    }
  }
  const T gap = Separation<T>(A, B, normal, pa, pb);
  PatchAlong<T>(A, B, normal, Vector3<T>((pa + pb) * 0.5), gap, w);
}

}  // namespace internal

/// Closed contacts of A and B (gap < 0) into w.points with w.normal; none when they are apart. The normal points from B
/// to A.
template <class T>
void CollideBodies(const PlacedShape<T>& A, const PlacedShape<T>& B, BodyContactWorkspace<T>& w) {
  w.points.clear();
  const double reach = BoundingRadius(*A.shape) + BoundingRadius(*B.shape);
  if ((ValueOf(A.p) - ValueOf(B.p)).squaredNorm() >= reach * reach) return;
  const bool sphere_a = A.shape->type == ShapeType::kSphere, sphere_b = B.shape->type == ShapeType::kSphere;
  const bool faces_a = internal::HasFaces(*A.shape), faces_b = internal::HasFaces(*B.shape);
  if (faces_a && faces_b) {
    internal::CollidePolytopes<T>(A, B, w);
  } else if (sphere_a && sphere_b) {
    const Vector3<T> apart = A.p - B.p;
    const T distance = apart.norm(), gap = distance - A.shape->radius - B.shape->radius;
    if (!(gap < 0.0) || !(distance > 0.0)) return;
    w.normal = apart / distance;
    w.points.push_back({Vector3<T>(B.p + w.normal * (B.shape->radius + 0.5 * gap)), gap});
  } else if ((sphere_a && faces_b) || (faces_a && sphere_b)) {
    const PlacedShape<T>&sphere = sphere_a ? A : B, &solid = sphere_a ? B : A;
    Vector3<T> nearest, outward;
    const T distance = internal::DistanceToPolytope<T>(solid, sphere.p, w.vertices_a, nearest, outward);
    const T gap = distance - sphere.shape->radius;
    if (!(gap < 0.0)) return;
    w.normal = sphere_a ? outward : Vector3<T>(-outward);
    w.points.push_back({Vector3<T>(nearest + outward * (0.5 * gap)), gap});
  } else {
    internal::CollideSmooth<T>(A, B, w);
  }
}

}  // namespace ricochet
