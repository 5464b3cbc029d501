// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The contact patch of a solved step: its frame and its dimension.
#pragma once

#include <span>

#include "result/contact_record.h"
#include "steppers/ecp/ecp_solution.h"

namespace ricochet {

/// Contact frame at a solution.
struct EcpNormal {
  Vector3<double> n, t, o;
};
EcpNormal NormalOf(const EcpProblem<double>& problem, const EcpEnd<double>& G, const EcpClosed& closed);

/// Dimension of the contact patch at the solution, and the number N of facets of F with a multiplier above 1e-9 (Xie
/// sec. VI-C). Directions in the contact plane along which no active facet bends or leaves count.
ContactKind PatchKind(const EcpProblem<double>& problem, std::span<const double> velocities, const EcpClosed& closed,
                      int& active_facets);

}  // namespace ricochet
