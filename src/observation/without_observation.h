// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A scene for tracks of which the observation has been undone.
#pragma once

#include "ricochet/scene.h"

namespace ricochet {

/// The scene as if the poses of its body frames and the coordinates of its joints were recorded as they are: frames
/// that are the body frames, length scale 1, no offsets, no delay.
Scene WithoutObservation(Scene scene);

}  // namespace ricochet
