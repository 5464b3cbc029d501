// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What commonly goes wrong with recordings: millimeters, degrees, a mirrored angle, gravity reversed, y downward with
// or without the angle, gravity of another size. Each is undone in turn and the recording fitted again; the mistake is
// named when the motion then fits.
#pragma once

#include <string>
#include <vector>

#include "estimators/planar_trajectory/track_fit.h"

namespace ricochet {

/// How badly a fit misses: the larger of its noise of position over the body's size and of its noise of angle [rad].
double Misfit(const TrackFit& fit, double size);

/// Mistakes that a recording shows before any search: positions over hundreds of body sizes, turns by tens of radians,
/// flights that accelerate against gravity. The message with its remedy, where that mistake explains the track to
/// within its noise; otherwise empty.
std::string FindEvidentMistake(const Scene& scene, const std::vector<SelectedParameter>& parameters, int body,
                               const PlanarTrack& track);

/// The message with its remedy, or empty. `misfit` is that of the best fit so far.
std::string FindMistake(const Scene& scene, const std::vector<SelectedParameter>& parameters, int body,
                        const PlanarTrack& track, double misfit);

/// The same for methods that fit no motion: empty when a motion of the scene, with J/m, friction and restitution free,
/// explains the track, and where no mistake does.
std::string FindMistake(const Scene& scene, int body, const PlanarTrack& track);

}  // namespace ricochet
