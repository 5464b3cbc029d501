// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "complementarity/mixed_ncp/mixed_ncp.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/mixed_ncp_problems.h"

namespace ricochet {
namespace {

bool IsKnownSolution(const MixedNcpCase& c, const Eigen::VectorXd& z) {
  if (c.is_solution) return c.is_solution(z);
  for (const Eigen::VectorXd& solution : c.solutions) {
    if ((z - solution).lpNorm<Eigen::Infinity>() <= c.accuracy) return true;
  }
  return false;
}

TEST(MixedNcp, SolvesTheStandardProblemsFromEveryStart) {
  const std::vector<MixedNcpCase> cases = MixedNcpCases();
  EXPECT_GE(cases.size(), 20u);
  MixedNcpWorkspace workspace;
  for (const MixedNcpCase& c : cases) {
    for (const Eigen::VectorXd& start : c.starts) {
      Eigen::VectorXd z = start;
      const MixedNcpSummary summary = SolveMixedNcp(*c.problem, z, workspace);
      EXPECT_TRUE(summary.solved) << c.name << " residual " << summary.residual;
      EXPECT_LE(MixedNcpResidual(*c.problem, z), 1e-10) << c.name;
      EXPECT_TRUE(IsKnownSolution(c, z)) << c.name << " at " << z.transpose();
    }
  }
}

TEST(MixedNcp, PublishedSolutionsHaveNoResidual) {
  for (const MixedNcpCase& c : MixedNcpCases()) {
    if (c.accuracy > 1e-6) continue;
    for (const Eigen::VectorXd& solution : c.solutions)
      EXPECT_LT(MixedNcpResidual(*c.problem, solution), 1e-5) << c.name;
  }
}

TEST(MixedNcp, WarmStartAtTheSolutionTakesNoIteration) {
  MixedNcpWorkspace workspace;
  for (const MixedNcpCase& c : MixedNcpCases()) {
    if (c.name != "murty" && c.name != "josephy" && c.name != "obstacle") continue;
    Eigen::VectorXd z = c.solutions.front();
    EXPECT_EQ(SolveMixedNcp(*c.problem, z, workspace).iterations, 0) << c.name;
  }
}

/// z^2 + 1 >= 0 without bounds has no root; 0 <= z, -1 - z >= 0 no solution.
class Unsolvable final : public MixedNcp {
 public:
  explicit Unsolvable(bool bounded) : bounded_(bounded) {}
  int size() const override { return 1; }
  double lower(int) const override { return bounded_ ? 0 : -std::numeric_limits<double>::infinity(); }
  double upper(int) const override { return std::numeric_limits<double>::infinity(); }
  void Evaluate(const Eigen::VectorXd& z, Eigen::VectorXd& F, Eigen::MatrixXd* jacobian) const override {
    F[0] = bounded_ ? -1 - z[0] : z[0] * z[0] + 1;
    if (jacobian) (*jacobian)(0, 0) = bounded_ ? -1 : 2 * z[0];
  }

 private:
  bool bounded_;
};

TEST(MixedNcp, FailsHonestly) {
  MixedNcpWorkspace workspace;
  for (const bool bounded : {false, true}) {
    const Unsolvable problem(bounded);
    Eigen::VectorXd z = Eigen::VectorXd::Constant(1, 0.5);
    const MixedNcpSummary summary = SolveMixedNcp(problem, z, workspace, {.restarts = 3});
    EXPECT_FALSE(summary.solved);
    // Least residual of any point: |z^2 + 1| >= 1 at 0, |z - max(0, 2 z + 1)| >= 1/2 at -1/2.
    EXPECT_GE(summary.residual, bounded ? 0.5 : 1.0);
    EXPECT_EQ(summary.residual, MixedNcpResidual(problem, z));
  }
}

}  // namespace
}  // namespace ricochet
