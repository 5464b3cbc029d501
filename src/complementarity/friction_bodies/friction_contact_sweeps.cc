// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_sweeps.h"

#include <algorithm>
#include <cmath>

#include "complementarity/friction/friction_contact_local.h"

namespace ricochet {
namespace {

using Eigen::Vector3d;

void AddImpulse(const FrictionContact& c, const Vector3d& P, std::span<Vector6d> v) {
  v[c.body].noalias() += c.rows * P;
  if (c.other >= 0) v[c.other].noalias() += c.other_rows * P;
}

/// Largest eigenvalue of D, which J^T J shares, by the power method from a start that every contact drives.
double LargestEigenvalue(const FrictionContactProblem& problem) {
  std::vector<Vector6d> x(problem.body_count, Vector6d::Zero()), y(problem.body_count);
  for (const FrictionContact& c : problem.contacts) AddImpulse(c, Vector3d(0.9, 1.1, 1), x);
  double lambda = 0;
  for (int k = 0; k < 1000; ++k) {
    double norm2 = 0;
    for (const Vector6d& part : x) norm2 += part.squaredNorm();
    if (!(norm2 > 0)) break;
    const double inverse = 1 / std::sqrt(norm2);
    for (Vector6d& part : x) part *= inverse;
    for (Vector6d& part : y) part.setZero();
    for (const FrictionContact& c : problem.contacts) {
      Vector3d xi = c.rows.transpose() * x[c.body];
      if (c.other >= 0) xi += c.other_rows.transpose() * x[c.other];
      AddImpulse(c, xi, y);
    }
    double next = 0;
    for (int b = 0; b < problem.body_count; ++b) next += x[b].dot(y[b]);
    std::swap(x, y);
    const bool settled = std::abs(next - lambda) <= 1e-14 * next;
    lambda = next;
    if (settled) break;
  }
  return lambda;
}

void Finish(const FrictionContactProblem& problem, double tolerance, int sweeps, FrictionContactSolution& solution) {
  solution.residual = FrictionContactResidual(problem, solution.impulse, solution.velocity);
  solution.converged = solution.residual <= tolerance;
  solution.iterations += sweeps;
  ClassifyModes(problem, solution);
}

}  // namespace

void ClassifyModes(const FrictionContactProblem& problem, FrictionContactSolution& solution) {
  double scale = 0;
  for (const FrictionContact& c : problem.contacts)
    scale = std::max(scale, ContactVelocity(c, problem.free_velocity).cwiseAbs().maxCoeff());
  solution.mode.resize(problem.contacts.size());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const Vector3d& P = solution.impulse[i];
    const double friction = std::sqrt(P[0] * P[0] + P[1] * P[1]);
    if (!(P[2] > 0)) {
      solution.mode[i] = FrictionMode::kOpen;
    } else if (friction < problem.contacts[i].mu * P[2] * (1 - 1e-9)) {
      solution.mode[i] = FrictionMode::kStick;
    } else {
      const Vector3d xi = ContactVelocity(problem.contacts[i], solution.velocity);
      const bool slips = std::sqrt(xi[0] * xi[0] + xi[1] * xi[1]) > 1e-9 * scale;
      solution.mode[i] = slips ? FrictionMode::kSlide : FrictionMode::kStick;
    }
  }
}

void SweepSimultaneously(const FrictionContactProblem& problem, double tolerance, int max_sweeps,
                         FrictionContactSolution& solution) {
  const std::size_t n = problem.contacts.size();
  solution.impulse.assign(n, Vector3d::Zero());
  solution.velocity = problem.free_velocity;
  const double lambda = LargestEigenvalue(problem);
  const double r = lambda > 0 ? 1 / lambda : 0;
  int sweep = 0;
  for (; sweep < max_sweeps; ++sweep) {
    double change = 0, size = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const FrictionContact& c = problem.contacts[i];
      const Vector3d next = ProjectImpulse(solution.impulse[i] - r * ContactVelocity(c, solution.velocity), c.mu);
      change = std::max(change, (next - solution.impulse[i]).cwiseAbs().maxCoeff());
      size = std::max(size, next.cwiseAbs().maxCoeff());
      sum += next.sum();
      solution.impulse[i] = next;
    }
    solution.velocity = problem.free_velocity;
    for (std::size_t i = 0; i < n; ++i) AddImpulse(problem.contacts[i], solution.impulse[i], solution.velocity);
    if (change <= 1e-15 * size) break;
    if (!std::isfinite(sum)) {
      // Friction too large for this iteration: it ran away. Nothing is better than that.
      for (Vector3d& P : solution.impulse) P.setZero();
      solution.velocity = problem.free_velocity;
      break;
    }
    if (sweep % 64 == 63 && change <= tolerance * size &&
        FrictionContactResidual(problem, solution.impulse, solution.velocity) <= 0.1 * tolerance) {
      break;
    }
  }
  Finish(problem, tolerance, sweep, solution);
}

void SweepInOrder(const FrictionContactProblem& problem, std::span<const int> order, double tolerance, int max_sweeps,
                  FrictionContactSolution& solution) {
  const std::size_t n = problem.contacts.size();
  solution.impulse.assign(n, Vector3d::Zero());
  solution.velocity = problem.free_velocity;
  int sweep = 0;
  for (; sweep < max_sweeps; ++sweep) {
    for (int i : order) {
      const FrictionContact& c = problem.contacts[i];
      Eigen::Matrix3d D = c.rows.transpose() * c.rows;
      if (c.other >= 0) D.noalias() += c.other_rows.transpose() * c.other_rows;
      const Vector3d q = ContactVelocity(c, solution.velocity) - D * solution.impulse[i];
      const Vector3d next = SolveLocalContact(D, q, c.mu).impulse;
      AddImpulse(c, next - solution.impulse[i], solution.velocity);
      solution.impulse[i] = next;
    }
    if (sweep % 16 == 15 && FrictionContactResidual(problem, solution.impulse, solution.velocity) <= tolerance) break;
  }
  Finish(problem, tolerance, sweep, solution);
}

}  // namespace ricochet
