// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/friction_one_body/friction_contact_soft.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "complementarity/friction/soft_contact.h"
#include "core/random.h"

namespace ricochet {
namespace {

/// Corners of a box of mass 0.4 kg on a plane, approached with random velocities.
SoftContactProblem RandomProblem(int count, Random& random) {
  SoftContactProblem problem;
  problem.contacts.count = count;
  const double root_mass = std::sqrt(0.4), root_inertia = std::sqrt(1e-3);
  Vector6d twist;
  for (double& each : twist) each = random.Uniform(-1, 1);
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d p(i % 2 ? 0.05 : -0.05, i / 2 ? 0.05 : -0.05, -0.05 + random.Uniform(-0.01, 0.01));
    ContactRows& J = problem.contacts.rows[i];
    for (int k = 0; k < 3; ++k) {
      const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
      J.col(k) << e / root_mass, p.cross(e) / root_inertia;
    }
    Vector6d scaled = twist;
    scaled.head<3>() *= root_mass;
    scaled.tail<3>() *= 10 * root_inertia;
    problem.contacts.b[i] = J.transpose() * scaled;
    problem.contacts.b[i][2] -= random.Uniform(0, 1.5);
    problem.contacts.mu[i] = random.Uniform(0, 2);
    problem.softness[i] = random.Uniform(0.5, 10);
  }
  return problem;
}

/// The same problem with a second body per contact, as the general solver takes it.
FrictionContactProblem General(const SoftContactProblem& soft) {
  FrictionContactProblem problem;
  problem.body_count = 1 + soft.contacts.count;
  problem.free_velocity.assign(static_cast<std::size_t>(problem.body_count), Vector6d::Zero());
  for (int i = 0; i < soft.contacts.count; ++i) {
    FrictionContact& c = problem.contacts.emplace_back();
    c.other = 1 + i;
    c.mu = soft.contacts.mu[i];
    c.rows = soft.contacts.rows[i];
    c.other_rows = SoftRows<double>(soft.softness[i]);
    c.bias = soft.contacts.b[i];
  }
  return problem;
}

TEST(FrictionContactSoft, FourThousandRandomProblemsAreSolved) {
  Random random(5);
  int open = 0, stick = 0, slide = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const SoftContactProblem problem = RandomProblem(1 + trial % 4, random);
    SmallContactSolution solution;
    SolveSoftContact(problem, 1e-11, solution);
    ASSERT_LE(SoftContactResidual(problem, solution), 1e-10) << trial;
    for (int i = 0; i < problem.contacts.count; ++i) {
      const Eigen::Vector3d& P = solution.impulse[i];
      ASSERT_LE(std::hypot(P[0], P[1]), problem.contacts.mu[i] * P[2] * (1 + 1e-9) + 1e-12);
      open += solution.mode[i] == FrictionMode::kOpen ? 1 : 0;
      stick += solution.mode[i] == FrictionMode::kStick ? 1 : 0;
      slide += solution.mode[i] == FrictionMode::kSlide ? 1 : 0;
    }
  }
  EXPECT_GT(std::min({open, stick, slide}), 1000);
}

TEST(FrictionContactSoft, MeetsTheConditionsOfTheGeneralProblem) {
  Random random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const SoftContactProblem soft = RandomProblem(1 + trial % 4, random);
    SmallContactSolution solution;
    SolveSoftContact(soft, 1e-11, solution);
    // Impulses of the fast solver, judged by the conditions of the general problem.
    const FrictionContactProblem problem = General(soft);
    std::vector<Eigen::Vector3d> impulse(solution.impulse.begin(), solution.impulse.begin() + soft.contacts.count);
    std::vector<Vector6d> velocity(static_cast<std::size_t>(problem.body_count), Vector6d::Zero());
    velocity[0] = solution.change;
    for (int i = 0; i < soft.contacts.count; ++i)
      velocity[static_cast<std::size_t>(1 + i)] = problem.contacts[static_cast<std::size_t>(i)].other_rows * impulse[i];
    EXPECT_LE(FrictionContactResidual(problem, impulse, velocity), 1e-10) << trial;
  }
}

}  // namespace
}  // namespace ricochet
