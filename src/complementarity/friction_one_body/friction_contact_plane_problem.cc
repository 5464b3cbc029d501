// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_plane_problem.h"

#include "complementarity/friction/small_dense.h"

namespace ricochet {

using Eigen::Matrix3d;
using Eigen::Vector3d;

bool VerifyPlaneContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution) {
  const int n = problem.count;
  const double mu = problem.mu, inverse_mass = 1 / problem.mass;
  Vector3d force = solution.impulse[0], torque = Cross3(problem.p[0], solution.impulse[0]);
  const double scale = problem.scale;
  for (int i = 1; i < n; ++i) {
    force += solution.impulse[i];
    torque += Cross3(problem.p[i], solution.impulse[i]);
  }
  solution.dv = force * inverse_mass;
  solution.dw = Times3(problem.I_inverse, torque);
  double worst = 0;
  const Matrix3d& J = problem.I_inverse;
  const double trace = J(0, 0) + J(1, 1) + J(2, 2);
  for (int i = 0; i < n; ++i) {
    const Vector3d& p = problem.p[i];
    const Vector3d& P = solution.impulse[i];
    const Vector3d xi = problem.b[i] + solution.dv + Cross3(solution.dw, p);
    // Inside the cone and at rest: |P - prox(P - r xi)| / r = |xi| for every small r.
    const double speed = std::max({std::abs(xi[0]), std::abs(xi[1]), std::abs(xi[2])});
    if (speed <= tolerance * scale && P[2] >= 0 && P[0] * P[0] + P[1] * P[1] <= mu * mu * P[2] * P[2]) {
      worst = std::max(worst, speed);
      continue;
    }
    const double inverse_r = inverse_mass + (trace * p.squaredNorm() - p.dot(Times3(J, p))) * (1.0 / 3);
    const double r = 1 / inverse_r;
    const double x = P[0] - r * xi[0], y = P[1] - r * xi[1], z = P[2] - r * xi[2];
    const double normal = z > 0 ? z : 0, radius = mu * normal, length2 = x * x + y * y;
    const double shrink = length2 <= radius * radius ? 1 : radius / std::sqrt(length2);
    const double worst_here =
        std::max({std::abs(P[0] - shrink * x), std::abs(P[1] - shrink * y), std::abs(P[2] - normal)});
    worst = std::max(worst, worst_here * inverse_r);
  }
  solution.residual = scale > 0 ? worst / scale : worst;
  return worst <= tolerance * scale;
}

}  // namespace ricochet
