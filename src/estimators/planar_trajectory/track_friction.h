// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Friction where contacts stick. A motion that never slides does not depend on friction as long as there is enough of
// it: the data give a bound from below, and none from above. Then friction is one unknown less, and a fit in which some
// contact just slides, bought with that unknown, is the worse account: slip is believed only when the likelihood ratio
// rejects sticking (a rise of 12, 3.5 standard deviations: one of many contacts slides a little more easily by chance
// than a single test says). The questions are answered by the rise of chi^2 when friction is held at a value and
// everything else is fitted again.
#pragma once

#include <vector>

#include "estimators/planar_trajectory/track_fit.h"

namespace ricochet {

/// Whether chi^2 rises by less than 2.71 with the requested parameter `index` held at `friction`.
bool AllowsFriction(const PlanarFamily& family, int index, const TrackFit& fit, double friction);

/// Replaces a fit that slides by one with half as much friction again, in which more sticks, unless chi^2 rises by more
/// than 12. True when it did: friction then has no upper bound from this recording.
bool PreferSticking(const PlanarFamily& family, int index, TrackFit& fit);

/// Smallest friction that one recording allows, one-sided at 95 %: chi^2 rises by 2.71 there.
double FrictionLowerBound(const PlanarFamily& family, int index, const TrackFit& fit);

}  // namespace ricochet
