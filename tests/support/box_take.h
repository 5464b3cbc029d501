// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A take as a laboratory records it: a box (box_world.h) is thrown several times, rests, and is picked up, carried and
// swung by a hand in between. The tracked frame may be anywhere on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/box_world.h"

namespace ricochet::testing {

struct BoxTake {
  BoxWorld world;
  BoxCamera camera;
  std::vector<BoxState> states;        // one per row
  std::vector<int> releases, rests;    // rows at which tosses are let go, and have come to rest
  Recording recording;
};

struct BoxTakeOptions {
  int tosses = 8;
  bool off_center = true;   // the tracked frame is up to half the size of the box off, with any axes
  int catches = 0;          // throws that a hand catches, between the tosses
  double surface_height = 0, surface_tilt = 0;  // [m], [rad]
};

/// Depends on its arguments alone.
BoxTake MakeBoxTake(std::uint64_t seed, const BoxTakeOptions& options = {});

/// Scene of a world, with the law of contact elsewhere, the surface level at height 0 and the tracked frame that of the
/// box.
std::string BoxSceneText(const BoxWorld& known, double friction, double restitution);

/// The take as Motive writes it, y up.
std::string MotiveText(const Recording& recording, const std::string& body);

}  // namespace ricochet::testing
