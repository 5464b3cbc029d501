// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Seeded random planar scenes for tests of laws.
#pragma once

#include <cstdint>
#include <string>

#include "ricochet/scene.h"

namespace ricochet::testing {

struct RandomPlanarOptions {
  bool restitution = true;  // otherwise 0
  bool moving_surfaces = false;
  bool loads = false;
};

/// A body of random shape, size, mass and center of mass, thrown above one to three lines of random slope.
std::string RandomPlanarText(std::uint64_t seed, const RandomPlanarOptions& options = {});
Scene RandomPlanarScene(std::uint64_t seed, const RandomPlanarOptions& options = {});

}  // namespace ricochet::testing
