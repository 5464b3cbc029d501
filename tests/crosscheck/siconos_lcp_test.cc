// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Our LCP solver against the lexicographic Lemke of Siconos (built only where its library is found).
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "complementarity/lcp/lcp.h"
#include "complementarity/planar/planar_contact.h"
#include "tests/crosscheck/siconos_lemke.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

Eigen::MatrixXd RandomMatrix(RandomVectors& random, int rows, int columns) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.Uniform(-1, 1); });
}

TEST(SiconosLcp, SameSolutionsOfPMatrices) {
  RandomVectors random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 25;
    const Eigen::MatrixXd B = RandomMatrix(random, n, n), S = RandomMatrix(random, n, n);
    const LcpProblem problem{B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + S - S.transpose(),
                             RandomMatrix(random, n, 1)};
    const Eigen::VectorXd theirs = SolveLcpBySiconos(problem.M, problem.q);
    ASSERT_EQ(theirs.size(), n) << trial;
    const LcpSolution ours = SolveLemke(problem);
    ASSERT_EQ(ours.summary.termination, LemkeTermination::kSolved);
    EXPECT_LE((ours.z - theirs).lpNorm<Eigen::Infinity>(), 1e-9 * (1 + theirs.lpNorm<Eigen::Infinity>())) << trial;
    EXPECT_LE(ours.summary.residual, std::max(1e-15, LcpResidual(problem, theirs)) * 10) << trial;
  }
}

TEST(SiconosLcp, SameVelocitiesAfterFrictionalContact) {
  // Copositive LCPs of one body with up to four contacts and friction small enough for unique velocities.
  RandomVectors random(2);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 4;
    Eigen::MatrixXd J(2 * n, 3);
    for (int i = 0; i < n; ++i) {
      const double angle = random.Uniform(-0.5, 0.5), px = random.Uniform(-1, 1), py = random.Uniform(-1, 0);
      const double nx = -std::sin(angle), ny = std::cos(angle);
      J.middleRows(2 * i, 2) << nx, ny, px * ny - py * nx, ny, -nx, -px * nx - py * ny;
    }
    const Eigen::Vector3d v = random.Vector<3>() + Eigen::Vector3d(0, -0.5, 0);
    const Eigen::MatrixXd A = J * Eigen::Vector3d(1, 1, 3).asDiagonal() * J.transpose();
    const Eigen::VectorXd b = J * v, friction = Eigen::VectorXd::Constant(n, 0.1);

    // z = (cn, c+, c-, lambda), written here apart from our own assembly: c = P z.
    Eigen::MatrixXd P = Eigen::MatrixXd::Zero(2 * n, 4 * n);
    LcpProblem problem{Eigen::MatrixXd::Zero(4 * n, 4 * n), Eigen::VectorXd::Zero(4 * n)};
    for (int i = 0; i < n; ++i) {
      P(2 * i, 4 * i) = 1;
      P(2 * i + 1, 4 * i + 1) = 1;
      P(2 * i + 1, 4 * i + 2) = -1;
    }
    problem.M = P.transpose() * A * P;
    problem.q = P.transpose() * b;
    for (int i = 0; i < n; ++i) {
      problem.M.block(4 * i + 1, 4 * i + 3, 2, 1).setOnes();
      problem.M.block(4 * i + 3, 4 * i, 1, 3) << friction[i], -1, -1;
    }
    PlanarContactWorkspace workspace;
    Eigen::VectorXd c(2 * n);
    std::vector<ContactMode> modes(n);
    const PlanarContactSummary summary = SolvePlanarContacts({A, b, friction}, workspace, c, modes);
    ASSERT_EQ(summary.termination, PlanarContactTermination::kSolved) << trial;
    const LcpSolution lemke = SolveLemke(problem);
    ASSERT_EQ(lemke.summary.termination, LemkeTermination::kSolved) << trial;
    EXPECT_LE((A * (c - P * lemke.z)).lpNorm<Eigen::Infinity>(), 1e-13) << trial;

    const Eigen::VectorXd theirs = SolveLcpBySiconos(problem.M, problem.q);
    if (theirs.size() == 0) continue;
    ++compared;
    EXPECT_LE((A * (c - P * theirs)).lpNorm<Eigen::Infinity>(), 1e-10) << trial;
  }
  // Siconos 4.4.0 reports failure on 14 of these 300, all of which have the solution found above. The bound only keeps
  // the comparison from becoming empty with another version.
  EXPECT_GE(compared, 270);
}

}  // namespace
}  // namespace ricochet
