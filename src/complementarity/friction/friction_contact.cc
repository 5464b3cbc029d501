// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction/friction_contact.h"

#include <algorithm>

namespace ricochet {

using Eigen::Vector3d;

double FrictionContactResidual(const FrictionContactProblem& problem, std::span<const Vector3d> impulse,
                               std::span<const Vector6d> velocity) {
  double scale = 0, worst = 0;
  std::vector<Vector6d> rest(velocity.begin(), velocity.end());
  for (int b = 0; b < problem.body_count; ++b) rest[b] -= problem.free_velocity[b];
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const FrictionContact& c = problem.contacts[i];
    scale = std::max(scale, ContactVelocity(c, problem.free_velocity).cwiseAbs().maxCoeff());
    double inverse_r = c.rows.squaredNorm() / 3;
    if (c.other >= 0) inverse_r += c.other_rows.squaredNorm() / 3;
    const Vector3d xi = ContactVelocity(c, velocity);
    const Vector3d fixed = impulse[i] - ProjectImpulse(impulse[i] - xi / inverse_r, c.mu);
    worst = std::max(worst, inverse_r * fixed.cwiseAbs().maxCoeff());
    rest[c.body].noalias() -= c.rows * impulse[i];
    if (c.other >= 0) rest[c.other].noalias() -= c.other_rows * impulse[i];
  }
  for (const FrictionContact& c : problem.contacts) {
    worst = std::max(worst, (c.rows.transpose() * rest[c.body]).cwiseAbs().maxCoeff());
    if (c.other >= 0) worst = std::max(worst, (c.other_rows.transpose() * rest[c.other]).cwiseAbs().maxCoeff());
  }
  return scale > 0 ? worst / scale : worst;
}

}  // namespace ricochet
