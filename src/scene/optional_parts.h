// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Parts of a scene whose numbers exist whether or not they act, so that they can be requested and tested.
#pragma once

#include "ricochet/scene.h"

namespace ricochet {

/// Whether a number of the body's drag is written or set.
bool HasDrag(const Scene& scene, const Body& body);

/// Whether stiffness or damping of the joint's drive is written or set.
bool HasDrive(const Scene& scene, const Joint& joint);

}  // namespace ricochet
