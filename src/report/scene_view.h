// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// What the page draws of a scene: shapes, surfaces with their frames and velocities, joints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ricochet/scene.h"

namespace ricochet {

nlohmann::ordered_json SceneView(const Scene& scene);

}  // namespace ricochet
