// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Our mixed complementarity solver against Siconos: K eliminated by a dense LU of Eigen, the rest by Siconos' Lemke
// (built only where its library is found).
//
// Without contacts and with bounds of dry friction that do not depend on multipliers the problem is a strictly convex
// minimization over velocities: x is unique and both must have it. Contacts with friction and bounds that depend on
// multipliers allow several solutions. There a difference is accepted only if both are solutions (1e-10), which proves
// that the solution is not unique, and from the active set of theirs ours must come to theirs in nine of ten.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "complementarity/mlcp/mlcp.h"
#include "tests/crosscheck/siconos_lemke.h"
#include "tests/support/random_mlcp.h"

namespace ricochet {
namespace {

/// x and z by dense elimination and Siconos; false if it reports failure.
bool SolveBySiconos(const MlcpProblem& problem, Eigen::VectorXd& x, Eigen::VectorXd& z) {
  const int n = problem.complementary_count(), size = problem.K.size();
  Eigen::MatrixXd K(size, size), C = Eigen::MatrixXd::Zero(size, n), N = Eigen::MatrixXd::Zero(n, size);
  Eigen::VectorXd column(size);
  for (int i = 0; i < size; ++i) {
    problem.K.Multiply(Eigen::VectorXd::Unit(size, i), column);
    K.col(i) = column;
  }
  for (int i = 0; i < n; ++i) {
    problem.C[i].AddTo(1, C.col(i));
    column.setZero();
    problem.N[i].AddTo(1, column);
    N.row(i) = column.transpose();
  }
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(K);
  const Eigen::MatrixXd Y = lu.solve(C);
  const Eigen::VectorXd x0 = lu.solve(problem.a);
  z.setZero(n);
  if (n > 0) {
    Eigen::MatrixXd M = N * Y;
    for (const MlcpEntry& entry : problem.P) M(entry.row, entry.column) += entry.value;
    z = SolveLcpBySiconos(M, problem.b + N * x0);
    if (z.size() == 0) return false;
  }
  x = x0 + Y * z;
  return true;
}

TEST(SiconosMlcp, SameVelocitiesWhereBothSolve) {
  RandomVectors random(21);
  MlcpProblem problem;
  MlcpWorkspace workspace;
  MlcpSolution ours;
  int compared = 0, failed_there = 0, unique = 0, differ = 0, reproduced = 0;
  std::vector<char> active;
  for (int trial = 0; trial < 10000; ++trial) {
    const RandomMlcpOptions kind = MlcpKind(trial);
    const bool is_unique = kind.contacts == 0 && (kind.dry == 0 || !kind.planted);
    MakeRandomMlcp(random, kind, problem);
    SolveMlcp(problem, {}, {}, workspace, ours);
    ASSERT_EQ(ours.status, MlcpStatus::kSolved) << trial;
    ASSERT_LE(MlcpResidual(problem, ours.x, ours.z), 1e-10) << trial;
    Eigen::VectorXd x, z;
    if (!SolveBySiconos(problem, x, z) || MlcpResidual(problem, x, z) > 1e-8) {
      ++failed_there;
      continue;
    }
    const auto differs = [&] { return (x - ours.x).cwiseAbs().maxCoeff() > 1e-7 * (1 + x.cwiseAbs().maxCoeff()); };
    const bool other = differs();
    EXPECT_FALSE(other && is_unique) << trial;
    if (other && MlcpResidual(problem, x, z) > 1e-10) {
      ++failed_there;
      continue;
    }
    ++compared;
    unique += is_unique;
    if (!other) continue;
    ++differ;
    // From its active set ours comes to its solution.
    active.assign(z.size(), 0);
    for (Eigen::Index i = 0; i < z.size(); ++i) active[i] = z[i] > 0;
    SolveMlcp(problem, active, {}, workspace, ours);
    ASSERT_LE(MlcpResidual(problem, ours.x, ours.z), 1e-10) << trial;
    reproduced += !differs();
  }
  EXPECT_GT(compared, 9000) << failed_there;
  EXPECT_GT(unique, 1500);
  EXPECT_LE(differ, 0.02 * compared);
  EXPECT_GE(reproduced, 0.9 * differ) << differ;
}

}  // namespace
}  // namespace ricochet
