// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Linear complementarity problems by the lexicographic Lemke of Siconos.
#pragma once

#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>

#include <Eigen/Core>
#include <cstdlib>

// Declared here because the header of it needs OpenSSL's.
extern "C" NumericsMatrix* NM_create_from_data(int storage, int rows, int columns, void* data);
extern "C" NumericsMatrix* NM_free(NumericsMatrix* matrix);

namespace ricochet {

/// z of 0 <= z _|_ M z + q >= 0; empty if Siconos reports failure.
inline Eigen::VectorXd SolveLcpBySiconos(const Eigen::MatrixXd& M, Eigen::VectorXd q) {
  const int n = static_cast<int>(q.size());
  auto* const data = static_cast<double*>(std::malloc(sizeof(double) * n * n));  // owned by the matrix
  Eigen::Map<Eigen::MatrixXd>(data, n, n) = M;
  Eigen::VectorXd z = Eigen::VectorXd::Zero(n), w = Eigen::VectorXd::Zero(n);
  LinearComplementarityProblem siconos;
  siconos.size = n;
  siconos.M = NM_create_from_data(0, n, n, data);
  siconos.q = q.data();
  SolverOptions* const options = solver_options_create(SICONOS_LCP_LEMKE);
  const int info = linearComplementarity_driver(&siconos, z.data(), w.data(), options);
  solver_options_delete(options);
  NM_free(siconos.M);  // and its data
  return info == 0 ? z : Eigen::VectorXd();
}

}  // namespace ricochet
