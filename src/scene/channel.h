// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Columns that a recording of a scene may have: `x`, `box.wz`, `hinge1.angle`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// All columns of states: poses and velocities per body (`body.x`, or `x` for the first body), `angle` and `rate` per
/// hinge and slider.
std::vector<std::string> StateChannels(const Scene& scene);

/// What such a column measures; none when the scene has no such column.
std::optional<Quantity> ChannelQuantity(const Scene& scene, std::string_view channel);

}  // namespace ricochet
