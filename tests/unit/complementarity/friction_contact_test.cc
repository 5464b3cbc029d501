// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_bodies/friction_contact_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "complementarity/friction/friction_contact_local.h"
#include "complementarity/friction_bodies/friction_contact_solver.h"
#include "complementarity/friction_bodies/friction_contact_sweeps.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// A box with its lower corners (or `corners` of them) at the ground, moving at random; scaled by mass and inertia.
FrictionContactProblem RandomImpact(RandomVectors& random, int corners, double tilt_speed) {
  FrictionContactProblem p;
  p.body_count = 1;
  const Vector3d size(0.205, 0.155, 0.1), inertia(1.04e-3, 1.59e-3, 2.02e-3);
  Vector6d root;
  root << Vector3d::Constant(std::sqrt(0.365)), inertia.cwiseSqrt();
  Vector6d V;
  V << 2 * random.Vector<3>(), 6 * random.Vector<3>();
  V[2] = -0.2 * random.Uniform(0, 1);
  V.segment<2>(3) *= tilt_speed;
  p.free_velocity.push_back(root.cwiseProduct(V));
  const double mu = random.Uniform(0.05, 0.7), e = random.Uniform(0, 0.5);
  const double sides[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
  for (int i = 0; i < corners; ++i) {
    const Vector3d c(0.5 * sides[i][0] * size[0], 0.5 * sides[i][1] * size[1], -0.5 * size[2]);
    FrictionContact& contact = p.contacts.emplace_back();
    contact.mu = mu;
    for (int k = 0; k < 3; ++k) {
      Vector6d row;
      row << Vector3d::Unit(k), c.cross(Vector3d::Unit(k));
      contact.rows.col(k) = row.cwiseQuotient(root);
    }
    contact.bias[2] = e * contact.rows.col(2).dot(p.free_velocity[0]);
  }
  return p;
}

TEST(FrictionContact, TenThousandImpactsAreSolved) {
  RandomVectors random(2);
  FrictionContactWorkspace workspace;
  FrictionContactSolution solution;
  double worst = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    const FrictionContactProblem p = RandomImpact(random, 1 + trial % 4, trial % 3 == 0 ? 0.02 : 0.5);
    SolveFrictionContact(p, {}, workspace, solution);
    const double residual = FrictionContactResidual(p, solution.impulse, solution.velocity);
    worst = std::max(worst, residual);
    ASSERT_LE(residual, 1e-10) << trial;
    double power = 0;
    for (std::size_t i = 0; i < p.contacts.size(); ++i) {
      const Vector3d xi = ContactVelocity(p.contacts[i], solution.velocity), P = solution.impulse[i];
      EXPECT_LE(P.head<2>().dot(xi.head<2>()), 1e-12);  // friction opposes slip
      EXPECT_GE(P[2], 0);
      power += P.dot(xi);
    }
    EXPECT_LE(power, 1e-12);
  }
  RecordProperty("worst_residual", std::to_string(worst));
}

/// Where no impulse is clamped on the way, the simultaneous iteration ends at the least-norm solution.
TEST(FrictionContact, LeastNormIsTheLimitOfTheSimultaneousIteration) {
  RandomVectors random(3);
  FrictionContactWorkspace workspace;
  FrictionContactSolution ours, theirs;
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const FrictionContactProblem p = RandomImpact(random, 4, 0.003);
    SolveFrictionContact(p, {}, workspace, ours);
    SweepSimultaneously(p, 1e-13, 100000, theirs);
    if (!theirs.converged) continue;
    int closed = 0;
    for (const FrictionMode mode : theirs.mode) closed += mode != FrictionMode::kOpen;
    if (closed < 4) continue;
    // Not clamped: the null component of the normal impulses is zero.
    const double null = theirs.impulse[0][2] - theirs.impulse[1][2] + theirs.impulse[2][2] - theirs.impulse[3][2];
    if (std::abs(null) > 1e-12) continue;
    EXPECT_LE((ours.velocity[0] - theirs.velocity[0]).norm(), 1e-9) << trial;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(FrictionContact, OrderOfContactsDoesNotMatter) {
  RandomVectors random(5);
  FrictionContactWorkspace workspace;
  FrictionContactSolution a, b;
  for (int trial = 0; trial < 500; ++trial) {
    FrictionContactProblem p = RandomImpact(random, 4, 0.5);
    SolveFrictionContact(p, {}, workspace, a);
    std::rotate(p.contacts.begin(), p.contacts.begin() + 1 + trial % 3, p.contacts.end());
    if (trial % 2) std::swap(p.contacts[0], p.contacts[2]);
    SolveFrictionContact(p, {}, workspace, b);
    EXPECT_LE((a.velocity[0] - b.velocity[0]).norm(), 1e-9) << trial;
  }
}

TEST(FrictionContact, SpreadIsZeroForThreeContactsAndNotForFourThatSlide) {
  RandomVectors random(6);
  FrictionContactWorkspace workspace;
  FrictionContactSolution solution;
  double three = 0, four = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const FrictionContactProblem p3 = RandomImpact(random, 3, 0.5), p4 = RandomImpact(random, 4, 0.5);
    SolveFrictionContact(p3, {}, workspace, solution);
    three = std::max(three, FrictionContactSpread(p3, solution, 3));
    SolveFrictionContact(p4, {}, workspace, solution);
    four = std::max(four, FrictionContactSpread(p4, solution, 3));
  }
  EXPECT_LE(three, 1e-8);
  EXPECT_GT(four, 1e-4);
}

TEST(FrictionContactLocal, SatisfiesItsConditions) {
  RandomVectors random(7);
  for (int trial = 0; trial < 2000; ++trial) {
    Matrix3d A;
    A << random.Vector<3>(), random.Vector<3>(), random.Vector<3>();
    const Matrix3d D = A * A.transpose() + 0.1 * Matrix3d::Identity();
    const Vector3d q = random.Vector<3>();
    const double mu = random.Uniform(0, 0.5);
    const LocalSolution s = SolveLocalContact(D, q, mu);
    const Vector3d xi = D * s.impulse + q;
    const Vector3d fixed = s.impulse - ProjectImpulse(s.impulse - xi, mu);
    EXPECT_LE(fixed.norm(), 1e-10) << trial;
  }
}

}  // namespace
}  // namespace ricochet
