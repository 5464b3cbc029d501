// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction that the recordings do not bound from above: contacts that slide in a solution may stick as well.
//
// Contacts that stick need |ct| / cn of friction at least. Where a solution slides, the one in which all contacts stick
// is tried, unless a slip is so large (6 standard deviations) that no sticking solution explains it; it is taken, as
// the simpler of two that explain the poses, when it raises chi^2 by less than 2.71 (95 %, one side).
#pragma once

#include <optional>

#include "estimators/program/joint_fit.h"

namespace ricochet {

/// Lower limit (95 %) of the friction with this index where all contacts stick; the fit is then the one in which they
/// do, with friction held. None where it slides.
std::optional<double> PreferSticking(JointFit& fit, int index);

}  // namespace ricochet
