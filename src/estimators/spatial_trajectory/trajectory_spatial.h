// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// `trajectory` for spatial scenes: recorded poses on the motion of the scene's stepper (Jongeneel sec. III-C).
#pragma once

#include "estimators/estimator.h"

namespace ricochet {

const Estimator& SpatialTrajectory();

}  // namespace ricochet
