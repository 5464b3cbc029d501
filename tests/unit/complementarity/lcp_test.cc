// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/lcp/lcp.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "tests/support/allocation_count.h"
#include "tests/support/random_vectors.h"

namespace ricochet {
namespace {

Eigen::MatrixXd RandomMatrix(RandomVectors& random, int rows, int columns) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.Uniform(-1, 1); });
}

// B B' + skew is positive definite, not symmetric, hence a P-matrix.
Eigen::MatrixXd RandomPMatrix(RandomVectors& random, int n) {
  const Eigen::MatrixXd B = RandomMatrix(random, n, n), S = RandomMatrix(random, n, n);
  return B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + S - S.transpose();
}

void ExpectSolution(const LcpProblem& problem, const Eigen::VectorXd& expected, double tolerance = 1e-13) {
  const LcpSolution solution = SolveLemke(problem);
  EXPECT_EQ(solution.summary.termination, LemkeTermination::kSolved);
  EXPECT_LE(solution.summary.residual, 1e-13);
  EXPECT_LE((solution.z - expected).lpNorm<Eigen::Infinity>(), tolerance * (1 + expected.lpNorm<Eigen::Infinity>()))
      << solution.z.transpose();
}

TEST(LcpResidual, IsZeroAtASolutionAndSeesEachCondition) {
  const LcpProblem problem{(Eigen::Matrix2d() << 2, 1, 1, 2).finished(), Eigen::Vector2d(-5, -6)};
  EXPECT_LE(LcpResidual(problem, Eigen::Vector2d(4. / 3, 7. / 3)), 1e-15);
  EXPECT_GT(LcpResidual(problem, Eigen::Vector2d(0, 0)), 0.9);      // w < 0
  EXPECT_GT(LcpResidual(problem, Eigen::Vector2d(3, 3)), 0.1);      // z'w > 0
  EXPECT_GT(LcpResidual(problem, Eigen::Vector2d(-1, 3.5)), 0.05);  // z < 0
  EXPECT_TRUE(std::isnan(LcpResidual(problem, Eigen::Vector2d(NAN, 0))));
}

TEST(LcpResidual, DoesNotDependOnUnits) {
  RandomVectors random(1);
  const LcpProblem problem{RandomPMatrix(random, 5), RandomMatrix(random, 5, 1)};
  const Eigen::VectorXd z = RandomMatrix(random, 5, 1).cwiseAbs();
  Eigen::VectorXd d(5);
  for (int i = 0; i < 5; ++i) d[i] = random.LogUniform(1e-6, 1e6);
  const LcpProblem scaled{d.asDiagonal() * problem.M * d.asDiagonal(), d.cwiseProduct(problem.q)};
  const double expected = LcpResidual(problem, z);
  EXPECT_GT(expected, 1e-3);
  EXPECT_NEAR(LcpResidual(scaled, z.cwiseQuotient(d)), expected, 1e-12);
}

TEST(Lemke, SmallProblemsOfTheLiterature) {
  ExpectSolution({(Eigen::Matrix2d() << 2, 1, 1, 2).finished(), Eigen::Vector2d(-5, -6)},
                 Eigen::Vector2d(4. / 3, 7. / 3));
  // Already solved.
  ExpectSolution({Eigen::Matrix2d::Identity(), Eigen::Vector2d(1, 0)}, Eigen::Vector2d(0, 0));
  // Skew: a matrix game.
  ExpectSolution({(Eigen::Matrix2d() << 0, 1, -1, 0).finished(), Eigen::Vector2d(-1, 1)}, Eigen::Vector2d(1, 1));
}

TEST(Lemke, KostrevasMatrixWhoseTiesMakeSimplePivotingCycle) {
  // M. Kostreva, "Cycling in linear complementarity problems" (1979): all ratios tie at the start.
  const Eigen::Matrix3d M = (Eigen::Matrix3d() << 1, 2, 0, 0, 1, 2, 2, 0, 1).finished();
  ExpectSolution({M, Eigen::Vector3d(-1, -1, -1)}, Eigen::Vector3d::Constant(1. / 3));
}

TEST(Lemke, BealesLinearProgramThatCyclesWithoutALexicographicRule) {
  // min c'x, A x <= b, x >= 0 as LCP in (x, y): w = (c + A'y, b - A x). Optimum -1/20 at (1/25, 0, 1, 0).
  Eigen::Matrix<double, 3, 4> A;
  A << 0.25, -60, -1. / 25, 9, 0.5, -90, -1. / 50, 3, 0, 0, 1, 0;
  const Eigen::Vector4d c(-0.75, 150, -0.02, 6);
  LcpProblem problem{Eigen::MatrixXd::Zero(7, 7), Eigen::VectorXd(7)};
  problem.M.topRightCorner(4, 3) = A.transpose();
  problem.M.bottomLeftCorner(3, 4) = -A;
  problem.q << c, 0, 0, 1;
  const LcpSolution solution = SolveLemke(problem);
  ASSERT_EQ(solution.summary.termination, LemkeTermination::kSolved);
  EXPECT_LE(solution.summary.residual, 1e-13);
  EXPECT_NEAR(c.dot(solution.z.head(4)), -0.05, 1e-15);
  EXPECT_NEAR(solution.z[0], 0.04, 1e-15);
}

// K. Murty, "Computational complexity of complementary pivot methods" (1978): unit lower triangle with 2 below.
Eigen::MatrixXd MurtyMatrix(int n) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) M.row(i).head(i).setConstant(2);
  return M;
}

TEST(Lemke, TakesTwoToTheNPivotsOnMurtysProblemAndSolvesItExactly) {
  for (int n = 2; n <= 12; ++n) {
    const LcpSolution solution = SolveLemke({MurtyMatrix(n), -Eigen::VectorXd::Ones(n)}, {.max_pivots = 5000});
    EXPECT_EQ(solution.summary.termination, LemkeTermination::kSolved) << n;
    EXPECT_EQ(solution.summary.pivots, 1 << n);
    EXPECT_EQ(solution.z, Eigen::VectorXd::Unit(n, 0));
  }
}

TEST(Lemke, FathisMatrices) {
  // Y. Fathi (1979): symmetric positive definite, bad for other pivoting rules.
  for (const int n : {2, 5, 20, 60}) {
    ExpectSolution({MurtyMatrix(n) * MurtyMatrix(n).transpose(), -Eigen::VectorXd::Ones(n)},
                   Eigen::VectorXd::Unit(n, 0));
  }
}

TEST(Lemke, ReportsThePivotLimit) {
  const LcpSolution stopped = SolveLemke({MurtyMatrix(8), -Eigen::VectorXd::Ones(8)}, {.max_pivots = 255});
  EXPECT_EQ(stopped.summary.termination, LemkeTermination::kPivotLimit);
  EXPECT_EQ(stopped.summary.pivots, 255);
  EXPECT_EQ(stopped.summary.residual, 1);
}

TEST(Lemke, RayWhereThereIsNoSolution) {
  // w2 = -z1 - 1 is never >= 0; M is positive semidefinite, so the ray proves it.
  const LcpProblem skew{(Eigen::Matrix2d() << 0, 1, -1, 0).finished(), Eigen::Vector2d(-1, -1)};
  EXPECT_EQ(SolveLemke(skew).summary.termination, LemkeTermination::kRay);
  EXPECT_GT(SolveLemke(skew).summary.residual, 0.5);
  const LcpProblem zero{Eigen::Matrix2d::Zero(), Eigen::Vector2d(1, -1)};
  EXPECT_EQ(SolveLemke(zero).summary.termination, LemkeTermination::kRay);
}

TEST(Lemke, RandomPMatricesAnyUnits) {
  RandomVectors random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + trial % 40;
    // A known solution with some entries zero on both sides (degenerate).
    Eigen::VectorXd z = RandomMatrix(random, n, 1), w = -z;
    z = z.cwiseMax(0);
    w = w.cwiseMax(0);
    if (trial % 3 == 0) z[0] = w[0] = 0;
    const Eigen::MatrixXd M = RandomPMatrix(random, n);
    Eigen::VectorXd d(n);
    for (int i = 0; i < n; ++i) d[i] = trial % 2 ? random.LogUniform(1e-6, 1e6) : 1.0;
    const LcpProblem problem{d.asDiagonal() * M * d.asDiagonal(), d.cwiseProduct(w - M * z)};
    const LcpSolution solution = SolveLemke(problem);
    ASSERT_EQ(solution.summary.termination, LemkeTermination::kSolved) << trial;
    EXPECT_LE(solution.summary.residual, 1e-13) << trial;
    EXPECT_LE((solution.z.cwiseProduct(d) - z).lpNorm<Eigen::Infinity>(), 1e-9) << trial;
  }
}

TEST(Lemke, RandomSemidefiniteMatricesWithASolution) {
  RandomVectors random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 2 + trial % 20, rank = 1 + trial % 7;
    const Eigen::MatrixXd B = RandomMatrix(random, n, rank);
    const Eigen::VectorXd z = RandomMatrix(random, n, 1);
    const Eigen::VectorXd w = (-z).cwiseMax(0);
    const LcpProblem problem{B * B.transpose(), w - B * (B.transpose() * z.cwiseMax(0))};
    const LcpSolution solution = SolveLemke(problem);
    ASSERT_EQ(solution.summary.termination, LemkeTermination::kSolved) << trial;
    EXPECT_LE(solution.summary.residual, 1e-12) << trial;
    // z is not unique, w is.
    EXPECT_LE((solution.w - w).lpNorm<Eigen::Infinity>(), 1e-10) << trial;
  }
}

TEST(Lemke, DoesNotAllocateWithAWorkspace) {
  RandomVectors random(4);
  const LcpProblem large{RandomPMatrix(random, 30), -Eigen::VectorXd::Ones(30)};
  const LcpProblem small{RandomPMatrix(random, 7), -Eigen::VectorXd::Ones(7)};
  LemkeWorkspace workspace(30);
  Eigen::VectorXd z(30);
  const testing::AllocationCount count;
  const LemkeSummary first = SolveLemke(large.M, large.q, workspace, z);
  const LemkeSummary second = SolveLemke(small.M, small.q, workspace, z.head(7));
  EXPECT_EQ(count.allocations(), 0);
  EXPECT_EQ(first.termination, LemkeTermination::kSolved);
  EXPECT_EQ(second.termination, LemkeTermination::kSolved);
}

TEST(LcpDerivative, AgreesWithDifferences) {
  RandomVectors random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 6;
    const LcpProblem problem{RandomPMatrix(random, n), RandomMatrix(random, n, 1)};
    const Eigen::MatrixXd dM = RandomMatrix(random, n, n);
    const Eigen::VectorXd dq = RandomMatrix(random, n, 1);
    const Eigen::VectorXd z = SolveLemke(problem).z;
    const LcpDerivative derivative = DifferentiateLcp(problem, z);
    EXPECT_TRUE(derivative.strict);
    EXPECT_TRUE(derivative.regular);
    const double h = 1e-6;
    const Eigen::VectorXd plus = SolveLemke({problem.M + h * dM, problem.q + h * dq}).z;
    const Eigen::VectorXd minus = SolveLemke({problem.M - h * dM, problem.q - h * dq}).z;
    const Eigen::VectorXd expected = (plus - minus) / (2 * h);
    EXPECT_LE((derivative.Apply(dM, dq, z) - expected).lpNorm<Eigen::Infinity>(),
              1e-7 * (1 + expected.lpNorm<Eigen::Infinity>()))
        << trial;
  }
}

TEST(LcpDerivative, SaysWhenItIsOneSidedOrNotUnique) {
  const LcpProblem kink{Eigen::Matrix2d::Identity(), Eigen::Vector2d(0, -1)};
  EXPECT_FALSE(DifferentiateLcp(kink, Eigen::Vector2d(0, 1)).strict);
  EXPECT_TRUE(DifferentiateLcp(kink, Eigen::Vector2d(0, 1)).regular);
  const LcpProblem redundant{Eigen::Matrix2d::Ones(), Eigen::Vector2d(-1, -1)};
  const LcpDerivative derivative = DifferentiateLcp(redundant, Eigen::Vector2d(0.5, 0.5));
  EXPECT_FALSE(derivative.regular);
  EXPECT_NEAR(derivative.dz_dq.sum(), -1, 1e-14);  // z1 + z2 = -q for equal changes of q
}

}  // namespace
}  // namespace ricochet
