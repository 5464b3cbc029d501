// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What commonly goes wrong with recordings: millimetres, degrees, a mirrored angle, gravity reversed, y downwards. Each
// is undone in turn and the recording fitted again; the mistake is named when the motion then fits.
#pragma once

#include <string>
#include <vector>

#include "estimators/track_fit.h"

namespace ricochet {

/// The message with its remedy, or empty. `quality` is the noise of the best fit so far over the body's size.
std::string FindMistake(const Scene& scene, const std::vector<SelectedParameter>& wanted, int body,
                        const PlanarTrack& track, double quality);

}  // namespace ricochet
