// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What Gabiccini asks of the impacts of a planar motion beyond the rank of the parameters: the rank of his matrix (29)
// over m, J and the impulses, and whether all impacts agree on J/m (31, 32). docs/identifiability.md.
#pragma once

#include "estimators/planar_trajectory/track_problem.h"
#include "ricochet/identifiability.h"

namespace ricochet {

/// Adds both for the motions of a problem at a point, with notes on impacts that show too little. `planned`: the
/// velocities are those of the computed motion; otherwise those of the recorded flights on both sides of an impact,
/// where they can be read.
void AddImpactConsistency(const TrackProblem& problem, const FitPoint& point, bool planned, Identifiability& out);

}  // namespace ricochet
