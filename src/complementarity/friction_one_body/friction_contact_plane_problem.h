// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// One body on one plane: the problem that the solvers of friction_contact_plane.h share, its solution and the check
// that judges it, whoever found it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "complementarity/friction_one_body/friction_contact_small_problem.h"

namespace ricochet {

struct PlaneContactProblem {
  int count = 0;  // 1 to kMaxSmallContacts
  double mu = 0, mass = 0;
  Eigen::Matrix3d I, I_inverse;                      // about the center of mass, axes of the plane
  std::array<Eigen::Vector3d, kMaxSmallContacts> p;  // from the center of mass [m]
  std::array<Eigen::Vector3d, kMaxSmallContacts> b;  // xi at the free velocity [m/s]
  double scale = 0;                                  // the largest entry of b: FindScale

  void FindScale();
};

struct PlaneContactSolution {
  std::array<Eigen::Vector3d, kMaxSmallContacts> impulse;
  std::array<FrictionMode, kMaxSmallContacts> mode;
  Eigen::Vector3d dv, dw;
  double residual = -1;  // relative, see FrictionContactResidual
  int iterations = 0;
  bool modes_known = false;  // not solved, but modes and impulses are near a solution
};

inline void PlaneContactProblem::FindScale() {
  scale = 0;
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < 3; ++k) scale = std::max(scale, std::abs(b[i][k]));
}

/// Whether a contact with free velocity b would slide alone, its block taken as diagonal.
inline bool WouldSlide(const Eigen::Vector3d& b, double mu) {
  return b[0] * b[0] + b[1] * b[1] >= mu * mu * b[2] * b[2];
}

/// The twist that balances the impulses of `solution`, and the residual there. True when that is at most `tolerance`.
bool VerifyPlaneContact(const PlaneContactProblem& problem, double tolerance, PlaneContactSolution& solution);

}  // namespace ricochet
