// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "dynamics/energy.h"

#include <Eigen/Geometry>

namespace ricochet {
namespace {

Energy PlanarEnergy(const PlanarModel<double>& model, const State& state) {
  Energy energy;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const auto& body = model.bodies[i];
    if (body.fixed) continue;
    const auto q = state.q.segment<3>(3 * i), v = state.v.segment<3>(3 * i);
    energy.kinetic += 0.5 * (body.mass * v.head<2>().squaredNorm() + body.inertia * v[2] * v[2]);
    energy.potential -= body.mass * model.gravity.dot(q.head<2>());
  }
  return energy;
}

Energy SpatialEnergy(const SpatialModel<double>& model, const State& state) {
  Energy energy;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const auto& body = model.bodies[i];
    if (body.fixed) continue;
    const auto q = state.q.segment<7>(7 * i);
    const auto v = state.v.segment<6>(6 * i);
    const Eigen::Vector3d w_B = Eigen::Quaterniond(q[3], q[4], q[5], q[6]).conjugate() * Eigen::Vector3d(v.tail<3>());
    energy.kinetic += 0.5 * (body.mass * v.head<3>().squaredNorm() + w_B.dot(body.I_BBcm_B * w_B));
    energy.potential -= body.mass * model.gravity.dot(q.head<3>());
  }
  return energy;
}

}  // namespace

Energy ComputeEnergy(const Model& model, const State& state) {
  return model.space == Space::kPlanar ? PlanarEnergy(model.planar, state) : SpatialEnergy(model.spatial, state);
}

}  // namespace ricochet
