// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contact candidates of planar bodies against lines: gap, contact point and wrench directions, exact.
//
// With n and t the line's normal and tangent, r the contact point from the center of mass in world axes:
//
//   phi = n . (p_WBcm + r - p_WS)           gap, negative in penetration [m]
//   N = (n, r x n),  T = (t, r x t)         wrenches of unit impulses about Bcm  (Gabiccini sec. 4.1)
//   phi' = N . v - n . v_S                  rate of the gap; exact also for curved bodies, where r moves along the
//   body:
//                                           at the support point the change of r is parallel to t.
//   dphi/dq = N                             for the same reason.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "model/planar_model.h"

namespace ricochet {

/// Cosine and sine of a body's angle, computed once per body and step.
template <class T>
struct PlanarRotation {
  T c, s;
  explicit PlanarRotation(const T& theta) {
    using std::cos;
    using std::sin;
    c = cos(theta);
    s = sin(theta);
  }
  Eigen::Matrix<T, 2, 1> ToWorld(const Eigen::Matrix<T, 2, 1>& x_B) const {
    return {c * x_B.x() - s * x_B.y(), s * x_B.x() + c * x_B.y()};
  }
  Eigen::Matrix<T, 2, 1> ToBody(const Eigen::Matrix<T, 2, 1>& x_W) const {
    return {c * x_W.x() + s * x_W.y(), c * x_W.y() - s * x_W.x()};
  }
};

template <class T>
T Cross(const Eigen::Matrix<T, 2, 1>& a, const Eigen::Matrix<T, 2, 1>& b) {
  return a.x() * b.y() - a.y() * b.x();
}

template <class T>
struct PlanarContact {
  T gap;                           // phi [m]
  Eigen::Matrix<T, 2, 1> p_WC;     // contact point
  Eigen::Matrix<T, 3, 1> normal;   // N
  Eigen::Matrix<T, 3, 1> tangent;  // T
  T surface_vn, surface_vt;        // velocity of the surface's material along n and t [m/s]
};

/// Contact candidate `index` of a pair at body configuration q = (x, y, theta) of the center of mass.
template <class T>
PlanarContact<T> ComputePlanarContact(const PlanarBody<T>& body, const PlanarSurface<T>& surface, int index,
                                      const Eigen::Matrix<T, 2, 1>& p_WBcm, const PlanarRotation<T>& rotation) {
  PlanarContact<T> contact;
  const auto r = rotation.ToWorld(body.shape.SupportPoint(index, rotation.ToBody(surface.normal)));
  contact.p_WC = p_WBcm + r;
  contact.gap = surface.normal.dot(contact.p_WC - surface.point);
  contact.normal << surface.normal.x(), surface.normal.y(), Cross<T>(r, surface.normal);
  contact.tangent << surface.tangent.x(), surface.tangent.y(), Cross<T>(r, surface.tangent);
  contact.surface_vn = surface.normal.dot(surface.velocity);
  contact.surface_vt = surface.tangent.dot(surface.velocity);
  return contact;
}

/// False when the contact point lies beyond the ends of a bounded line. The ends are not obstacles themselves.
inline bool WithinExtent(const PlanarSurface<double>& surface, const Eigen::Vector2d& p_WC) {
  if (!surface.bounded) return true;
  const double along = surface.tangent.dot(p_WC - surface.point);
  return along >= surface.lo && along <= surface.hi;
}

}  // namespace ricochet
