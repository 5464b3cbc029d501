// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Principal moments that a body can have: none exceeds the sum of the other two. Motion often determines some moments of
// a body only, and the scene's values of the rest may be impossible beside them.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// What MakeMomentsPossible changed in a body.
struct MovedMoments {
  std::string body;
  std::array<double, 3> before{}, after{};  // [kg m^2]
  bool broken = false;                      // the estimated moments are impossible by themselves, and moved too
};

/// Moves moments that are not `estimated` until every body can have its three. Where the estimated ones are impossible
/// by themselves, the excess is shared among all, so that the scene can be read again.
std::vector<MovedMoments> MakeMomentsPossible(const std::function<bool(NumberId)>& estimated, Scene& scene);

}  // namespace ricochet
