// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The scene of a robot whose bodies are known (urdf_bodies.h).
#pragma once

#include <string>

#include "scene/urdf/urdf_robot.h"

namespace ricochet {

/// Text of the scene (YAML), with what is left out or changed in a comment at its head. Gives the links the names of
/// their bodies. `floating`: the root is a free body, in place of standing on the world.
std::string WriteUrdfScene(int root, bool floating, UrdfRobot& robot);

}  // namespace ricochet
