// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Columns that a recording of a scene may have: `x`, `box.wz`, `hinge1.angle`, `tip.z` of an observed point.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet {

/// All columns of states: poses and velocities per body (`body.x`, or `x` for the first body), `angle` and `rate` per
/// hinge and slider, the position of every observed point.
std::vector<std::string> StateChannels(const Scene& scene);

/// Which coordinate of which observed point (index into Observation::points) a column is; none when it is no such.
/// `tip.x`, or `body.tip.x` with the name of the point's body.
struct PointColumn {
  int point = 0;
  int axis = 0;
};
std::optional<PointColumn> FindPointColumn(const Scene& scene, std::string_view column);

/// What such a column measures; none when the scene has no such column.
std::optional<Quantity> ChannelQuantity(const Scene& scene, std::string_view channel);

}  // namespace ricochet
