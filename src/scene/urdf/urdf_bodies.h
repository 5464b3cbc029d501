// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Which links of a robot are bodies of a scene, and what they weigh.
#pragma once

#include "scene/urdf/urdf_robot.h"

namespace ricochet {

/// The link that is no joint's child. Every other link is the child of exactly one joint.
int FindUrdfRoot(const UrdfRobot& robot);

/// Finds the links that are parts of others, with their places there, and adds their mass to those that carry them.
void JoinUrdfParts(int root, UrdfRobot& robot);

/// Throws InputError for an inertia that no body can have. One that is zero about an axis, as of point masses and thin
/// rods, becomes slightly larger.
void MakeUrdfInertiaPossible(UrdfLink& link, UrdfRobot& robot);

}  // namespace ricochet
