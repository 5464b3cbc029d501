// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Recordings of joints that cannot be right as they are: too short, with a hole, too coarse, angles in degrees, times
// in milliseconds. The check is that of dataset/joint_check.h, which `identify` makes when it prepares its recordings,
// so that `doctor` says the same in the same words.
#pragma once

#include <vector>

#include "ricochet/examine.h"

namespace ricochet {

/// What is wrong with those of the recordings that hold joint angles of the scene, at most one per recording.
std::vector<Mistake> FindJointMistakes(const Scene& scene, const std::vector<Recording>& recordings);

}  // namespace ricochet
