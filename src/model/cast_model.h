// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A spatial model as constants on another scalar: what moves carries derivatives, what it is made of does not.
#pragma once

#include "model/spatial_model.h"

namespace ricochet {

namespace internal {

template <class T>
Eigen::Matrix<T, 3, 1> Cast(const Eigen::Vector3d& x) {
  return x.cast<T>();
}

template <class T>
std::vector<Eigen::Matrix<T, 3, 1>> Cast(const std::vector<Eigen::Vector3d>& points) {
  std::vector<Eigen::Matrix<T, 3, 1>> out;
  out.reserve(points.size());
  for (const Eigen::Vector3d& point : points) out.push_back(Cast<T>(point));
  return out;
}

template <class T>
SpatialShape<T> CastShape(const SpatialShape<double>& shape) {
  SpatialShape<T> out;
  out.present = shape.present;
  out.type = shape.type;
  out.size = Cast<T>(shape.size);
  out.semi_axes = Cast<T>(shape.semi_axes);
  out.radius = shape.radius;
  out.length = shape.length;
  out.axis = Cast<T>(shape.axis);
  out.vertices = Cast<T>(shape.vertices);
  out.hull = shape.hull;
  for (const Facet<double>& facet : shape.solid.facets) {
    out.solid.facets.push_back(
        {facet.kind, Cast<T>(facet.u), Cast<T>(facet.c), Cast<T>(facet.semi_axes), T(facet.size)});
  }
  out.solid.vertices = Cast<T>(shape.solid.vertices);
  out.solid.inside = Cast<T>(shape.solid.inside);
  out.solid.radius = shape.solid.radius;
  return out;
}

template <class T>
SpatialJointFrame<T> CastFrame(const SpatialJointFrame<double>& frame) {
  return {Cast<T>(frame.point), Cast<T>(frame.axis), Cast<T>(frame.zero)};
}

template <class T>
SpatialJoint<T> CastJoint(const SpatialJoint<double>& joint) {
  SpatialJoint<T> out{};
  out.type = joint.type;
  out.parent = joint.parent;
  out.child = joint.child;
  out.parent_frame = CastFrame<T>(joint.parent_frame);
  out.child_frame = CastFrame<T>(joint.child_frame);
  out.compliance_linear = joint.compliance_linear;
  out.compliance_angular = joint.compliance_angular;
  out.damping = joint.damping;
  out.viscous = joint.viscous;
  out.has_coulomb = joint.has_coulomb;
  out.coulomb = joint.coulomb;
  out.has_dry = joint.has_dry;
  out.dry_norm = joint.dry_norm;
  out.dry_radius = joint.dry_radius;
  out.dry_friction = joint.dry_friction;
  out.has_stribeck = joint.has_stribeck;
  out.stribeck_static = joint.stribeck_static;
  out.stribeck_rate = joint.stribeck_rate;
  out.has_motor = joint.has_motor;
  out.motor_gain = joint.motor_gain;
  out.motor_shaft_inertia = joint.motor_shaft_inertia;
  out.motor_input = joint.motor_input;
  out.motor_interpolation = joint.motor_interpolation;
  out.has_drive = joint.has_drive;
  out.drive_stiffness = joint.drive_stiffness;
  out.drive_damping = joint.drive_damping;
  out.has_limits = joint.has_limits;
  out.has_lower = joint.has_lower;
  out.has_upper = joint.has_upper;
  for (int i = 0; i < 2; ++i) {
    out.drive_target[i] = joint.drive_target[i];
    out.drive_rate[i] = joint.drive_rate[i];
    out.lower[i] = joint.lower[i];
    out.upper[i] = joint.upper[i];
  }
  out.has_length = joint.has_length;
  out.length = joint.length;
  return out;
}

}  // namespace internal

template <class T>
SpatialModel<T> CastModel(const SpatialModel<double>& model) {
  using internal::Cast;
  SpatialModel<T> out;
  out.gravity = Cast<T>(model.gravity);
  for (const SpatialBody<double>& body : model.bodies) {
    out.bodies.push_back({T(body.mass), body.I_BBcm_B.cast<T>(), Cast<T>(body.p_BBcm),
                          internal::CastShape<T>(body.shape), body.fixed, body.has_drag, T(body.drag_linear),
                          T(body.drag_quadratic)});
  }
  for (const SpatialSurface<double>& s : model.surfaces) {
    out.surfaces.push_back(
        {Cast<T>(s.point), s.R_WS.cast<T>(), Cast<T>(s.velocity), s.bounded, T(s.x0), T(s.x1), T(s.y0), T(s.y1)});
  }
  for (const SpatialPair<double>& pair : model.pairs) {
    const SpatialLaw<double>& law = pair.law;
    out.pairs.push_back(
        {pair.body,
         pair.surface,
         pair.other,
         {T(law.friction), T(law.restitution), T(law.tangential_restitution), law.has_patch, Cast<T>(law.patch),
          law.has_restitution_speed, law.has_compliance, law.has_rounding, T(law.restitution_low),
          T(law.restitution_speed), T(law.compliance), T(law.damping), T(law.rounding)}});
  }
  for (const SpatialJoint<double>& joint : model.joints) out.joints.push_back(internal::CastJoint<T>(joint));
  for (const Load<double>& load : model.loads) {
    out.loads.push_back(
        {load.body, load.force.cast<T>(), load.impulse.cast<T>(), load.from, load.until, load.at, load.trigger});
  }
  out.inputs = model.inputs;
  return out;
}

}  // namespace ricochet
