// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contacts as one-sided rows: gap, wrench rows along normal and tangents, velocity of the surface.
//
//     against a surface    candidate points of the shape (dynamics/spatial_contacts.h), tangents x, y of its frame
//     between bodies       points of the patch (geometry/body_contact.h), closed ones only, tangents by the same rule
//     rows                 body a: (n, r_a x n), body b: -(n, r_b x n), r from the center of mass to the point
//
// Compliance and damping come from simulation.options (damping 0: two steps), friction and restitution from the pair.
#pragma once

#include "dynamics/spatial_contacts.h"
#include "geometry/body_contact.h"
#include "steppers/spook/spook_residual.h"

namespace ricochet {

/// Contact point number `index` of a pair at the given poses. `p_WC` returns the point; `present` false: no such point.
template <class T>
UnilateralGeometry<T> ContactGeometry(const SpatialModel<T>& model, const SpookOptions& options, double h, int pair,
                                      int index, const MassPose<T>& a, const MassPose<T>& b,
                                      BodyContactWorkspace<T>& scratch, Vector3<T>& p_WC, bool& present);

/// Number of contact points of a pair at the given poses.
int ContactCount(const SpatialModel<double>& model, int pair, std::span<const MassPose<double>> poses,
                 BodyContactWorkspace<double>& scratch);

// --- Implementation of the template.

namespace internal {

template <class T>
PlacedShape<T> PlaceShape(const SpatialBody<T>& body, const MassPose<T>& pose) {
  return {&body.shape, pose.R, Vector3<T>(pose.p - pose.R * body.p_BBcm)};
}

/// Columns normal, x, y of a contact frame.
template <class T>
Eigen::Matrix<T, 6, 3> WrenchRows(const Vector3<T>& arm, const Matrix3<T>& directions) {
  Eigen::Matrix<T, 6, 3> rows;
  rows.template topRows<3>() = directions;
  for (int i = 0; i < 3; ++i) rows.col(i).template tail<3>() = arm.cross(Vector3<T>(directions.col(i)));
  return rows;
}

}  // namespace internal

template <class T>
UnilateralGeometry<T> ContactGeometry(const SpatialModel<T>& model, const SpookOptions& options, double h, int pair,
                                      int index, const MassPose<T>& a, const MassPose<T>& b,
                                      BodyContactWorkspace<T>& scratch, Vector3<T>& p_WC, bool& present) {
  const SpatialPair<T>& law = model.pairs[pair];
  const SpatialBody<T>& body = model.bodies[law.body];
  UnilateralGeometry<T> out;
  out.friction = law.law.friction;
  out.restitution = law.law.restitution;
  out.compliance = T(options.contact_compliance);
  out.damping = T(options.contact_damping > 0 ? options.contact_damping : 2 * h);
  present = true;
  Matrix3<T> directions;
  if (law.surface >= 0) {
    const SpatialSurface<T>& surface = model.surfaces[law.surface];
    const Vector3<T> n = surface.R_WS.col(2);
    const Vector3<T> point = CandidatePoint<T>(body.shape, index, Vector3<T>(a.R.transpose() * n));
    const Vector3<T> arm = a.R * (point - body.p_BBcm);
    p_WC = a.p + arm;
    present = WithinExtent<T>(surface, p_WC);
    out.gap = n.dot(Vector3<T>(p_WC - surface.point));
    directions << n, surface.R_WS.col(0), surface.R_WS.col(1);
    out.rows_a = internal::WrenchRows<T>(arm, directions);
    out.bias = directions.transpose() * surface.velocity;
    return out;
  }
  const SpatialBody<T>& other = model.bodies[law.other];
  CollideBodies<T>(internal::PlaceShape<T>(body, a), internal::PlaceShape<T>(other, b), scratch);
  present = index < static_cast<int>(scratch.points.size());
  if (!present) return out;
  const Vector3<T> n = scratch.normal, x = FirstAxisAcross<T>(n);
  p_WC = scratch.points[index].p_W;
  out.gap = scratch.points[index].gap;
  directions << n, x, n.cross(x);
  out.rows_a = internal::WrenchRows<T>(Vector3<T>(p_WC - a.p), directions);
  out.rows_b = -internal::WrenchRows<T>(Vector3<T>(p_WC - b.p), directions);
  return out;
}

}  // namespace ricochet
