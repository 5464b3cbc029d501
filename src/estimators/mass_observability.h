// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Mass and inertia of a body that no known force acts on.
//
// Of one moving body with mass m, inertia J and contact impulses p at points r, gravity g and nothing else, velocities
// v and angular velocities w change by
//
//   m dv = m g dt + dp,     J dw + w x J w dt = r x dp,     dp in the friction cone, which has no size.
//
// With any c > 0, (c m, c J, c p) moves the body in the same way as (m, J, p): poses do not identify m and J apart,
// only J / m (Gabiccini sec. 5.2.2, Fazeli sec. 4). A known force F adds F dt, which does not scale, and with it m is
// identifiable. So is the ratio of the masses of two bodies that touch; only their common scale is not, which rank and
// null space of the fit report (inference/information.h).
#pragma once

#include <string>
#include <vector>

#include "estimators/identify_request.h"

namespace ricochet {

/// Without a known force on the only body that moves, a requested mass is removed from `parameters`, and a requested
/// inertia becomes the ratio to the mass.
struct MassRefusal {
  std::vector<SelectedParameter> parameters;  // what is left to estimate
  std::vector<int> index;                     // per parameter of the request: index into `parameters`, or -1
  std::vector<int> ratio;                     // likewise, of the ratio that has a refused moment as numerator
  bool refused = false;
  std::string combination;  // "bodies.e.inertia/bodies.e.mass"; in space that of the first requested moment
};
MassRefusal RefuseMass(const IdentifyRequest& request);

}  // namespace ricochet
