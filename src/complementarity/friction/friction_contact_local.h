// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One contact with friction, solved exactly: find P with xi = D P + q,  0 <= P_N _|_ xi_N >= 0,  friction against xi_T,
// |P_T| <= mu P_N. D is 3 x 3 symmetric positive definite, order (t1, t2, n).
//
// Three cases: q_N >= 0: open. P = -D^-1 q in the cone: stick. Otherwise slide: xi_T = -alpha P_T with alpha > 0 and
// |P_T| = mu P_N. With P_N = -(q_N + d.P_T) / D_NN eliminated (d = D_TN),
//
//   (D_TT - d d^T / D_NN + alpha I) P_T = -(q_T - d q_N / D_NN),
//
// so that in the eigenvectors of that 2 x 2 matrix P_T(alpha) is explicit and one scalar equation remains,
// |P_T(alpha)| - mu P_N(alpha) = 0: positive at 0 (stick failed), negative at infinity. Newton inside a bracket finds a
// root; it is the only one unless friction is so large that several motions are possible (Painleve).
#pragma once

#include <Eigen/Core>

#include "complementarity/friction/friction_contact.h"

namespace ricochet {

struct LocalSolution {
  Eigen::Vector3d impulse;
  FrictionMode mode;
};

LocalSolution SolveLocalContact(const Eigen::Matrix3d& D, const Eigen::Vector3d& q, double mu);

}  // namespace ricochet
