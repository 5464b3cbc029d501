// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The problem of friction_contact.h for one body and up to 8 contacts in fixed storage, and its solution: what every
// solver of this room takes and gives.
#pragma once

#include <array>

#include "complementarity/friction/friction_contact.h"

namespace ricochet {

inline constexpr int kMaxSmallContacts = 8;

struct SmallContactProblem {
  int count = 0;
  std::array<ContactRows, kMaxSmallContacts> rows;
  std::array<Eigen::Vector3d, kMaxSmallContacts> b;  // xi at the free velocity [m/s]
  std::array<double, kMaxSmallContacts> mu;
};

struct SmallContactSolution {
  std::array<Eigen::Vector3d, kMaxSmallContacts> impulse;
  std::array<FrictionMode, kMaxSmallContacts> mode;
  Vector6d change;  // v - v_free, scaled
  double residual = 0;
  bool converged = false;
  int iterations = 0;
};

}  // namespace ricochet
