// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Frictional contact with compliance in the normals: friction_contact.h with xi_N = D P + b + s P_N.
//
// A contact point of compliance c [m/N] and relaxation time tau [s] pushes with N = (depth + tau x rate) / c. Over a
// step of Moreau's scheme the gap ends at g + h/2 gamma_N^+, with g at the midpoint, and P_N = h N is taken there:
//
//   P_N c / h = -(g + h/2 gamma^+) - tau gamma^+    =>    gamma^+ + s P_N - u = 0,
//   s = c / (h (h/2 + tau)),   u = -g / (h/2 + tau),      0 <= P_N _|_ gamma^+ + s P_N - u >= 0.
//
// It is what other engines call error reduction (h / (h/2 + tau)) and constraint force mixing (s / h). The step itself
// damps like a relaxation time of h/2. With s > 0 the normal impulses are unique, also on four corners; sticking
// friction on more points than a rigid body can tell apart is made unique by a softness of kTangentSoftness of the
// point's own tangential mobility.
//
// Solver: block Gauss-Seidel with exact local solutions (friction_contact_local.h) to find the modes, Newton on the
// active set to finish, more sweeps where it leaves the set. One body, up to kMaxSmallContacts contacts, no allocation.
#pragma once

#include <array>

#include "complementarity/friction_contact_small.h"

namespace ricochet {

inline constexpr double kTangentSoftness = 1e-6;

struct SoftContactProblem {
  SmallContactProblem contacts;
  std::array<double, kMaxSmallContacts> softness{};  // s of the normals [1/kg]; 0: hard
};

/// Softness and the speed at which the depth is left.
struct SoftNormal {
  double softness;  // [1/kg]
  double speed;     // [m/s]
};
inline SoftNormal SoftNormalOf(double compliance, double damping, double h, double gap) {
  const double time = 0.5 * h + damping;
  return {compliance / (h * time), -gap / time};
}

/// The residual is that of friction_contact.h with the softness in xi.
void SolveSoftContact(const SoftContactProblem& problem, double tolerance, SmallContactSolution& solution);

}  // namespace ricochet
