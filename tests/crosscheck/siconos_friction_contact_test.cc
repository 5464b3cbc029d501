// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Contact problems met by tossed boxes, against the friction-contact solver (NSGS) of Siconos, where the solution is
// unique: up to three contacts, and four where sweeping in different orders gives one answer.
#include <gtest/gtest.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/SolverOptions.h>

#include <Eigen/Dense>
#include <cstdlib>
#include <vector>

#include "tests/support/spatial_run.h"

extern "C" NumericsMatrix* NM_create_from_data(int storage, int rows, int columns, void* data);
extern "C" NumericsMatrix* NM_free(NumericsMatrix* matrix);

namespace ricochet::testing {
namespace {

/// Velocities J^T P of the body by Siconos; Siconos orders a contact (n, t1, t2). Empty if it does not converge.
std::vector<double> SolveBySiconos(const SmallContactProblem& p) {
  const int n = p.count;
  Eigen::MatrixXd J(3 * n, 6);
  Eigen::VectorXd q(3 * n), mu(n);
  for (int i = 0; i < n; ++i) {
    J.row(3 * i) = p.rows[i].col(2);
    J.row(3 * i + 1) = p.rows[i].col(0);
    J.row(3 * i + 2) = p.rows[i].col(1);
    q.segment<3>(3 * i) << p.b[i][2], p.b[i][0], p.b[i][1];
    mu[i] = p.mu[i];
  }
  auto* const data = static_cast<double*>(std::malloc(sizeof(double) * 9 * n * n));  // owned by the matrix
  Eigen::Map<Eigen::MatrixXd>(data, 3 * n, 3 * n) = J * J.transpose();
  ::FrictionContactProblem problem{};
  problem.dimension = 3;
  problem.numberOfContacts = n;
  problem.M = NM_create_from_data(0, 3 * n, 3 * n, data);
  problem.q = q.data();
  problem.mu = mu.data();
  Eigen::VectorXd reaction = Eigen::VectorXd::Zero(3 * n), velocity = Eigen::VectorXd::Zero(3 * n);
  SolverOptions* const options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 200000;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
  const int info = fc3d_driver(&problem, reaction.data(), velocity.data(), options);
  solver_options_delete(options);
  NM_free(problem.M);
  if (info != 0) return {};
  const Eigen::VectorXd w = J.transpose() * reaction;
  return {w.data(), w.data() + 6};
}

TEST(SiconosFrictionContact, SameVelocitiesOnProblemsOfTosses) {
  int compared = 0, ambiguous = 0, unsolved = 0;
  double worst = 0;
  for (int seed = 0; seed < 30; ++seed) {
    SpatialRun run(RandomTossText(seed));
    for (int k = 0; k < 150; ++k) {
      run.Step(1.0 / 360);
      if (run.last().contacts.empty() || k % 3 != 0) continue;
      SmallContactProblem p;
      AssembleOneBody(run.model().spatial, run.workspace(), run.workspace().order, p);
      if (p.count > 3) {
        const FrictionContactProblem general = AsGeneral(p);
        FrictionContactSolution solution;
        SolveFrictionContact(general, {}, run.workspace().solver, solution);
        if (FrictionContactSpread(general, solution, 3) > 1e-9) {
          ++ambiguous;
          continue;
        }
      }
      double scale = 0;
      for (int i = 0; i < p.count; ++i) scale = std::max(scale, p.b[i].cwiseAbs().maxCoeff());
      const std::vector<double> theirs = SolveBySiconos(p);
      if (theirs.empty()) {
        ++unsolved;
        continue;
      }
      // The change of the twist, scaled: S^T (V_E - V_f).
      const SpatialBodyStep<double>& step = run.workspace().bodies[0];
      const SpatialInertia<double>& inertia = run.workspace().inertia[0];
      Vector6d ours;
      ours << inertia.root_mass * (step.v_end - step.v_free),
          inertia.L_inverse.transpose().triangularView<Eigen::Upper>().solve(step.w_end - step.w_free);
      worst = std::max(worst, (ours - Eigen::Map<const Vector6d>(theirs.data())).norm() / scale);
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
  EXPECT_LE(worst, 1e-6);
  RecordProperty("compared", compared);
  RecordProperty("ambiguous", ambiguous);
  RecordProperty("unsolved_by_siconos", unsolved);
}

}  // namespace
}  // namespace ricochet::testing
