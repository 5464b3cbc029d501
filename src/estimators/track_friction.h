// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction where contacts stick. A motion that never slides does not depend on friction as long as there is enough of
// it: the data give a bound from below, and none from above. Both questions are answered by the rise of chi^2 when
// friction is held at a value and everything else is fitted again.
#pragma once

#include <vector>

#include "estimators/track_fit.h"

namespace ricochet {

/// Rise of chi^2 with the wanted number `index` held at `friction`; infinite when no motion fits.
double FrictionRise(const PlanarFamily& family, int index, const TrackFit& fit, double friction);

/// Whether some recording bounds friction from above: with half as much again, so that more sticks, it fits worse.
bool FrictionHasUpperBound(const PlanarFamily& family, int index, const std::vector<TrackFit>& fits);

/// Smallest friction that one recording allows, one-sided at 95 %: chi^2 rises by 2.71 there.
double FrictionLowerBound(const PlanarFamily& family, int index, const TrackFit& fit);

}  // namespace ricochet
