// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A step of `ecp` as its solvers leave it.
#pragma once

#include <array>
#include <vector>

#include "steppers/ecp/ecp_problem.h"

namespace ricochet {

enum class EcpAttempt { kFree, kNewton, kEnumeration, kContinuation, kGeneral, kFailed };

/// A closed contact with its unknowns, at the solution.
struct EcpClosed {
  EcpActive active;
  Vector3<double> a = Vector3<double>::Zero();        // ECP, world [m]
  std::array<double, kEcpMaxActive> beta{}, gamma{};  // multipliers
  double p_n = 0;                                     // [N s]
  double gap = 0;                                     // at the end of the step, of the whole bodies [m]
  Vector3<double> q = Vector3<double>::Zero();        // (p_t / e_t, p_o / e_o, p_r / e_r) [N s]
};

struct EcpSolution {
  EcpAttempt attempt = EcpAttempt::kFailed;
  std::vector<double> velocities;  // 6 per moving body
  std::vector<EcpClosed> closed;
  double residual = 0;  // of the whole complementarity problem, scaled
  int iterations = 0;   // Newton iterations, all attempts
};

}  // namespace ricochet
