// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#pragma once

#include <algorithm>

#include "dynamics/loads.h"
#include "geometry/convex_shape.h"

namespace ricochet {

template <class T>
EcpSolids<T> MakeEcpSolids(const SpatialModel<T>& model) {
  EcpSolids<T> solids;
  for (const SpatialBody<T>& body : model.bodies) {
    ConvexSolid<T>& solid = solids.bodies.emplace_back();
    if (!body.shape.present) continue;
    solid = MakeConvexSolid<T>(body.shape);
    solid.Translate(-body.p_BBcm);
  }
  for (const SpatialSurface<T>& surface : model.surfaces) {
    ConvexSolid<T>& solid = solids.surfaces.emplace_back();
    const Vector3<T> x = surface.R_WS.col(0), y = surface.R_WS.col(1), z = surface.R_WS.col(2);
    solid.facets.push_back(MakeHalfSpace<T>(z, surface.point));
    if (!surface.bounded) continue;
    solid.facets.push_back(MakeHalfSpace<T>(x, surface.point + x * surface.x1));
    solid.facets.push_back(MakeHalfSpace<T>(-x, surface.point + x * surface.x0));
    solid.facets.push_back(MakeHalfSpace<T>(y, surface.point + y * surface.y1));
    solid.facets.push_back(MakeHalfSpace<T>(-y, surface.point + y * surface.y0));
    solid.inside =
        surface.point + x * ((surface.x0 + surface.x1) * T(0.5)) + y * ((surface.y0 + surface.y1) * T(0.5)) - z;
  }
  return solids;
}

template <class T>
void MakeEcpProblem(const SpatialModel<T>& model, const EcpSolids<T>& solids, const T* q, const T* v, double time,
                    double h, std::span<const char> fired, EcpProblem<T>& out) {
  const int count = static_cast<int>(model.bodies.size());
  out.h = h;
  out.bodies.resize(count + 1);
  out.contacts.resize(model.pairs.size());

  // Bodies, and the world as the last.
  int offset = 0;
  double length = 0, mass = 0, speed = 0;
  for (int i = 0; i < count; ++i) {
    const SpatialBody<T>& body = model.bodies[i];
    EcpBody<T>& to = out.bodies[i];
    for (int k = 0; k < 3; ++k) to.p[k] = q[7 * i + k];
    for (int k = 0; k < 4; ++k) to.q[k] = q[7 * i + 3 + k];
    to.offset = -1;
    if (body.fixed) continue;
    to.offset = offset;
    offset += 6;
    to.mass = body.mass;
    const Matrix3<T> R = RotationMatrix<T>(to.q);
    to.inertia = R * body.I_BBcm_B * R.transpose();
    for (int k = 0; k < 3; ++k) {
      to.v[k] = v[6 * i + k];
      to.w[k] = v[6 * i + 3 + k];
    }
    to.impulse = LoadImpulse<T>(model.loads, i, time, h, fired);
    to.impulse.template head<3>() += model.gravity * (body.mass * T(h));
    const double radius = body.shape.present ? ValueOf(solids.bodies[i].radius) : 0.0;
    length = std::max(length, radius);
    mass = std::max(mass, ValueOf(body.mass));
    const double kick = ValueOf(to.impulse).template head<3>().norm() / ValueOf(body.mass);
    speed = std::max(speed, ValueOf(to.v).norm() + radius * ValueOf(to.w).norm() + kick);
  }
  EcpBody<T>& world = out.bodies[count];
  world.offset = -1;
  world.p.setZero();
  world.q = IdentityQuaternion<T>();
  out.length = length > 0 ? length : 1.0;
  out.mass = mass > 0 ? mass : 1.0;
  out.speed = speed > 0 ? speed : 1.0;

  for (std::size_t k = 0; k < model.pairs.size(); ++k) {
    const SpatialPair<T>& pair = model.pairs[k];
    EcpContact<T>& to = out.contacts[k];
    to.pair = static_cast<int>(k);
    to.f = pair.body;
    to.solid_f = &solids.bodies[pair.body];
    to.mu = pair.law.friction;
    to.e = pair.law.has_patch ? pair.law.patch : Vector3<T>(Vector3<T>::Zero());
    to.plane = pair.surface >= 0;
    if (to.plane) {
      const SpatialSurface<T>& surface = model.surfaces[pair.surface];
      to.g = count;
      to.solid_g = &solids.surfaces[pair.surface];
      to.belt = surface.velocity;
      to.fixed_frame = !surface.bounded;
      to.t = surface.R_WS.col(0);
      to.o = surface.R_WS.col(1);
    } else {
      to.g = pair.other;
      to.solid_g = &solids.bodies[pair.other];
      to.belt.setZero();
      to.fixed_frame = false;
    }
  }
}

}  // namespace ricochet
