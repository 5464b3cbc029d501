// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "rollout/rest.h"

#include <cmath>

#include "math/so3.h"

namespace ricochet {

bool IsAtRest(const Stepper& stepper, const Model& model, const State& state, double h, Workspace& workspace,
              StepResult& scratch, const RestOptions& options) {
  const SpatialModel<double>& m = model.spatial;
  const int bodies = static_cast<int>(m.bodies.size());
  for (int b = 0; b < bodies; ++b) {
    if (m.bodies[b].fixed) continue;
    if (state.v.segment<3>(6 * b).norm() > options.speed) return false;
    if (state.v.segment<3>(6 * b + 3).norm() > options.rate) return false;
  }
  State still = state;
  still.v.setZero();
  stepper.Step(model, still, {}, h, workspace, scratch);
  const double allowed = options.residual * m.gravity.norm() * h;
  for (int b = 0; b < bodies; ++b) {
    if (m.bodies[b].fixed) continue;
    if (scratch.end.v.segment<3>(6 * b).norm() > allowed) return false;
    // Rates count by the speed they give the surface of the body.
    if (scratch.end.v.segment<3>(6 * b + 3).norm() * std::sqrt(m.bodies[b].I_BBcm_B.trace() / m.bodies[b].mass) >
        allowed) {
      return false;
    }
  }
  return true;
}

int RestingFace(const Model& model, const State& state, int body, int surface, double tolerance) {
  const SpatialShape<double>& shape = model.spatial.bodies[body].shape;
  const Quaternion<double> q = state.q.segment<4>(7 * body + 3);
  const Eigen::Vector3d down = RotateInverse<double>(q, Eigen::Vector3d(-model.spatial.surfaces[surface].R_WS.col(2)));
  const double least = std::cos(tolerance);
  if (shape.type == ShapeType::kCylinder) {
    const double along = down.dot(shape.axis);
    if (along >= least) return 0;
    if (along <= -least) return 1;
    return std::abs(along) <= std::sin(tolerance) ? 2 : -1;
  }
  for (std::size_t f = 0; f < shape.hull.faces.size(); ++f)
    if (shape.hull.faces[f].normal.dot(down) >= least) return static_cast<int>(f);
  return -1;
}

}  // namespace ricochet
