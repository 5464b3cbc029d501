// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A second opinion on mixed complementarity problems: the Fischer-Burmeister solver of Siconos (Debian) on the problems
// of tests/support whose bounds it knows (none, or zero below).
#include <MCP_Solvers.h>
#include <MCP_cst.h>
#include <MixedComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <gtest/gtest.h>

#include <cmath>

#include "complementarity/mixed_ncp/mixed_ncp.h"
#include "tests/support/mixed_ncp_problems.h"

namespace ricochet {
namespace {

/// Our problem with the equations first, as Siconos wants them.
struct Reordered {
  const MixedNcp* problem;
  std::vector<int> order;  // order[k] is our index of Siconos's unknown k
  Eigen::VectorXd z, F;
  Eigen::MatrixXd J;

  void Evaluate(const double* x, bool jacobian) {
    for (std::size_t k = 0; k < order.size(); ++k) z[order[k]] = x[k];
    problem->Evaluate(z, F, jacobian ? &J : nullptr);
  }
};

void ComputeF(void* env, int n, double* x, double* F) {
  Reordered& self = *static_cast<Reordered*>(env);
  self.Evaluate(x, false);
  for (int k = 0; k < n; ++k) F[k] = self.F[self.order[k]];
}

void ComputeJacobian(void* env, int n, double* x, NumericsMatrix* out) {
  Reordered& self = *static_cast<Reordered*>(env);
  self.Evaluate(x, true);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      out->matrix0[row + column * n] = self.J(self.order[row], self.order[column]);
    }
  }
}

TEST(SiconosMixedNcp, AgreesOnTheStandardProblems) {
  int asked = 0, answered = 0;
  MixedNcpWorkspace workspace;
  for (const MixedNcpCase& c : MixedNcpCases()) {
    const int n = c.problem->size();
    Reordered reordered{
        c.problem.get(), {}, Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Zero(n, n)};
    bool suits = true;
    for (const bool bounded : {false, true}) {
      for (int i = 0; i < n; ++i) {
        if (std::isfinite(c.problem->upper(i)) || (std::isfinite(c.problem->lower(i)) && c.problem->lower(i) != 0))
          suits = false;
        if (std::isfinite(c.problem->lower(i)) == bounded) reordered.order.push_back(i);
      }
    }
    if (!suits) continue;
    MixedComplementarityProblem* problem = mixedComplementarityProblem_new();
    problem->n2 = 0;
    for (int i = 0; i < n; ++i) problem->n2 += std::isfinite(c.problem->lower(i));
    problem->n1 = n - problem->n2;
    problem->compute_Fmcp = &ComputeF;
    problem->compute_nabla_Fmcp = &ComputeJacobian;
    problem->nabla_Fmcp = NM_create(NM_DENSE, n, n);
    problem->env = &reordered;
    SolverOptions* options = solver_options_create(SICONOS_MCP_NEWTON_FB_FBLSA);
    options->dparam[SICONOS_DPARAM_TOL] = 1e-11;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 500;
    std::vector<double> x(n), F(n);
    for (int k = 0; k < n; ++k) x[k] = c.starts.back()[reordered.order[k]];
    const int info = mcp_driver(problem, x.data(), F.data(), options);
    solver_options_delete(options);
    ++asked;
    Eigen::VectorXd theirs(n);
    for (int k = 0; k < n; ++k) theirs[reordered.order[k]] = x[k];
    if (info == 0 && MixedNcpResidual(*c.problem, theirs) < 1e-8) {
      // Where Siconos ends in a solution, ours from there stays; problems with one solution give the same point.
      ++answered;
      Eigen::VectorXd ours = c.starts.front();
      ASSERT_TRUE(SolveMixedNcp(*c.problem, ours, workspace).solved) << c.name;
      if (c.solutions.size() == 1) {
        EXPECT_LT((ours - theirs).lpNorm<Eigen::Infinity>(), 1e-6) << c.name;
      }
    }
    mixedComplementarityProblem_free(problem);
  }
  EXPECT_GE(asked, 18);
  EXPECT_GE(answered, 12);
}

}  // namespace
}  // namespace ricochet
