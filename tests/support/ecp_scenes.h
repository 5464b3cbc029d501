// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Scenes for tests and studies of `ecp`.
#pragma once

#include <string>

#include "core/random.h"
#include "ricochet/scene.h"

namespace ricochet {

/// A box or a cylinder (by turns) of random size, mass, friction and motion above a floor.
Scene RandomToss(Random random, bool box);

/// A coin (radius 0.1 m, 0.02 m thick) dropped on its rim, tilted.
Scene SettlingCoin();

/// A box (0.2 m cube, 1 kg) at rest on a fixed table whose edge is at x = 0.5, sliding at 0.2 m/s toward the edge,
/// with a push at its center that balances the friction. `as_surface`: the table is a plane with an extent, else a
/// fixed box.
Scene BoxAndTableEdge(bool as_surface, double friction);

}  // namespace ricochet
