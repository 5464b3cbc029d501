// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/soft_contact.h"

#include <gtest/gtest.h>

#include "complementarity/friction_contact_workspace.h"
#include "core/random.h"

namespace ricochet {
namespace {

/// Corners of a cube of unit mass and inertia that touch a plane, approached with random velocities.
SoftContactProblem RandomProblem(Random& random, int count, double softness) {
  SoftContactProblem problem;
  problem.contacts.count = count;
  Vector6d v;
  for (double& each : v) each = random.Uniform(-1, 1);
  v[2] -= 1.5;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d arm(i % 2 ? 0.5 : -0.5, i / 2 ? 0.5 : -0.5, -0.5);
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      problem.contacts.rows[i].col(k) << e, 4 * arm.cross(e);
    }
    problem.contacts.b[i] = problem.contacts.rows[i].transpose() * v;
    problem.contacts.mu[i] = random.Uniform(0, 0.8);
    problem.softness[i] = softness;
  }
  return problem;
}

TEST(SoftContact, SolvesRandomProblems) {
  Random random(4, 1);
  int slides = 0, sticks = 0;
  for (int k = 0; k < 4000; ++k) {
    const SoftContactProblem problem = RandomProblem(random, 1 + k % 4, random.Uniform(0.01, 3));
    SmallContactSolution solution;
    SolveSoftContact(problem, 1e-10, solution);
    EXPECT_TRUE(solution.converged) << k << " residual " << solution.residual;
    for (int i = 0; i < problem.contacts.count; ++i) {
      const Eigen::Vector3d& P = solution.impulse[i];
      EXPECT_GE(P[2], 0);
      EXPECT_LE(P.head<2>().norm(), problem.contacts.mu[i] * P[2] * (1 + 1e-8) + 1e-12);
      const double xi =
          problem.contacts.b[i][2] + problem.contacts.rows[i].col(2).dot(solution.change) + problem.softness[i] * P[2];
      EXPECT_GE(xi, -1e-8);
      EXPECT_NEAR(xi * P[2], 0, 1e-8);
      slides += solution.mode[i] == FrictionMode::kSlide;
      sticks += solution.mode[i] == FrictionMode::kStick;
    }
  }
  EXPECT_GT(slides, 1000);
  EXPECT_GT(sticks, 500);
}

TEST(SoftContact, OneContactHasTheImpulseOfItsSpring) {
  SoftContactProblem problem;
  problem.contacts.count = 1;
  problem.contacts.rows[0].setZero();
  problem.contacts.rows[0].topRows<3>().setIdentity();
  problem.contacts.b[0] = {0, 0, -2};
  problem.contacts.mu[0] = 0.5;
  problem.softness[0] = 3;
  SmallContactSolution solution;
  SolveSoftContact(problem, 1e-12, solution);
  EXPECT_NEAR(solution.impulse[0][2], 2.0 / (1 + 3), 1e-12);
  EXPECT_NEAR(solution.change[2], 0.5, 1e-12);
}

// As the compliance goes to 0 the velocity goes to that of hard contact.
TEST(SoftContact, TendsToHardContact) {
  Random random(5, 1);
  for (int k = 0; k < 200; ++k) {
    SoftContactProblem problem = RandomProblem(random, 1 + k % 3, 1e-8);
    SmallContactSolution soft;
    SolveSoftContact(problem, 1e-10, soft);
    FrictionContactWorkspace workspace;
    workspace.small = problem.contacts;
    SolveOneBody({}, workspace);
    EXPECT_LT((soft.change - workspace.small_solution.change).norm(), 3e-5) << k;
  }
}

TEST(SoftContact, NumbersOfAStep) {
  // c = 1e-5 m/N, tau = 4 ms, h = 2 ms, 1 mm deep: s = c / (h (h/2 + tau)), u = depth / (h/2 + tau).
  const SoftNormal normal = SoftNormalOf(1e-5, 4e-3, 2e-3, -1e-3);
  EXPECT_NEAR(normal.softness, 1, 1e-12);
  EXPECT_NEAR(normal.speed, 0.2, 1e-12);
}

}  // namespace
}  // namespace ricochet
