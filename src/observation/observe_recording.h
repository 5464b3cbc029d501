// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the sensors of a scene record of a motion that is known: the other direction of a fit, for planned experiments.
#pragma once

#include "ricochet/recording.h"
#include "ricochet/scene.h"

namespace ricochet {

/// The recording that the scene's sensors (body_sensors.h) make of `motion`, which has poses of body frames and
/// coordinates of joints. Velocities of bodies are left out, rates of joints unless they are listed. Times are those at
/// which the rows arrive: `delay` later than the motion; motor inputs are known without delay.
Recording ObserveRecording(const Scene& scene, const Recording& motion);

}  // namespace ricochet
