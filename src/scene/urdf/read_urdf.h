// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A robot description (URDF) as it is written: numbers are checked one by one, and what has no counterpart in a scene
// is noted.
#pragma once

#include <string>
#include <string_view>

#include "scene/urdf/urdf_robot.h"

namespace ricochet {

/// Throws InputError with the line in the file.
UrdfRobot ReadUrdf(std::string_view text, const std::string& name_in_messages);

}  // namespace ricochet
